import EventLoop
import HTTP

/// A request's body as a stream for one reader; while it is not read, the client has to wait.
// SAFETY: confined to its loop, which every entry point asserts.
package final class BodyReader: @unchecked Sendable {
  /// Why a body ended prematurely.
  package enum Failure: Error, Sendable, Equatable {
    /// The client disconnected, violated the framing or was too slow: no response is possible.
    case aborted
    /// The body exceeds the route's limit; answer 413.
    case tooLarge
  }

  private enum End {
    case complete
    case failed(Failure)
  }

  private let loop: EventLoop?
  private let limit: UInt64
  private weak var stream: (any ServerStream)?
  private var chunks: [[UInt8]] = []
  private var bufferedCount = 0
  private var isPaused = false
  private var end: End?
  private let waiter = Waiter()

  /// Number of bytes read so far.
  package private(set) var bytesRead: UInt64 = 0

  /// Bytes buffered for a slow reader; above this the client has to wait.
  static let bufferedBytesMax = 128 * 1024

  init(stream: any ServerStream, limit: UInt64) {
    self.stream = stream
    self.loop = stream.loop
    self.limit = limit
  }

  /// A body that is already complete, for tests of handlers.
  package init(chunks: [[UInt8]]) {
    self.chunks = chunks
    self.loop = nil
    self.limit = .max
    self.end = .complete
  }

  /// Returns the next part of the body, never empty; nil after the last.
  ///
  /// - Throws: `Failure` if the body ended prematurely or is too large; discard the parts read
  ///   before.
  package func next() async throws(Failure) -> [UInt8]? {
    loop?.assertCurrent()
    while true {
      if !chunks.isEmpty { return takeChunk() }
      switch end {
      case .complete: return nil
      case .failed(let failure): throw failure
      case nil: await waiter.wait()
      }
    }
  }

  private func takeChunk() -> [UInt8] {
    let chunk = chunks.removeFirst()
    bufferedCount -= chunk.count
    bytesRead += UInt64(chunk.count)
    if isPaused, bufferedCount <= Self.bufferedBytesMax / 2 {
      isPaused = false
      stream?.resumeBody()
    }
    return chunk
  }

  // MARK: From the stream

  func received(_ bytes: Span<UInt8>) {
    guard end == nil else { return }
    let total = bytesRead + UInt64(bufferedCount) + UInt64(bytes.count)
    guard total <= limit else { return finish(.failed(.tooLarge)) }
    chunks.append([UInt8](copying: bytes))
    bufferedCount += bytes.count
    if bufferedCount > Self.bufferedBytesMax, !isPaused {
      isPaused = true
      stream?.pauseBody()
    }
    waiter.wake()
  }

  func receivedEnd() { finish(.complete) }

  func fail(_ failure: Failure) {
    chunks.removeAll()
    bufferedCount = 0
    finish(.failed(failure))
  }

  private func finish(_ end: End) {
    guard self.end == nil else { return }
    self.end = end
    waiter.wake()
  }
}
