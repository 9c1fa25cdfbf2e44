import Domain
import ServiceKit
import Synchronization

/// The accounts that AutomatedSOS monitors, each of whose uploads may raise an alarm.
///
/// The set follows the database and the responses that switch monitoring on or off or acknowledge
/// an upload; no request waits for it. It selects the priority class of an upload, and makes a
/// replica that does not know the account yet look it up (decision 0022).
///
/// Callable from any thread.
final class MonitoredAccounts: Sendable {
  /// The largest number of remembered accounts, some 60 MB.
  private static let countMax = 1_000_000

  private let accounts = Mutex(RecentlyUsed<AccountID, Bool>(countMax: countMax))

  /// The number of known accounts.
  var count: Int { accounts.withLock { $0.count } }

  /// Whether an account is known to be monitored.
  func contains(_ account: AccountID) -> Bool { accounts.withLock { $0[account] != nil } }

  /// Records what a response says about its account.
  func note(_ account: AccountID, isWatched: Bool) {
    accounts.withLock { accounts in
      guard (accounts[account] != nil) != isWatched else { return }
      accounts[account] = isWatched ? true : nil
    }
  }
}
