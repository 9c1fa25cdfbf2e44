import EventLoop
import HTTP

/// An answer that is gathered while it is relayed, to be kept once it is whole. For its loop.
package final class AnswerFill {
  let question: [UInt8]
  /// When the question was asked, and the changes that there had been.
  let askedAt: MonotonicInstant
  let change: UInt64
  let keptFor: Duration
  /// The head to keep; nil before it has come.
  private var head: ResponseHead?
  private var body: [UInt8] = []
  /// The run that whoever asks this watches by polling.
  var polledRun: PolledRun?
  /// Whether the replica had to wait for the client.
  var isSlow = false

  init(_ question: [UInt8], at now: MonotonicInstant, change: UInt64, keptFor: Duration) {
    self.question = question
    askedAt = now
    self.change = change
    self.keptFor = keptFor
  }

  /// Bytes of the body, once its head has come.
  private(set) var bytesExpected = 0

  /// The bytes of an answer of this head; nil if it is not to be kept: only a success of known
  /// length is, of which the service says nothing that limits who may have it (RFC 9111,
  /// section 3).
  static func bytes(of head: borrowing ResponseHead) -> Int? {
    guard head.status == .ok, let length = head.contentLength, length > 0,
      length <= UInt64(KeptAnswer.bodyBytesMax),
      head.fields[.cacheControl]?.hasPrefix("public") ?? true, !head.fields.contains(.setCookie),
      !head.fields.contains(.vary)
    else { return nil }
    return Int(length)
  }

  /// Takes the head, of so many bytes of body, without what is made for each request.
  func begin(_ head: borrowing ResponseHead, bytes: Int) {
    var kept = copy head
    RelayPhase.clean(&kept)
    kept.fields.remove(.date)
    self.head = kept
    bytesExpected = bytes
    body.reserveCapacity(bytes)
  }

  /// Takes part of the body.
  package func take(_ part: Span<UInt8>) { body.append(copying: part) }

  /// The answer; nil as long as it is not whole.
  var answer: KeptAnswer? {
    guard let head, body.count == bytesExpected else { return nil }
    return KeptAnswer(
      head, body, askedAt: askedAt, change: change, keptFor: keptFor, polledRun: polledRun)
  }
}
