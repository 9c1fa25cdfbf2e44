import Domain
import ServiceKit
import Synchronization

/// Limits the archives that a process writes at the same time (ACC-11): one per account, and few in
/// total, because each uses a core while its client is fast.
package final class ExportSlots: Sendable {
  /// The most simultaneous archives of a process.
  package static let countMax = 4

  private let accounts = Mutex<Set<AccountID>>([])

  /// All slots free.
  package init() {}

  /// A slot for an account, held as long as the returned value; nil if there is none.
  func take(for account: AccountID) -> DownloadSlot? {
    let isTaken = accounts.withLock { accounts in
      accounts.count < Self.countMax && accounts.insert(account).inserted
    }
    guard isTaken else { return nil }
    return DownloadSlot { [self] in release(account) }
  }

  private func release(_ account: AccountID) {
    accounts.withLock { _ = $0.remove(account) }
  }
}
