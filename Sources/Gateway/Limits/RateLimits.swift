import HTTP
import PublicAPI
import Synchronization
import Time

/// The rate limits (GW-5), shared by all loops. The tables never grow.
package final class RateLimits: Sendable {
  /// The limit of one address; an IPv4 address may be a whole office.
  package static let address = RateLimit(burst: 2000, perSecond: 500)
  /// The limit of one address where secrets could be guessed or mailboxes flooded.
  package static let guarded = RateLimit(burst: 30, perSecond: 0.5)
  /// The limit of one account.
  package static let account = RateLimit(burst: 500, perSecond: 100)
  /// The limit of one account's searches by name: enough to type a few names, too slow for a
  /// program that tries every prefix.
  package static let searches = RateLimit(burst: 30, perSecond: 0.5)
  /// Buckets of each table; they take 1.5 MiB.
  private static let capacity = 65_536

  private let isApplied: Bool
  private let addresses: Mutex<BucketTable>
  private let guardedAddresses: Mutex<BucketTable>
  private let alarmAddresses: Mutex<BucketTable>
  private let accounts: Mutex<BucketTable>
  private let alarmAccounts: Mutex<BucketTable>
  private let searchingAccounts: Mutex<BucketTable>

  /// Creates limits with full buckets. With `isApplied` false every check is computed, and none
  /// refuses (`TRACKME_RATE_LIMITS=checked`).
  package init(
    isApplied: Bool = true,
    address: RateLimit = RateLimits.address, guarded: RateLimit = RateLimits.guarded,
    account: RateLimit = RateLimits.account, searches: RateLimit = RateLimits.searches
  ) {
    self.isApplied = isApplied
    addresses = Mutex(BucketTable(address, capacity: Self.capacity))
    guardedAddresses = Mutex(BucketTable(guarded, capacity: Self.capacity))
    alarmAddresses = Mutex(BucketTable(address, capacity: Self.capacity))
    accounts = Mutex(BucketTable(account, capacity: Self.capacity))
    alarmAccounts = Mutex(BucketTable(account, capacity: Self.capacity))
    searchingAccounts = Mutex(BucketTable(searches, capacity: Self.capacity))
  }

  /// Takes a token for an address; returns how long to wait, or nil on success and if the limits
  /// are not applied.
  func takeAddress(_ peer: PeerAddress, rate: Endpoint.Rate, at now: MonotonicInstant) -> Duration?
  {
    let wait = waitOfAddress(peer, rate: rate, at: now)
    return isApplied ? wait : nil
  }

  private func waitOfAddress(
    _ peer: PeerAddress, rate: Endpoint.Rate, at now: MonotonicInstant
  ) -> Duration? {
    let key = BucketKey(peer)
    if rate == .alarms { return alarmAddresses.withLock { $0.take(key, at: now) } }
    if let wait = addresses.withLock({ $0.take(key, at: now) }) { return wait }
    guard rate == .guarded else { return nil }
    return guardedAddresses.withLock { $0.take(key, at: now) }
  }

  /// Takes a token for an account, as `takeAddress`.
  func takeAccount(
    _ account: Int64, rate: Endpoint.Rate, at now: MonotonicInstant
  ) -> Duration? {
    let wait = waitOfAccount(account, rate: rate, at: now)
    return isApplied ? wait : nil
  }

  private func waitOfAccount(
    _ account: Int64, rate: Endpoint.Rate, at now: MonotonicInstant
  ) -> Duration? {
    let key = BucketKey(high: 3, low: UInt64(bitPattern: account))
    if rate == .alarms { return alarmAccounts.withLock { $0.take(key, at: now) } }
    if let wait = accounts.withLock({ $0.take(key, at: now) }) { return wait }
    guard rate == .searches else { return nil }
    return searchingAccounts.withLock { $0.take(key, at: now) }
  }
}

extension BucketKey {
  /// The key of an IPv4 address, or of an IPv6 client's network.
  init(_ peer: PeerAddress) {
    switch peer.network {
    case .ipv4(let address, _): self.init(high: 1, low: UInt64(address))
    case .ipv6(let network, _, _): self.init(high: 2 &+ network, low: 2)
    case .unix: self.init(high: 0, low: 1)
    }
  }
}
