import Domain
import Synchronization

/// Limits the archives that a process writes at the same time (ACC-11): one per account, and few in
/// total, because each uses a core while its client is fast.
package final class ExportPlaces: Sendable {
  /// The most simultaneous archives of a process.
  package static let countMax = 4

  private let accounts = Mutex<Set<AccountID>>([])

  /// All places free.
  package init() {}

  /// A place for an account, held as long as the returned value; nil if there is none.
  func take(for account: AccountID) -> ExportPlace? {
    let isTaken = accounts.withLock { accounts in
      accounts.count < Self.countMax && accounts.insert(account).inserted
    }
    return isTaken ? ExportPlace(account, of: self) : nil
  }

  fileprivate func giveBack(_ account: AccountID) {
    accounts.withLock { _ = $0.remove(account) }
  }
}

/// The place of one archive; released explicitly, or with the last reference.
final class ExportPlace: Sendable {
  private let account: AccountID
  private let places: ExportPlaces
  private let isHeld = Mutex(true)

  fileprivate init(_ account: AccountID, of places: ExportPlaces) {
    self.account = account
    self.places = places
  }

  deinit { giveBack() }

  /// Releases the place for another archive.
  func giveBack() {
    let wasHeld = isHeld.withLock { isHeld in
      defer { isHeld = false }
      return isHeld
    }
    if wasHeld { places.giveBack(account) }
  }
}
