import Time

/// The attempts to send one request to replicas, and the wait for a replica.
struct UpstreamAttempts {
  private(set) var count = 0
  /// The replicas that received the request, one bit each.
  private(set) var tried: UInt64 = 0
  /// When the request first found no replica.
  private var waitingSince: MonotonicInstant?

  /// Records an attempt at the replica of this index; true if it is the first.
  mutating func begin(to index: Int) -> Bool {
    count += 1
    tried |= 1 << UInt64(index)
    return count == 1
  }

  /// Records that no replica accepts the request now; returns when the wait began.
  mutating func wait(at now: MonotonicInstant) -> MonotonicInstant {
    let since = waitingSince ?? now
    waitingSince = since
    return since
  }
}
