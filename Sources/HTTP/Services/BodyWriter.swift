import EventLoop

/// Writes a response's body piece by piece, waiting while the client is slower than the writer.
// SAFETY: confined to its loop, which every entry point asserts; one made by `init()` has no loop
// and is for the single task of a test.
package final class BodyWriter: @unchecked Sendable {
  /// Why writing has become pointless.
  package enum Failure: Error, Sendable, Equatable {
    /// The client went away or took nothing for too long.
    case aborted
  }

  private let stream: (any ServerStream)?
  private let collectedMax: Int
  private var isAborted = false
  private let waiter = Waiter()
  /// How long the client was waited for, and since when it is.
  private var waited = Duration.zero
  private var waitingSince: MonotonicInstant?

  /// Bytes written so far.
  package private(set) var bytesWritten: UInt64 = 0
  /// What was written to a writer without a stream.
  package private(set) var collected: [UInt8] = []

  init(stream: any ServerStream) {
    self.stream = stream
    collectedMax = 0
  }

  /// A writer that collects, for tests of handlers; its client goes away rather than take more
  /// than so many bytes.
  package init(bytesMax: Int = .max) {
    stream = nil
    collectedMax = bytesMax
  }

  /// Sends the bytes, and returns once there is room for more.
  ///
  /// - Throws: `Failure` when the client is gone.
  package func write(_ bytes: [UInt8]) async throws(Failure) {
    guard let stream else {
      guard collected.count + bytes.count <= collectedMax else { throw .aborted }
      collected += bytes
      return
    }
    stream.loop.assertCurrent()
    guard !isAborted else { throw .aborted }
    bytesWritten += UInt64(bytes.count)
    stream.send(body: bytes.span, endStream: false)
    waitingSince = stream.loop.now
    while stream.isCongested, !isAborted { await waiter.wait() }
    waited = totalWaited
    waitingSince = nil
    if isAborted { throw .aborted }
  }

  private var totalWaited: Duration {
    guard let stream, let waitingSince else { return waited }
    return waited + (stream.loop.now - waitingSince)
  }

  /// Breaks off where the client takes less than so much in a window and was waited for through
  /// most of it: for answers that hold what others want to have too.
  package func demand(bytesPerSecond: Int, over window: Duration) {
    guard let stream else { return }
    let (bytes, waited) = (bytesWritten, totalWaited)
    let least = UInt64(bytesPerSecond) * UInt64(max(0, window.wholeNanoseconds)) / 1_000_000_000
    stream.loop.schedule(after: window) { [weak self] in
      guard let self, !isAborted else { return }
      let isSlow = bytesWritten - bytes < least && totalWaited - waited > window / 2
      if isSlow { abort() } else { demand(bytesPerSecond: bytesPerSecond, over: window) }
    }
  }

  // MARK: From the stream

  func drained() { waiter.wake() }

  func abort() {
    isAborted = true
    waiter.wake()
  }
}
