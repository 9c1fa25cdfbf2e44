/// What a session tells its owner; the calls come inside `receive`, on the session's thread.
///
/// The owner may call everything of session and streams from here. `pullOutput` then gives
/// nothing yet: pull after `receive` has returned.
package protocol HTTP2SessionDelegate: AnyObject {
  /// A server's client sends a request: set `stream.handler` for what follows, then answer.
  func received(_ head: RequestHead, on stream: HTTP2Stream)
  /// A request was refused by a limit (431 head too large, 414 target too long); answer it with
  /// that status. What follows of the request is discarded.
  func refused(_ status: HTTPStatus, on stream: HTTP2Stream)
  /// The peer opens no more streams, or takes none above this number; those above were closed
  /// as unprocessed.
  func receivedGoAway(_ code: HTTP2ErrorCode, lastStream: Int32)
  /// The peer has told its settings: `peerStreamsMax` is now its own word.
  func receivedSettings()
  /// The answer to `ping`.
  func receivedPong(_ payload: UInt64)
}

extension HTTP2SessionDelegate {
  package func received(_ head: RequestHead, on stream: HTTP2Stream) {
    stream.reset(.refusedStream)
  }

  package func refused(_ status: HTTPStatus, on stream: HTTP2Stream) {
    stream.reset(.refusedStream)
  }

  package func receivedGoAway(_ code: HTTP2ErrorCode, lastStream: Int32) {}
  package func receivedSettings() {}
  package func receivedPong(_ payload: UInt64) {}
}

/// What a stream tells whoever works on it: `received(_:on:)` (a client's only), any number of
/// `received(body:)`, `receivedEnd`, and at the end, always and once, `closed`.
package protocol HTTP2StreamHandler: AnyObject {
  /// The head of the final response; 1xx responses are not shown.
  func received(_ head: ResponseHead, on stream: HTTP2Stream)
  /// Part of the body, valid during the call only; on return it counts as consumed, and the peer
  /// may send as much again, unless `pauseBody` was called before.
  func received(body: Span<UInt8>, on stream: HTTP2Stream)
  /// The peer's message is whole; `trailers` is nil if it sent none.
  func receivedEnd(trailers: HTTPFields?, on stream: HTTP2Stream)
  /// The queue of a congested stream is short again; called inside `pullOutput` or `receive`.
  func drained(_ stream: HTTP2Stream)
  /// Nothing more will come and what is sent from now on is ignored.
  func closed(_ closure: HTTP2Closure, on stream: HTTP2Stream)
}

extension HTTP2StreamHandler {
  package func received(_ head: ResponseHead, on stream: HTTP2Stream) {}
  package func drained(_ stream: HTTP2Stream) {}
}

/// How a stream ended.
package struct HTTP2Closure: Hashable, Sendable {
  /// Who ended it.
  package enum Cause: Hashable, Sendable {
    /// Both messages, or a server's whole answer, were sent: nothing went wrong.
    case finished
    /// The peer reset the stream.
    case resetByPeer(HTTP2ErrorCode)
    /// This side reset the stream, at its owner's wish or because the peer broke the protocol.
    case resetHere(HTTP2ErrorCode)
    /// The connection ended first.
    case connectionLost
  }

  /// What ended it.
  package var cause: Cause
  /// Whether the peer's message had come whole.
  package var isReceivedWhole: Bool
  /// Whether this side's message had been sent whole.
  package var isSentWhole: Bool
  /// Whether the peer has certainly not acted on a client's request, so that any method may be
  /// sent again: it was never sent, or refused as unprocessed (RFC 9113, section 8.7).
  package var isUnprocessed: Bool
}
