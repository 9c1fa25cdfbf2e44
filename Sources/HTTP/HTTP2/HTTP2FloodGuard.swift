import Time

/// Limits on frames that cause work without carrying content, as token buckets.
package struct HTTP2FloodLimits: Sendable {
  /// Burst of streams ended early: by RST_STREAM of the peer, by a protocol violation for which
  /// this side resets, or by a head over the limits. Covers rapid reset (CVE-2023-44487) and its
  /// server-side variant (CVE-2025-8671).
  package var resetsBurst = 200.0
  /// Sustained rate of such streams per second.
  package var resetsPerSecond = 20.0
  /// Burst of frames without content: PING, SETTINGS, PRIORITY, WINDOW_UPDATE, DATA of a few bytes,
  /// CONTINUATION, unknown types, and DATA and HEADERS on streams that this side has closed.
  /// Covers, among others, the empty frames of CVE-2019-9518.
  package var idleFramesBurst = 1000.0
  /// Sustained rate of such frames per second, in addition to those earned by sent data.
  package var idleFramesPerSecond = 200.0
  /// Idle frames earned by each DATA frame sent: the peer answers it with a WINDOW_UPDATE for
  /// the stream and one for the connection.
  package var idleFramesPerDataFrame = 3.0
  /// Decoded bytes of a head that are not counted, in addition to twice its encoded size.
  package var unpackedBytesFree = 4096
  /// Burst of further decoded bytes: a reference of one byte into the compression table (RFC 7541)
  /// expands to the largest field in the table.
  package var unpackedBytesBurst = 1024.0 * 1024
  /// Sustained rate of such bytes per second.
  package var unpackedBytesPerSecond = 64.0 * 1024

  /// The limits for clients from outside.
  package init() {}

  /// The limits for a client whose network recently sent a flood: a tenth of each burst, with the
  /// same sustained rates. An attacker gains little by reconnecting, and other clients of the
  /// network are still served.
  var wary: HTTP2FloodLimits {
    var limits = self
    limits.resetsBurst /= 10
    limits.idleFramesBurst /= 10
    limits.unpackedBytesBurst /= 10
    return limits
  }

  /// The limits for a peer that forwards many clients' requests, because it also forwards their
  /// resets.
  package static let `internal`: HTTP2FloodLimits = {
    var limits = HTTP2FloodLimits()
    limits.resetsBurst = 20_000
    limits.resetsPerSecond = 5_000
    limits.idleFramesBurst = 100_000
    limits.idleFramesPerSecond = 20_000
    limits.unpackedBytesBurst = .infinity
    return limits
  }()
}

/// Counts a peer's frames without content against the limits; the caller passes the time.
struct HTTP2FloodGuard {
  private let limits: HTTP2FloodLimits
  private var resets: Double
  private var idleFrames: Double
  private var unpackedBytes: Double
  private var refilled: MonotonicInstant?

  /// Starts with full buckets.
  init(_ limits: HTTP2FloodLimits) {
    self.limits = limits
    resets = limits.resetsBurst
    idleFrames = limits.idleFramesBurst
    unpackedBytes = limits.unpackedBytesBurst
  }

  /// Refills the buckets for the time since the last call.
  mutating func advance(to now: MonotonicInstant) {
    defer { refilled = now }
    guard let refilled, now > refilled else { return }
    let seconds = Double((now - refilled).wholeNanoseconds) / 1e9
    resets = min(limits.resetsBurst, resets + seconds * limits.resetsPerSecond)
    idleFrames = min(limits.idleFramesBurst, idleFrames + seconds * limits.idleFramesPerSecond)
    unpackedBytes = min(
      limits.unpackedBytesBurst, unpackedBytes + seconds * limits.unpackedBytesPerSecond)
  }

  /// Whether any limit is exceeded.
  var isExceeded: Bool { resets < 0 || idleFrames < 0 || unpackedBytes < 0 }

  /// Counts a stream that ended early; false if the limit is exceeded.
  mutating func allowsReset() -> Bool {
    resets -= 1
    return resets >= 0
  }

  /// Counts a frame without content; false if the limit is exceeded.
  mutating func allowsIdleFrame() -> Bool {
    idleFrames -= 1
    return idleFrames >= 0
  }

  /// Counts a head of `bytes` decoded bytes sent in `sent` bytes; false if the limit is exceeded.
  mutating func allowsHead(_ bytes: Int, sentIn sent: Int) -> Bool {
    unpackedBytes -= Double(max(0, bytes - 2 * sent - limits.unpackedBytesFree))
    return unpackedBytes >= 0
  }

  /// Credits the peer for a DATA frame sent, which it acknowledges with WINDOW_UPDATEs.
  mutating func sentData() {
    idleFrames = min(limits.idleFramesBurst, idleFrames + limits.idleFramesPerDataFrame)
  }
}
