import Domain
import EventLoop

/// A run that spectators poll, as they name it.
package enum PolledRun: Hashable, Sendable {
  /// By its number.
  case number(Int64)
  /// By its code.
  case code(String)
}

/// Leads addresses to slots of estimates, by a hash under a key that is in memory alone and another
/// one every day.
package struct SpectatorKey: Sendable {
  private let random: UInt64
  private static let day: Int64 = 86_400_000_000_000

  /// A key of these random bytes.
  package init(random bytes: [UInt8]) {
    random = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The slot of an address, or of the network that an IPv6 client has whole.
  func slot(of address: BucketKey, at now: MonotonicInstant) -> Int {
    var hasher = Hasher()
    hasher.combine(random)
    hasher.combine(now.nanoseconds / Self.day)
    hasher.combine(address)
    return Int(UInt(bitPattern: hasher.finalize()) % UInt(PollingEstimate.slotCount))
  }
}

/// Estimates how many addresses polled a run within the last minute, and keeps none of them
/// (RUN-15).
///
/// Linear counting (Whang, Vander-Zanden, Taylor: A linear-time probabilistic counting algorithm,
/// ACM TODS 15, 1990) with a time in place of each bit: an address leads to one of 4,096 slots,
/// which holds nothing but the second of its last hit.
package struct PollingEstimate: Sendable {
  /// Slots of an estimate.
  package static let slotCount = 4_096
  /// For how many seconds a poll counts.
  package static let windowSeconds: UInt32 = 60

  /// The second of the last hit of each slot, from 1; 0 for none.
  private var hitAt = [UInt32](repeating: 0, count: slotCount)
  /// The second of the last hit of all.
  private(set) var lastHitAt: UInt32 = 0

  /// An estimate of nobody.
  package init() {}

  /// Counts a poll that leads to a slot.
  package mutating func hit(_ slot: Int, at now: MonotonicInstant) {
    lastHitAt = Self.second(now)
    hitAt[slot] = lastHitAt
  }

  /// Joins the hits of another one.
  package mutating func join(_ other: PollingEstimate) {
    for slot in hitAt.indices { hitAt[slot] = max(hitAt[slot], other.hitAt[slot]) }
    lastHitAt = max(lastHitAt, other.lastHitAt)
  }

  /// Whether nothing was hit within the window.
  package func isIdle(at now: MonotonicInstant) -> Bool { !Self.isCurrent(lastHitAt, at: now) }

  /// How many addresses there were within the window: so many as hit that many slots on the
  /// average, which is exact for a few and within 5 % up to some 10,000.
  package func count(at now: MonotonicInstant) -> Int {
    let hits = hitAt.count { Self.isCurrent($0, at: now) }
    // The expected number of draws until so many of all slots are drawn.
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
