import Domain
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
  func take(for account: AccountID) -> ExportSlot? {
    let isTaken = accounts.withLock { accounts in
      accounts.count < Self.countMax && accounts.insert(account).inserted
    }
    return isTaken ? ExportSlot(account, of: self) : nil
  }

  fileprivate func release(_ account: AccountID) {
    accounts.withLock { _ = $0.remove(account) }
  }
}

/// The slot of one archive; released explicitly, or with the last reference.
final class ExportSlot: Sendable {
  private let account: AccountID
  private let slots: ExportSlots
  private let isHeld = Mutex(true)

  fileprivate init(_ account: AccountID, of slots: ExportSlots) {
    self.account = account
    self.slots = slots
  }

  deinit { release() }

  /// Releases the slot for another archive.
  func release() {
    let wasHeld = isHeld.withLock { isHeld in
      defer { isHeld = false }
      return isHeld
    }
    if wasHeld { slots.release(account) }
  }
}
