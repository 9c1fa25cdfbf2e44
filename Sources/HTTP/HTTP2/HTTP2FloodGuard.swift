import EventLoop

/// How many frames that make work without use a peer may send: a stock that refills.
package struct HTTP2FloodLimits: Sendable {
  /// Streams cut short (by the peer's RST_STREAM, by its breaking the protocol so that this side
  /// resets, or by a head over the limits) in one burst: the rapid reset of CVE-2023-44487 and its
  /// reversal, CVE-2025-8671.
  package var resetsBurst = 200.0
  /// Such streams a second in the long run.
  package var resetsPerSecond = 20.0
  /// Frames without content (PING, SETTINGS, PRIORITY, WINDOW_UPDATE, DATA of a few bytes,
  /// CONTINUATION, unknown ones, and DATA and HEADERS on streams that this side has closed) in one
  /// burst: among others the empty frames of CVE-2019-9518.
  package var idleFramesBurst = 1000.0
  /// Such frames a second in the long run, beside those that sent data earns.
  package var idleFramesPerSecond = 200.0
  /// Idle frames earned by each DATA frame sent: the peer answers it with a WINDOW_UPDATE for
  /// the stream and one for the connection.
  package var idleFramesPerDataFrame = 3.0
  /// Bytes of a head that are not counted, beside twice those that it was sent in.
  package var unpackedBytesFree = 4096
  /// Bytes of heads beyond that in one burst: references into the compression table (RFC 7541), of
  /// one byte each, unpack to the largest field that it holds.
  package var unpackedBytesBurst = 1024.0 * 1024
  /// Such bytes a second in the long run.
  package var unpackedBytesPerSecond = 64.0 * 1024

  /// The limits for clients from outside.
  package init() {}

  /// These limits for a client from whose address a flood came a moment ago: a tenth at once, and
  /// as much in the long run. Connecting again gains a flood little, and others at the same
  /// address are still served.
  var wary: HTTP2FloodLimits {
    var limits = self
    limits.resetsBurst /= 10
    limits.idleFramesBurst /= 10
    limits.unpackedBytesBurst /= 10
    return limits
  }

  /// For a peer that carries many clients' requests: a browser's reset arrives here as one.
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

/// Counts a peer's useless frames against the limits; without a clock of its own.
struct HTTP2FloodGuard {
  private let limits: HTTP2FloodLimits
  private var resets: Double
  private var idleFrames: Double
  private var unpackedBytes: Double
  private var refilled: MonotonicInstant?

  /// A full stock.
  init(_ limits: HTTP2FloodLimits) {
    self.limits = limits
    resets = limits.resetsBurst
    idleFrames = limits.idleFramesBurst
    unpackedBytes = limits.unpackedBytesBurst
  }

  /// Refills for the time passed since the last call.
  mutating func advance(to now: MonotonicInstant) {
    defer { refilled = now }
    guard let refilled, now > refilled else { return }
    let seconds = Double((now - refilled).wholeNanoseconds) / 1e9
    resets = min(limits.resetsBurst, resets + seconds * limits.resetsPerSecond)
    idleFrames = min(limits.idleFramesBurst, idleFrames + seconds * limits.idleFramesPerSecond)
    unpackedBytes = min(
      limits.unpackedBytesBurst, unpackedBytes + seconds * limits.unpackedBytesPerSecond)
  }

  /// Whether there were too many of anything.
  var isExceeded: Bool { resets < 0 || idleFrames < 0 || unpackedBytes < 0 }

  /// Counts a stream cut short; false once there were too many.
  mutating func allowsReset() -> Bool {
    resets -= 1
    return resets >= 0
  }

  /// Counts a frame without content; false once there were too many.
  mutating func allowsIdleFrame() -> Bool {
    idleFrames -= 1
    return idleFrames >= 0
  }

  /// Counts a head of `bytes` that came in `sent` bytes; false once heads were unpacked from too
  /// few.
  mutating func allowsHead(_ bytes: Int, sentIn sent: Int) -> Bool {
    unpackedBytes -= Double(max(0, bytes - 2 * sent - limits.unpackedBytesFree))
    return unpackedBytes >= 0
  }

  /// A DATA frame was sent, which the peer will acknowledge.
  mutating func sentData() {
    idleFrames = min(limits.idleFramesBurst, idleFrames + limits.idleFramesPerDataFrame)
  }
}
