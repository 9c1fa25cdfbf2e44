import CNghttp2

// The callbacks of nghttp2 ("the library"), which find their session and forward to it.
//
// SAFETY: (of everything in this file) `user` is the pointer to itself that HTTP2Session passed
// when it was created. The library calls back only inside nghttp2_session_mem_recv, _mem_send and
// _submit functions, which methods of the session call, so the session is alive, and all calls are
// on one thread. Frames, names, values and bytes belong to the library and are valid during the
// callback; no pointer to them is kept. The pointer stored for a stream or a body refers to an
// HTTP2Stream that the session retains until the library has closed the stream.

enum HTTP2Callbacks {
  /// The table of callbacks; sessions copy it.
  static nonisolated(unsafe) let shared: OpaquePointer? = unsafe make()

  /// Calls `body` with the data provider for a stream's body; nil if the body is empty.
  static func withBodyProvider<Result>(
    _ stream: HTTP2Stream, isEmpty: Bool,
    _ body: (UnsafePointer<nghttp2_data_provider>?) -> Result
  ) -> Result {
    guard !isEmpty else { return body(nil) }
    let provider = unsafe nghttp2_data_provider(
      source: nghttp2_data_source(ptr: Unmanaged.passUnretained(stream).toOpaque()),
      read_callback: provideBody)
    return unsafe withUnsafePointer(to: provider) { unsafe body($0) }
  }

  private static func make() -> OpaquePointer? {
    var made: OpaquePointer?
    guard unsafe nghttp2_session_callbacks_new(&made) == 0, let table = unsafe made else {
      return nil
    }
    unsafe nghttp2_session_callbacks_set_on_begin_frame_callback(table, began)
    unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(table, beganHead)
    unsafe nghttp2_session_callbacks_set_on_header_callback(table, receivedField)
    unsafe nghttp2_session_callbacks_set_on_invalid_header_callback(table, receivedInvalidField)
    unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(table, receivedBody)
    unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(table, received)
    unsafe nghttp2_session_callbacks_set_on_frame_send_callback(table, sent)
    unsafe nghttp2_session_callbacks_set_on_frame_not_send_callback(table, failedToSend)
    unsafe nghttp2_session_callbacks_set_send_data_callback(table, sendBody)
    unsafe nghttp2_session_callbacks_set_on_stream_close_callback(table, closed)
    return unsafe table
  }
}

/// Calls `body` with the session, without retaining it: the caller keeps it alive.
private func withSession<Result>(
  _ user: UnsafeMutableRawPointer?, else missing: Result, _ body: (HTTP2Session) -> Result
) -> Result {
  guard let user = unsafe user else { return missing }
  return unsafe Unmanaged<HTTP2Session>.fromOpaque(user)._withUnsafeGuaranteedRef(body)
}

private let began: nghttp2_on_begin_frame_callback = { _, header, user in
  guard let header = unsafe header else { return 0 }
  return unsafe withSession(user, else: 0) { session in
    unsafe session.began(header.pointee)
    return 0
  }
}

private let beganHead: nghttp2_on_begin_headers_callback = { _, frame, user in
  guard let frame = unsafe frame else { return 0 }
  return unsafe withSession(user, else: 0) { session in unsafe session.beganHead(frame.pointee) }
}

private let receivedField: nghttp2_on_header_callback = {
  _, _, name, nameCount, value, valueCount, _, user in
  unsafe withSession(user, else: 0) { session in
    let name = unsafe UnsafeBufferPointer(start: name, count: nameCount)
    let value = unsafe UnsafeBufferPointer(start: value, count: valueCount)
    unsafe session.received(name.span, value.span)
    return 0
  }
}

/// Resets the stream; by default the library would drop the field and continue.
private let receivedInvalidField: nghttp2_on_invalid_header_callback = {
  _, _, _, _, _, _, _, _ in NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
}

private let receivedBody: nghttp2_on_data_chunk_recv_callback = {
  _, _, id, bytes, count, user in
  unsafe withSession(user, else: 0) { session in
    unsafe session.receivedBody(id, UnsafeBufferPointer(start: bytes, count: count).span)
    return 0
  }
}

private let received: nghttp2_on_frame_recv_callback = { _, frame, user in
  guard let frame = unsafe frame else { return 0 }
  return unsafe withSession(user, else: 0) { session in
    unsafe session.received(frame.pointee)
    return 0
  }
}

private let sent: nghttp2_on_frame_send_callback = { _, frame, user in
  guard let frame = unsafe frame else { return 0 }
  let header = unsafe frame.pointee.hd
  let code =
    switch UInt32(header.type) {
    case NGHTTP2_RST_STREAM.rawValue: unsafe frame.pointee.rst_stream.error_code
    case NGHTTP2_GOAWAY.rawValue: unsafe frame.pointee.goaway.error_code
    case NGHTTP2_HEADERS.rawValue: unsafe UInt32(clamping: frame.pointee.headers.nvlen)
    default: UInt32(0)
    }
  return unsafe withSession(user, else: 0) { session in
    session.sent(header, code: code)
    return 0
  }
}

private let failedToSend: nghttp2_on_frame_not_send_callback = { _, frame, _, user in
  guard let frame = unsafe frame else { return 0 }
  return unsafe withSession(user, else: 0) { session in
    unsafe session.failedToSend(frame.pointee.hd)
    return 0
  }
}

private let closed: nghttp2_on_stream_close_callback = { _, id, code, user in
  unsafe withSession(user, else: 0) { session in
    session.closed(id, code)
    return 0
  }
}

private let failure = NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue

/// Returns how many bytes of a stream's body the library may frame now, at most `room`.
private let provideBody: nghttp2_data_source_read_callback = {
  _, _, _, room, flags, source, user in
  guard let pointer = unsafe source?.pointee.ptr, let flags = unsafe flags else {
    return Int(failure)
  }
  let stream = unsafe Unmanaged<HTTP2Stream>.fromOpaque(pointer)
  return unsafe stream._withUnsafeGuaranteedRef { stream in
    let answer = stream.offerBody(room)
    unsafe flags.pointee |= answer.flags
    return answer.count
  }
}

/// Moves a frame's header and its announced bytes directly to the output, bypassing the library's
/// buffer.
private let sendBody: nghttp2_send_data_callback = {
  _, _, header, count, source, user in
  guard let pointer = unsafe source?.pointee.ptr else { return failure }
  let stream = unsafe Unmanaged<HTTP2Stream>.fromOpaque(pointer)
  let header = unsafe UnsafeBufferPointer(start: header, count: 9)
  return unsafe withSession(user, else: failure) { session in
    unsafe stream._withUnsafeGuaranteedRef { stream in
      unsafe session.sendBody(header.span, count, of: stream)
    }
  }
}
