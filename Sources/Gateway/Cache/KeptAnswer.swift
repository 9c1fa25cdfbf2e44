import EventLoop
import HTTP

/// An answer of a replica that is given again for a moment. For its loop.
package final class KeptAnswer {
  /// Bytes of a body that are kept at most.
  package static let bodyBytesMax = 1024 * 1024
  /// What an answer takes beside its bytes, roughly: entries of tables, heads of arrays.
  private static let overheadBytes = 512

  /// The head without what is made for each request.
  package let head: ResponseHead
  /// The whole body.
  package let body: [UInt8]
  /// When a replica was asked for it: it knows of nothing later.
  let askedAt: MonotonicInstant
  /// The changes that there had been then.
  let change: UInt64
  /// Until when it is given as it is.
  let freshUntil: MonotonicInstant
  /// Until when it is given while a newer one is under way (RFC 5861, section 3).
  let staleUntil: MonotonicInstant
  /// The run that whoever asks this watches by polling.
  let polledRun: PolledRun?
  /// Whether a newer one is under way.
  var isBeingRefreshed = false

  /// An answer to a question that was asked then, to be kept for that long.
  package init(
    _ head: ResponseHead, _ body: [UInt8], askedAt: MonotonicInstant, change: UInt64,
    keptFor: Duration, polledRun: PolledRun? = nil
  ) {
    self.polledRun = polledRun
    self.head = head
    self.body = body
    self.askedAt = askedAt
    self.change = change
    freshUntil = askedAt + keptFor
    staleUntil = freshUntil + keptFor
  }

  /// The memory that it takes.
  var bytes: Int { body.count + Self.overheadBytes }
}
