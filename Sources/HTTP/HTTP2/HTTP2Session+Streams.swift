import CNghttp2

// Calls of streams into the library.

extension HTTP2Session {
  /// The bytes of bodies for which the peer's window of the connection has room.
  var windowBytes: Int {
    // SAFETY: the session is valid until deinit.
    Int(max(0, unsafe nghttp2_session_get_remote_window_size(raw)))
  }

  func submit(_ head: consuming ResponseHead, on stream: HTTP2Stream, endStream: Bool) {
    stream.waitingHead = consume head
    // SAFETY: the provider points to the stream, which the session retains until the library closes
    // it. The head is encoded when the library sends its empty block.
    let code = unsafe HTTP2Callbacks.withBodyProvider(stream, isEmpty: endStream) { provider in
      unsafe nghttp2_submit_response(raw, stream.id, nil, 0, provider)
    }
    if code != 0 { stream.reset(.internalError) }
  }

  func submitContinue(on stream: HTTP2Stream) {
    // SAFETY: the library copies the lines.
    unsafe writer.withLines(of: ResponseHead(.continue), isInterim: true) { lines, count in
      _ = unsafe nghttp2_submit_headers(
        raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, nil, lines, count, nil)
    }
  }

  /// Queues the trailer; called while the library reads the end of the body.
  func submitTrailers(_ trailers: HTTPFields, on stream: HTTP2Stream) -> Bool {
    // SAFETY: the library copies the lines.
    unsafe writer.withLines(of: trailers) { lines, count in
      unsafe nghttp2_submit_trailer(raw, stream.id, lines, count) == 0
    }
  }

  func submitReset(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode) {
    // SAFETY: the session is valid until deinit.
    unsafe nghttp2_submit_rst_stream(
      raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, code.rawValue)
  }

  /// Makes the library read the body again after it was deferred.
  func resume(_ stream: HTTP2Stream) {
    guard stream.isDeferred else { return }
    stream.isDeferred = false
    // SAFETY: the session is valid until deinit.
    unsafe nghttp2_session_resume_data(raw, stream.id)
  }
}
