import Domain
import EventLoop
import Synchronization

/// Notifies the relay of a process, on any of its loops, of the accounts with new samples.
///
/// In memory only: its content at a crash is found by the slower periodic check of all live
/// subscriptions in every replica.
package final class RelayBell: Sendable {
  private let accounts = Mutex<Set<AccountID>>([])
  private let bell = Bell()

  /// A bell without a listener.
  package init() {}

  /// Adds accounts whose samples were committed; from any thread.
  func ring(_ arrived: some Sequence<AccountID>) {
    let isFirst = accounts.withLock { accounts in
      let wasEmpty = accounts.isEmpty
      accounts.formUnion(arrived)
      return wasEmpty && !accounts.isEmpty
    }
    if isFirst { bell.ring() }
  }

  /// Returns and clears the accounts with new samples.
  package func take() -> Set<AccountID> {
    accounts.withLock { accounts in
      defer { accounts = [] }
      return accounts
    }
  }

  /// From now on calls `listener` at the first ring after each `take`.
  func heard(by listener: @escaping @Sendable () -> Void) { bell.heard(by: listener) }
}
