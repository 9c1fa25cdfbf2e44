import Time

/// A rate limit: a burst, and one more after each pause.
package struct RateLimit: Sendable, Equatable {
  /// How many may come at once after a long idle time.
  package let burst: Int
  /// The pause after which one more may come.
  package let pause: Duration

  /// Creates a limit of `burst` at once and `perSecond` on average.
  package init(burst: Int, perSecond: Double) {
    self.burst = burst
    pause = .nanoseconds(Int64(1e9 / perSecond))
  }
}

/// The subject of a rate limit: an address or an account.
package struct BucketKey: Hashable, Sendable {
  /// The bits of the key.
  package var high: UInt64
  package var low: UInt64

  /// A key of these bits.
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

/// Token buckets in a table of fixed size. A bucket is stored as a single number: the time at which
/// it will be full again (the generic cell rate algorithm, ITU-T I.371).
///
/// A full bucket equals no bucket, so its slot is free. Where all slots that a key may use are
/// taken, the bucket nearest to full is replaced, because it loses least.
package struct BucketTable {
  private struct Slot {
    var key: BucketKey
    var fullAt: Int64
  }

  /// How many slots are probed for a key.
  private static let reach = 8
  private let limit: RateLimit
  private let mask: Int
  private var slots: [Slot]

  /// Creates a table of `capacity` buckets, rounded up to a power of two.
  package init(_ limit: RateLimit, capacity: Int) {
    var size = Self.reach
    while size < capacity { size *= 2 }
    self.limit = limit
    mask = size - 1
    slots = Array(repeating: Slot(key: BucketKey(high: 0, low: 0), fullAt: .min), count: size)
  }

  /// Takes one token from the bucket of `key`; returns nil on success, else how long to wait.
  package mutating func take(_ key: BucketKey, at now: MonotonicInstant) -> Duration? {
    let index = slot(of: key, at: now.nanoseconds)
    let pause = limit.pause.wholeNanoseconds
    let isSame = slots[index].key == key
    let fullAt = max(isSame ? slots[index].fullAt : .min, now.nanoseconds)
    let excess = fullAt + pause - now.nanoseconds - pause * Int64(limit.burst)
    guard excess <= 0 else { return .nanoseconds(excess) }
    slots[index] = Slot(key: key, fullAt: fullAt + pause)
    return nil
  }

  private func slot(of key: BucketKey, at now: Int64) -> Int {
    // Hashed with the process's random seed, so that no client can aim at a slot.
    let start = key.hashValue
    var best = start & mask
    for step in 0..<Self.reach {
      let index = (start &+ step) & mask
      if slots[index].key == key { return index }
      if slots[index].fullAt < slots[best].fullAt { best = index }
    }
    return best
  }
}
