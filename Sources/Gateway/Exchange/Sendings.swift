import EventLoop

/// The sendings of one request to replicas, and the search for them.
struct Sendings {
  private(set) var count = 0
  /// The replicas that had it, a bit each.
  private(set) var tried: UInt64 = 0
  /// When it found no replica for the first time.
  private var waitingSince: MonotonicInstant?

  /// A sending to the replica of this index begins; true if it is the first.
  mutating func begin(to index: Int) -> Bool {
    count += 1
    tried |= 1 << UInt64(index)
    return count == 1
  }

  /// No replica takes it now; since when it waits.
  mutating func wait(at now: MonotonicInstant) -> MonotonicInstant {
    let since = waitingSince ?? now
    waitingSince = since
    return since
  }
}
