import EventLoop

/// What the server calls for one request; the server's factory makes one object per stream.
///
/// All calls come on the connection's loop, in this order: `received(head:)`, any number of
/// `received(body:)`, `receivedEnd`; `aborted` may come instead of the rest, and nothing after it.
/// `drained` may come at any time before.
package protocol RequestHandler: AnyObject {
  /// The head was read. `stream` is there for the answer and may be kept until the stream is over.
  func received(head: consuming RequestHead, on stream: any ServerStream)
  /// Part of the body was read; the bytes are valid during the call only.
  func received(body: Span<UInt8>)
  /// The request was read whole.
  func receivedEnd()
  /// The peer went away, broke the protocol or took too long; what is sent from here on is lost.
  func aborted(_ reason: StreamAbort)
  /// `bufferedBytes` fell under the low-water mark after it had been over the high-water mark.
  func drained()
}

/// Why a request will not be finished.
package enum StreamAbort: Sendable, Hashable {
  /// The client closed or reset the connection or the stream.
  case peerClosed
  /// The client was too slow; the server answered 408 if nothing had been answered yet.
  case timedOut
  /// The body broke its framing or the server's limit; 400 or 413 was sent if still possible.
  case malformed
  /// The server is stopping and its deadline has passed.
  case stopping
}

/// The way to answer one request. On its connection's loop only.
///
/// After the end was sent, `reset` or `aborted`, all calls are ignored.
package protocol ServerStream: AnyObject {
  /// The loop everything of this stream happens on.
  var loop: EventLoop { get }
  /// Who sent the request.
  var peer: PeerAddress { get }
  /// Whether the request came over TLS.
  var isSecure: Bool { get }
  /// Bytes that were sent here and that the connection has not yet handed to the kernel.
  var bufferedBytes: Int { get }
  /// Whether the high-water mark was passed: wait for `drained` before sending much more.
  var isCongested: Bool { get }
  /// Bytes of a large body to have waiting here now: a share of what the connection may keep.
  var room: Int { get }
  /// Sends the head, once; a second call is ignored. With `endStream` there is no body.
  func send(head: ResponseHead, endStream: Bool)
  /// Sends part of the body. More bytes than Content-Length announced reset the stream.
  func send(body: Span<UInt8>, endStream: Bool)
  /// Cuts the answer off, so that the client notices that it is not whole: the stream is reset,
  /// or in HTTP/1.1 the connection closed.
  func reset()
  /// Stops `received(body:)` until `resumeBody`, so that the client has to wait. Called inside
  /// `received(head:)`, it also holds back `100 Continue`.
  func pauseBody()
  /// Lets the body go on.
  func resumeBody()
}

extension ServerStream {
  /// Sends a whole response.
  package func send(head: ResponseHead, body: Span<UInt8>) {
    guard body.count > 0 else { return send(head: head, endStream: true) }
    send(head: head, endStream: false)
    send(body: body, endStream: true)
  }

  /// Sends the end of the response.
  package func sendEnd() {
    send(body: [UInt8]().span, endStream: true)
  }
}
