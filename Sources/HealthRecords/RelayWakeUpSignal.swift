import Domain
import EventLoop
import Synchronization

/// Notifies the relay of a process, on any of its loops, of the accounts with new samples.
///
/// In memory only: its content at a crash is found by the slower periodic check of all live
/// subscriptions in every replica.
package final class RelayWakeUpSignal: Sendable {
  private let accounts = Mutex<Set<AccountID>>([])
  private let wakeUp = WakeUpSignal()

  /// A signal without listeners.
  package init() {}

  /// Adds accounts whose samples were committed; from any thread.
  func signal(_ arrived: some Sequence<AccountID>) {
    let isFirst = accounts.withLock { accounts in
      let wasEmpty = accounts.isEmpty
      accounts.formUnion(arrived)
      return wasEmpty && !accounts.isEmpty
    }
    if isFirst { wakeUp.signal() }
  }

  /// Returns and clears the accounts with new samples.
  package func consume() -> Set<AccountID> {
    accounts.withLock { accounts in
      defer { accounts = [] }
      return accounts
    }
  }

  /// From now on calls `listener` at the first signal after each `consume`.
  package func onSignal(_ listener: @escaping @Sendable () -> Void) { wakeUp.onSignal(listener) }
}
