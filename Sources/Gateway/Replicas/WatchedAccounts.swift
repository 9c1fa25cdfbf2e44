import Domain
import Services
import Synchronization

/// The accounts that AutomatedSOS watches over, as the database has them and as the answers say by
/// which they switch it on or off, or upload: any upload of theirs may be an alarm. No request
/// waits for it. It decides the way of an upload, and a replica that does not know the account yet
/// is told by it to look (decision 0022).
///
/// From any thread.
final class WatchedAccounts: Sendable {
  /// Accounts that are remembered at most, some 60 MB.
  private static let countMax = 1_000_000

  private let accounts = Mutex(RecentlyUsed<AccountID, Bool>(countMax: countMax))

  /// How many are known.
  var count: Int { accounts.withLock { $0.count } }

  /// Whether an account is known to be watched over.
  func contains(_ account: AccountID) -> Bool { accounts.withLock { $0[account] != nil } }

  /// Takes over what an answer says of its account.
  func note(_ account: AccountID, isWatched: Bool) {
    accounts.withLock { accounts in
      guard (accounts[account] != nil) != isWatched else { return }
      accounts[account] = isWatched ? true : nil
    }
  }
}
