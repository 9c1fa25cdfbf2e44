import Domain
import Synchronization

/// Tells the relay of a process, on whatever loop it is, whose samples have arrived.
///
/// Memory only: what it holds when the process is killed is found by the slower look of every
/// replica at all live subscriptions.
package final class RelayBell: Sendable {
  private struct State {
    var accounts: Set<AccountID> = []
    var listener: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// A bell that nobody hears yet.
  package init() {}

  /// Samples of these accounts were committed; from any thread.
  func ring(_ accounts: some Sequence<AccountID>) {
    let listener = state.withLock { state in
      let wasEmpty = state.accounts.isEmpty
      state.accounts.formUnion(accounts)
      return wasEmpty && !state.accounts.isEmpty ? state.listener : nil
    }
    listener?()
  }

  /// Whose samples have arrived since the last time.
  func take() -> Set<AccountID> {
    state.withLock { state in
      defer { state.accounts = [] }
      return state.accounts
    }
  }

  /// Calls `listener` at the first ring after each `take` from now on.
  func heard(by listener: @escaping @Sendable () -> Void) {
    state.withLock { $0.listener = listener }
  }
}
