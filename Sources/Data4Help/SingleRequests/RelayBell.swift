import Domain
import EventLoop
import Synchronization

/// Tells the relay of a process, on whatever loop it is, whose samples have arrived.
///
/// Memory only: what it holds when the process is killed is found by the slower look of every
/// replica at all live subscriptions.
package final class RelayBell: Sendable {
  private let accounts = Mutex<Set<AccountID>>([])
  private let bell = Bell()

  /// A bell that nobody hears yet.
  package init() {}

  /// Samples of these accounts were committed; from any thread.
  func ring(_ arrived: some Sequence<AccountID>) {
    let isFirst = accounts.withLock { accounts in
      let wasEmpty = accounts.isEmpty
      accounts.formUnion(arrived)
      return wasEmpty && !accounts.isEmpty
    }
    if isFirst { bell.ring() }
  }

  /// Whose samples have arrived since the last time.
  package func take() -> Set<AccountID> {
    accounts.withLock { accounts in
      defer { accounts = [] }
      return accounts
    }
  }

  /// Calls `listener` at the first ring after each `take` from now on.
  func heard(by listener: @escaping @Sendable () -> Void) { bell.heard(by: listener) }
}
