import EventLoop
import HTTP
import PublicAPI
import Synchronization

/// The limits of rate (GW-5), shared by all loops; the tables never grow.
package final class RateLimits: Sendable {
  /// What one address may do: an IPv4 address may stand for a whole office.
  package static let address = RateLimit(burst: 2000, perSecond: 500)
  /// What one address may do where a secret could be guessed or mailboxes filled.
  package static let guarded = RateLimit(burst: 30, perSecond: 0.5)
  /// What one account may do.
  package static let account = RateLimit(burst: 500, perSecond: 100)
  /// What one account may search for by name: as fast as somebody types a few names, not as fast
  /// as a program that tries all beginnings.
  package static let searches = RateLimit(burst: 30, perSecond: 0.5)
  /// Buckets of each table: 1.5 MiB.
  private static let capacity = 65_536

  private let addresses: Mutex<BucketTable>
  private let guardedAddresses: Mutex<BucketTable>
  private let alarmAddresses: Mutex<BucketTable>
  private let accounts: Mutex<BucketTable>
  private let alarmAccounts: Mutex<BucketTable>
  private let searchingAccounts: Mutex<BucketTable>

  /// Limits with full buckets.
  package init(
    address: RateLimit = RateLimits.address, guarded: RateLimit = RateLimits.guarded,
    account: RateLimit = RateLimits.account, searches: RateLimit = RateLimits.searches
  ) {
    addresses = Mutex(BucketTable(address, capacity: Self.capacity))
    guardedAddresses = Mutex(BucketTable(guarded, capacity: Self.capacity))
    alarmAddresses = Mutex(BucketTable(address, capacity: Self.capacity))
    accounts = Mutex(BucketTable(account, capacity: Self.capacity))
    alarmAccounts = Mutex(BucketTable(account, capacity: Self.capacity))
    searchingAccounts = Mutex(BucketTable(searches, capacity: Self.capacity))
  }

  /// Takes one for an address; nil if it may go on, else how long to wait.
  func takeAddress(_ peer: PeerAddress, rate: Endpoint.Rate, at now: MonotonicInstant) -> Duration?
  {
    let key = BucketKey(peer)
    if rate == .alarms { return alarmAddresses.withLock { $0.take(key, at: now) } }
    if let wait = addresses.withLock({ $0.take(key, at: now) }) { return wait }
    guard rate == .guarded else { return nil }
    return guardedAddresses.withLock { $0.take(key, at: now) }
  }

  /// Takes one for an account; nil if it may go on, else how long to wait.
  func takeAccount(
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
  /// An IPv4 address, or the network of an IPv6 client.
  init(_ peer: PeerAddress) {
    switch peer.network {
    case .ipv4(let address, _): self.init(high: 1, low: UInt64(address))
    case .ipv6(let network, _, _): self.init(high: 2 &+ network, low: 2)
    case .unix: self.init(high: 0, low: 1)
    }
  }
}
