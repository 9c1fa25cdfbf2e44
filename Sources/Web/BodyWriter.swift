import EventLoop
import HTTP
import Time

/// Writes a response's body in pieces, and waits while the client is slower than the writer.
// SAFETY: confined to its loop, which every entry point asserts; one created by `init()` has no
// loop and belongs to a single task of a test.
package final class BodyWriter: @unchecked Sendable {
  /// Why writing has failed.
  package enum Failure: Error, Sendable, Equatable {
    /// The client disconnected or read nothing for too long.
    case aborted
  }

  private let stream: (any ServerStream)?
  private let collectedMax: Int
  private let isRead: @Sendable (BodyWriter) -> Bool
  private var isAborted = false
  private let waiter = Waiter()
  /// Total time of waiting for the client, and the start of the current wait.
  private var waited = Duration.zero
  private var waitingSince: MonotonicInstant?

  /// Number of bytes written so far.
  package private(set) var bytesWritten: UInt64 = 0
  /// The bytes written to a writer without a stream.
  package private(set) var collected: [UInt8] = []
  /// The rate last demanded of a writer without a stream, in bytes per second.
  package private(set) var demandedRate: Int?

  init(stream: any ServerStream) {
    self.stream = stream
    collectedMax = 0
    isRead = { _ in true }
  }

  /// A writer that collects bytes, for tests of handlers; it simulates a client that disconnects
  /// instead of reading more than `bytesMax` bytes. `isRead` is called after each piece; if it
  /// returns false, the client keeps its connection and reads nothing further.
  package init(
    bytesMax: Int = .max, isRead: @escaping @Sendable (BodyWriter) -> Bool = { _ in true }
  ) {
    stream = nil
    collectedMax = bytesMax
    self.isRead = isRead
  }

  /// Sends the bytes, and returns when more can be written.
  ///
  /// - Throws: `Failure` when the client has disconnected.
  package func write(_ bytes: [UInt8]) async throws(Failure) {
    guard let stream else {
      guard !isAborted, collected.count + bytes.count <= collectedMax else { throw .aborted }
      collected += bytes
      while !isRead(self), !isAborted { await waiter.wait() }
      if isAborted { throw .aborted }
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

  /// Makes `write` return only when the connection has taken all bytes, so that `abort` discards
  /// what a slow client has not received.
  package func limitBuffering() { stream?.limitBuffering() }

  private var totalWaited: Duration {
    guard let stream, let waitingSince else { return waited }
    return waited + (stream.loop.now - waitingSince)
  }

  /// Aborts the response if the client reads below this rate during a window and the writer waited
  /// for more than half of it. For responses that occupy a resource others need.
  package func demand(bytesPerSecond: Int, over window: Duration) {
    guard let stream else {
      demandedRate = bytesPerSecond
      return
    }
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

  /// Ends the response without its rest: `write` throws `aborted`, and the stream is reset.
  package func abort() {
    isAborted = true
    stream?.reset()
    waiter.wake()
  }
}
