import EventLoop
import HTTP

/// Caches, for a short time, responses that are the same for every client (decision 0012).
///
/// Each loop has its own cache; the loops share only the change counter. Confined to its loop.
package final class ResponseCache {
  /// Upper limit on the bytes of cached responses.
  package static let bytesMax = 16 * 1024 * 1024
  /// Upper limit on the bytes of large responses being collected at the same time.
  package static let gatheredBytesMax = 4 * 1024 * 1024
  /// Responses up to this size count as small: the replica never has to wait for the client while
  /// one is collected.
  package static let smallBytesMax = 64 * 1024

  private let loop: EventLoop
  private let changes: ChangeCounter
  /// The interval after which the younger generation of responses becomes the elder.
  private let generation: Duration
  private var table = ResponseTable(bytesMax: bytesMax)
  private var gatheredBytes = 0
  private var timer: LoopTimer?

  /// Creates an empty cache; `keptForMax` is the longest time for which any response is kept.
  package init(_ changes: ChangeCounter, keptForMax: Duration, on loop: EventLoop) {
    self.changes = changes
    self.loop = loop
    // No response is served after twice that time.
    generation = keptForMax * 2
  }

  /// The memory that the cached responses occupy, in bytes.
  package var bytes: Int { table.bytes }

  /// How to handle a cache key.
  package enum Finding {
    /// The cache holds this response.
    case answer(CachedResponse)
    /// A replica is asked, and its response is collected.
    case fill(CacheFill)
  }

  /// The cached response for a key, or the fill that produces one.
  package func find(_ key: [UInt8], keptFor: Duration) -> Finding {
    let change = changes.value
    if let answer = table.find(key, change: change, at: loop.now) { return .answer(answer) }
    return .fill(CacheFill(key, at: loop.now, change: change, keptFor: keptFor))
  }

  /// Starts collecting a response; false if it must not be cached, or if too many bytes are being
  /// collected.
  package func begin(_ fill: CacheFill, _ head: borrowing ResponseHead) -> Bool {
    guard let bytes = CacheFill.bytes(of: head) else { return false }
    let room = Self.room(for: bytes)
    guard gatheredBytes + room <= Self.gatheredBytesMax else { return false }
    gatheredBytes += room
    fill.begin(head, bytes: bytes)
    return true
  }

  /// Ends a fill. Caches its response if that is complete and nothing has changed since the
  /// request; otherwise drops the response that it was to replace.
  package func end(_ fill: CacheFill) {
    gatheredBytes -= Self.room(for: fill.bytesExpected)
    guard let answer = fill.answer, fill.change == changes.value else {
      return table.drop(fill.key, askedAt: fill.askedAt)
    }
    table.keep(answer, for: fill.key)
    planAgeing()
  }

  private static func room(for bytes: Int) -> Int { bytes > smallBytesMax ? bytes : 0 }

  /// Drops everything.
  package func stop() {
    timer?.cancel()
    timer = nil
    table = ResponseTable(bytesMax: Self.bytesMax)
  }

  private func planAgeing() {
    guard timer == nil, table.bytes > 0 else { return }
    timer = loop.schedule(after: generation) { [self] in
      timer = nil
      table.age()
      planAgeing()
    }
  }
}
