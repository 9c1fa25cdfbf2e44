import HTTP
import Time

/// A replica's response that is served again for a short time. Confined to its loop.
package final class CachedResponse {
  /// The largest body that is cached, in bytes.
  package static let bodyBytesMax = 1024 * 1024
  /// Approximate memory of a response besides its bytes: table entries and array headers.
  private static let overheadBytes = 512

  /// The head without the fields that are set per request.
  package let head: ResponseHead
  /// The whole body.
  package let body: [UInt8]
  /// When a replica was asked for it; the response reflects no later change.
  let askedAt: MonotonicInstant
  /// The value of the change counter at that time.
  let change: UInt64
  /// The end of the time in which it is served without a refresh.
  let freshUntil: MonotonicInstant
  /// The end of the time in which it is served while a refresh is in progress (RFC 5861, section
  /// 3).
  let staleUntil: MonotonicInstant
  /// The run that a client watches by polling with this request.
  let polledRun: PolledRun?
  /// Whether a refresh is in progress.
  var isBeingRefreshed = false

  /// Creates a response to a request sent at `askedAt`, to be cached for `keptFor`.
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

  /// The memory that it occupies, in bytes.
  var bytes: Int { body.count + Self.overheadBytes }
}
