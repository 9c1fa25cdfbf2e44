import EventLoop

/// Handles one request; the server's factory creates one handler per stream.
///
/// All calls are on the connection's loop, in this order: `received(head:)`, any number of
/// `received(body:)`, `receivedEnd`. `aborted` may replace the rest and is then the last call.
/// `drained` may be called at any time before.
package protocol RequestHandler: AnyObject {
  /// The head was read. `stream` is for the response and may be kept until the stream ends.
  func received(head: consuming RequestHead, on stream: any ServerStream)
  /// Part of the body was read; the bytes are valid only during the call.
  func received(body: Span<UInt8>)
  /// The request was read completely.
  func receivedEnd()
  /// The peer disconnected, violated the protocol or was too slow; later sends are ignored.
  func aborted(_ reason: StreamAbort)
  /// `bufferedBytes` fell below the low-water mark after exceeding the high-water mark.
  func drained()
}

/// Why a request was aborted.
package enum StreamAbort: Sendable, Hashable {
  /// The client closed or reset the connection or the stream.
  case peerClosed
  /// The client was too slow; the server sent 408 if no response had begun.
  case timedOut
  /// The body violated its framing or the server's limit; 400 or 413 was sent if still possible.
  case malformed
  /// The server is stopping and its deadline has passed.
  case stopping
}

/// Sends the response to one request. On its connection's loop only.
///
/// Calls after the end of the response, `reset` or `aborted` are ignored.
package protocol ServerStream: AnyObject {
  /// The loop of this stream's connection.
  var loop: EventLoop { get }
  /// The address of the client.
  var peer: PeerAddress { get }
  /// Whether the connection uses TLS.
  var isSecure: Bool { get }
  /// Bytes sent on this stream that the connection has not yet passed to the kernel.
  var bufferedBytes: Int { get }
  /// Whether the high-water mark is exceeded: wait for `drained` before sending much more.
  var isCongested: Bool { get }
  /// Recommended number of buffered bytes for a large body: a share of the connection's limit.
  var room: Int { get }
  /// Reserves `room`, or less, for bytes that were requested but have not arrived, until the stream
  /// ends; returns it.
  func reserveRoom(atMost bytesMax: Int) -> Int
  /// Makes the stream congested while any byte waits for the client's flow-control window, so that
  /// `reset` can discard nearly all of a response that the client does not read. Bytes that the
  /// socket or a granted window has taken may still arrive. HTTP/1.1 has no such window: bytes wait
  /// in the socket, whose send queue the kernel discards when `reset` closes the connection.
  func limitBuffering()
  /// Sends the head; a second call is ignored. With `endStream` the response has no body.
  func send(head: consuming ResponseHead, endStream: Bool)
  /// Sends part of the body. Exceeding Content-Length resets the stream.
  func send(body: Span<UInt8>, endStream: Bool)
  /// Aborts the response, so that the client detects that it is incomplete: resets the stream, or
  /// closes the connection in HTTP/1.1.
  func reset()
  /// Pauses `received(body:)` until `resumeBody`, so that the client has to wait. Called inside
  /// `received(head:)`, it also holds back `100 Continue`.
  func pauseBody()
  /// Resumes the body.
  func resumeBody()
}

extension ServerStream {
  /// Sends a complete response.
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
