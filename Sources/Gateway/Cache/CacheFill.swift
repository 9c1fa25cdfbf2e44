import HTTP
import Time

/// A response that is collected while it is relayed, to be cached once complete. Confined to its
/// loop.
package final class CacheFill {
  let key: [UInt8]
  /// When the request was sent, and the value of the change counter at that time.
  let askedAt: MonotonicInstant
  let change: UInt64
  let keptFor: Duration
  /// The head to cache; nil until it has arrived.
  private var head: ResponseHead?
  private var body: [UInt8] = []
  /// The run that a client watches by polling with this request.
  var polledRun: PolledRun?
  /// Whether the replica had to wait for the client.
  var isSlow = false

  init(_ key: [UInt8], at now: MonotonicInstant, change: UInt64, keptFor: Duration) {
    self.key = key
    askedAt = now
    self.change = change
    self.keptFor = keptFor
  }

  /// The length of the body, once the head has arrived.
  private(set) var bytesExpected = 0

  /// The body length of a response with this head; nil if the response must not be cached. Only a
  /// successful response of known length may be, and only if the service does not restrict storing
  /// it (RFC 9111, section 3).
  static func bytes(of head: borrowing ResponseHead) -> Int? {
    guard head.status == .ok, let length = head.contentLength, length > 0,
      length <= UInt64(CachedResponse.bodyBytesMax),
      head.fields[.cacheControl]?.hasPrefix("public") ?? true, !head.fields.contains(.setCookie),
      !head.fields.contains(.vary)
    else { return nil }
    return Int(length)
  }

  /// Takes the head of a response with `bytes` of body, without the fields that are set per
  /// request.
  func begin(_ head: borrowing ResponseHead, bytes: Int) {
    var kept = copy head
    RelayPhase.clean(&kept)
    kept.fields.remove(.date)
    self.head = kept
    bytesExpected = bytes
    body.reserveCapacity(bytes)
  }

  /// Appends a part of the body.
  package func take(_ part: Span<UInt8>) { body.append(copying: part) }

  /// The response; nil until it is complete.
  var answer: CachedResponse? {
    guard let head, body.count == bytesExpected else { return nil }
    return CachedResponse(
      head, body, askedAt: askedAt, change: change, keptFor: keptFor, polledRun: polledRun)
  }
}
