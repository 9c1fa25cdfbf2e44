/// Receives the events of a session; called inside `receive`, on the session's thread.
///
/// These methods may call any method of the session and its streams, but `pullOutput` returns
/// nothing until `receive` has returned.
package protocol HTTP2SessionDelegate: AnyObject {
  /// The client sent a request. Set `stream.handler` to receive the rest, then answer. Servers
  /// only.
  func received(_ head: consuming RequestHead, on stream: HTTP2Stream)
  /// A request exceeded a limit (431 head too large, 414 target too long), asks for a tunnel or has
  /// an invalid authority (400). Answer it with this status; the rest of the request is discarded.
  func refused(_ status: HTTPStatus, on stream: HTTP2Stream)
  /// The peer sent GOAWAY: it opens no streams and accepts none above `lastStream`. Streams above
  /// it were closed as unprocessed.
  func receivedGoAway(_ code: HTTP2ErrorCode, lastStream: Int32)
  /// The peer sent its settings: `peerStreamsMax` is now the peer's value.
  func receivedSettings()
  /// The response to `ping`.
  func receivedPong(_ payload: UInt64)
}

extension HTTP2SessionDelegate {
  package func received(_ head: consuming RequestHead, on stream: HTTP2Stream) {
    stream.reset(.refusedStream)
  }

  package func refused(_ status: HTTPStatus, on stream: HTTP2Stream) {
    stream.reset(.refusedStream)
  }

  package func receivedGoAway(_ code: HTTP2ErrorCode, lastStream: Int32) {}
  package func receivedSettings() {}
  package func receivedPong(_ payload: UInt64) {}
}

/// Receives the events of a stream: `received(_:on:)` (clients only), any number of
/// `received(body:)`, `receivedEnd`, and finally `closed`, always exactly once.
package protocol HTTP2StreamHandler: AnyObject {
  /// The head of the final response; 1xx responses are not reported.
  func received(_ head: ResponseHead, on stream: HTTP2Stream)
  /// Part of the body, valid only during the call. On return it counts as consumed and its
  /// flow-control credit is returned to the peer, unless `pauseBody` was called before.
  func received(body: Span<UInt8>, on stream: HTTP2Stream)
  /// The peer's message is complete; `trailers` is nil if it sent none.
  func receivedEnd(trailers: HTTPFields?, on stream: HTTP2Stream)
  /// The queue of a congested stream fell to the low-water mark; called inside `pullOutput` or
  /// `receive`.
  func drained(_ stream: HTTP2Stream)
  /// The stream is closed: no more events follow, and later sends are ignored.
  func closed(_ closure: HTTP2Closure, on stream: HTTP2Stream)
}

extension HTTP2StreamHandler {
  package func received(_ head: ResponseHead, on stream: HTTP2Stream) {}
  package func drained(_ stream: HTTP2Stream) {}
}

/// How a stream ended.
package struct HTTP2Closure: Hashable, Sendable {
  /// What ended the stream.
  package enum Cause: Hashable, Sendable {
    /// Both messages, or a server's complete response, were sent without an error.
    case finished
    /// The peer reset the stream.
    case resetByPeer(HTTP2ErrorCode)
    /// This side reset the stream, because its owner requested it or the peer violated the
    /// protocol.
    case resetHere(HTTP2ErrorCode)
    /// The connection ended before the stream.
    case connectionLost
  }

  /// The cause of the end.
  package var cause: Cause
  /// Whether the peer's message was received completely.
  package var isReceivedWhole: Bool
  /// Whether this side's message was sent completely.
  package var isSentWhole: Bool
  /// Whether the peer certainly did not process a client's request, so that any method may be
  /// retried: it was never sent, or refused as unprocessed (RFC 9113, section 8.7).
  package var isUnprocessed: Bool
}
