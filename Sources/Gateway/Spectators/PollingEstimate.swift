import Bytes
import Domain
import Time

/// A run that spectators poll, as their requests name it.
package enum PolledRun: Hashable, Sendable {
  /// By its number.
  case number(Int64)
  /// By its code.
  case code(String)
}

/// Maps addresses to slots of estimates, by a hash under a key that exists in memory only and
/// changes every day.
package struct SpectatorKey: Sendable {
  private let random: UInt64
  private static let day: Int64 = 86_400_000_000_000

  /// Creates a key from these random bytes.
  package init(random bytes: [UInt8]) {
    random = UInt64(bigEndianBytes: bytes.prefix(8))
  }

  /// The slot of an IPv4 address, or of an IPv6 client's network.
  func slot(of address: BucketKey, at now: MonotonicInstant) -> Int {
    var hasher = Hasher()
    hasher.combine(random)
    hasher.combine(now.nanoseconds / Self.day)
    hasher.combine(address)
    return Int(UInt(bitPattern: hasher.finalize()) % UInt(PollingEstimate.slotCount))
  }
}

/// Estimates how many addresses polled a run within the last minute without storing any of them
/// (RUN-15).
///
/// Linear counting (Whang, Vander-Zanden, Taylor: A linear-time probabilistic counting algorithm,
/// ACM TODS 15, 1990) with a time in place of each bit: an address maps to one of 4,096 slots,
/// which holds only the second of its last hit.
package struct PollingEstimate: Sendable {
  /// The number of slots of an estimate.
  package static let slotCount = 4_096
  /// How long a poll counts, in seconds.
  package static let windowSeconds: UInt32 = 60

  /// The second of the last hit of each slot, from 1; 0 for none.
  private var hitAt = [UInt32](repeating: 0, count: slotCount)
  /// The second of the most recent hit of any slot.
  private(set) var lastHitAt: UInt32 = 0

  /// Creates an estimate of zero.
  package init() {}

  /// Counts a poll that maps to a slot.
  package mutating func hit(_ slot: Int, at now: MonotonicInstant) {
    lastHitAt = Self.second(now)
    hitAt[slot] = lastHitAt
  }

  /// Merges the hits of another estimate.
  package mutating func join(_ other: PollingEstimate) {
    for slot in hitAt.indices { hitAt[slot] = max(hitAt[slot], other.hitAt[slot]) }
    lastHitAt = max(lastHitAt, other.lastHitAt)
  }

  /// Whether no slot was hit within the window.
  package func isIdle(at now: MonotonicInstant) -> Bool { !Self.isCurrent(lastHitAt, at: now) }

  /// The estimated number of addresses within the window: the number that hits this many slots on
  /// average. Exact for a few addresses, and within 5 % up to some 10,000.
  package func count(at now: MonotonicInstant) -> Int {
    let hits = hitAt.count { Self.isCurrent($0, at: now) }
    // The expected number of draws until this many distinct slots are drawn.
    var draws = 0.0
    for drawn in 0..<hits { draws += Double(Self.slotCount) / Double(Self.slotCount - drawn) }
    return Int(draws.rounded())
  }

  private static func isCurrent(_ second: UInt32, at now: MonotonicInstant) -> Bool {
    second != 0 && Self.second(now) - second < windowSeconds
  }

  private static func second(_ now: MonotonicInstant) -> UInt32 {
    UInt32(clamping: now.nanoseconds / 1_000_000_000) + 1
  }
}
