import Domain
import Synchronization

/// How many archives a process writes at the same time (ACC-11): one for an account, and few in
/// all, because each takes a core while its reader is fast.
package final class ExportPlaces: Sendable {
  /// Archives of a process at the same time at most.
  package static let countMax = 4

  private let accounts = Mutex<Set<AccountID>>([])

  /// Places that nobody has taken yet.
  package init() {}

  /// A place for an account, kept as long as what is returned; nil where there is none.
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

/// The place of one archive; given back when nobody holds this any more, or before.
final class ExportPlace: Sendable {
  private let account: AccountID
  private let places: ExportPlaces
  private let isHeld = Mutex(true)

  fileprivate init(_ account: AccountID, of places: ExportPlaces) {
    self.account = account
    self.places = places
  }

  deinit { giveBack() }

  /// Lets another archive have the place.
  func giveBack() {
    let wasHeld = isHeld.withLock { isHeld in
      defer { isHeld = false }
      return isHeld
    }
    if wasHeld { places.giveBack(account) }
  }
}
