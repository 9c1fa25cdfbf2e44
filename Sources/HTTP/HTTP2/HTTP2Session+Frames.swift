import CNghttp2

// The handlers of the library's callbacks. A method returns 0 to continue, or a value that the
// library documents for its callback.

extension HTTP2Session {
  /// The stream with this identifier, from the library's table.
  func stream(_ id: Int32) -> HTTP2Stream? {
    // SAFETY: the stored pointer refers to a stream that the session retains until the library
    // closes it.
    guard let data = unsafe nghttp2_session_get_stream_user_data(raw, id) else { return nil }
    return unsafe Unmanaged<HTTP2Stream>.fromOpaque(data).takeUnretainedValue()
  }

  /// A frame's first nine bytes were read.
  func began(_ header: nghttp2_frame_hd) {
    if UInt32(header.type) != NGHTTP2_CONTINUATION.rawValue { headStart = nil }
  }

  /// A field block begins; from a client it opens a stream or carries its trailers.
  func beganHead(_ frame: nghttp2_frame) -> Int32 {
    reader.begin()
    headStart = now
    // SAFETY: without push, the library calls this only for HEADERS.
    let category = unsafe frame.headers.cat
    guard !isCutOff, role == .server, category == NGHTTP2_HCAT_REQUEST else { return 0 }
    let id = unsafe frame.hd.stream_id
    let stream = HTTP2Stream(id: id, session: self)
    remember(stream)
    // SAFETY: as in `stream(_:)`.
    return unsafe nghttp2_session_set_stream_user_data(
      raw, id, Unmanaged.passUnretained(stream).toOpaque())
  }

  /// A field line was decoded.
  func received(_ name: Span<UInt8>, _ value: Span<UInt8>) {
    guard !isCutOff else { return }
    reader.add(name, value)
    if reader.isExcessive { cutOff(.enhanceYourCalm) }
  }

  /// Part of a body was read.
  func receivedBody(_ id: Int32, _ bytes: Span<UInt8>) {
    // SAFETY: the session is valid until deinit.
    if !settings.waitingBytesHoldConnectionCredit {
      unsafe nghttp2_session_consume_connection(raw, bytes.count)
    }
    guard let stream = stream(id) else { return returnCredit(of: nil, bytes.count) }
    stream.receive(body: bytes)
  }

  /// A complete, valid frame was read.
  func received(_ frame: nghttp2_frame) {
    guard !isCutOff else { return }
    // SAFETY: the type says which member of the union is set.
    let header = unsafe frame.hd
    switch UInt32(header.type) {
    case NGHTTP2_HEADERS.rawValue:
      headStart = nil
      if let stream = stream(header.stream_id) { receivedHead(header, on: stream) }
    case NGHTTP2_DATA.rawValue:
      if header.isEndOfStream {
        stream(header.stream_id)?.receiveEnd(trailers: nil)
      } else if unsafe header.isPadded && header.length - frame.data.padlen < Self.smallDataBytes,
        header.length >= Self.smallDataBytes, !flood.allowsIdleFrame()
      {
        // Frames whose payload is small including padding are already counted.
        cutOff(.enhanceYourCalm)
      }
    case NGHTTP2_RST_STREAM.rawValue:
      stream(header.stream_id)?.resetReceived = HTTP2ErrorCode(
        rawValue: unsafe frame.rst_stream.error_code)
    case NGHTTP2_SETTINGS.rawValue:
      if !header.isAcknowledgement { owner?.receivedSettings() }
    case NGHTTP2_PING.rawValue:
      guard header.isAcknowledgement else { return }
      let bytes = unsafe frame.ping.opaque_data
      owner?.receivedPong(
        unsafe withUnsafeBytes(of: bytes) {
          unsafe UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self))
        })
    case NGHTTP2_GOAWAY.rawValue:
      let goAway = unsafe frame.goaway
      owner?.receivedGoAway(
        HTTP2ErrorCode(rawValue: unsafe goAway.error_code),
        lastStream: unsafe goAway.last_stream_id)
    default: break
    }
  }

  /// Moves a frame's header and its announced bytes to the output.
  func sendBody(_ header: Span<UInt8>, _ count: Int, of stream: HTTP2Stream) -> Int32 {
    guard output.count < outputBytesMax else { return NGHTTP2_ERR_WOULDBLOCK.rawValue }
    // Announced bytes stay queued until they are moved here, even if the stream is reset.
    guard count <= stream.queuedBytes else { return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue }
    var moved: [UInt8] = []
    swap(&moved, &output)
    moved.append(copying: header)
    if stream.moveBody(count, to: &moved) { drained = drained + [stream] }
    swap(&moved, &output)
    return 0
  }

  /// The library has written a complete frame; `code` is its error code, or the number of lines of
  /// HEADERS. The library closes the stream next, if the frame ends it.
  func sent(_ header: nghttp2_frame_hd, code: UInt32) {
    switch UInt32(header.type) {
    case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
      let stream = stream(header.stream_id)
      if UInt32(header.type) == NGHTTP2_DATA.rawValue {
        // A frame shortened by a small window earns no credit: otherwise a peer with tiny windows
        // would earn as many WINDOW_UPDATEs as it sends.
        if header.length >= Self.earningBytes || stream?.queuedBytes ?? 0 == 0 { flood.sentData() }
      }
      guard let stream else { return }
      if UInt32(header.type) == NGHTTP2_HEADERS.rawValue, code == 0 {
        headToEncode = stream.waitingHead.take()
      }
      stream.isHeadOnWire = true
      guard header.isEndOfStream else { return }
      stream.isSentWhole = true
      // The response is complete and the rest of the request is not needed (RFC 9113, section 8.1).
      if role == .server, !stream.isReceivedWhole { stream.reset(.noError) }
    case NGHTTP2_RST_STREAM.rawValue:
      let stream = stream(header.stream_id)
      stream?.resetSent = HTTP2ErrorCode(rawValue: code)
      if stream?.isResetByOwner != true, !flood.allowsReset() { cutOff(.enhanceYourCalm) }
    case NGHTTP2_GOAWAY.rawValue:
      goAwayCode = HTTP2ErrorCode(rawValue: code)
    default: break
    }
  }

  /// A frame could not be sent; a stream whose HEADERS failed can't continue.
  func failedToSend(_ header: nghttp2_frame_hd) {
    guard UInt32(header.type) == NGHTTP2_HEADERS.rawValue else { return }
    stream(header.stream_id)?.reset(.internalError)
  }

  /// The library closed a stream.
  func closed(_ id: Int32, _ code: UInt32) {
    if isOfClient(id) { states.cut(id) }
    guard let stream = stream(id) else { return }
    let cause: HTTP2Closure.Cause
    let code = HTTP2ErrorCode(rawValue: code)
    if let received = stream.resetReceived, !(stream.isSentWhole && stream.isReceivedWhole) {
      cause = .resetByPeer(received)
    } else if code == .noError, stream.isSentWhole, stream.isReceivedWhole || role == .server {
      cause = .finished
    } else if let sent = stream.resetSent {
      cause = .resetHere(sent)
    } else {
      cause = stream.isResetByOwner ? .resetHere(code) : .resetByPeer(code)
    }
    stream.close(closure(of: stream, cause))
  }

  /// Describes how the stream ended.
  func closure(of stream: HTTP2Stream, _ cause: HTTP2Closure.Cause) -> HTTP2Closure {
    HTTP2Closure(
      cause: cause, isReceivedWhole: stream.isReceivedWhole, isSentWhole: stream.isSentWhole,
      isUnprocessed: role == .client
        && (!stream.isHeadOnWire || cause == .resetByPeer(.refusedStream)))
  }

  private func receivedHead(_ header: nghttp2_frame_hd, on stream: HTTP2Stream) {
    guard flood.allowsHead(reader.size, sentIn: header.length) else {
      return cutOff(.enhanceYourCalm)
    }
    if stream.isFinalHeadReceived {
      receivedTrailers(on: stream)
    } else if role == .server {
      receivedRequest(header, on: stream)
    } else {
      receivedResponse(header, on: stream)
    }
  }

  private func receivedRequest(_ header: nghttp2_frame_hd, on stream: HTTP2Stream) {
    stream.isFinalHeadReceived = true
    if let refusal = reader.refusal {
      if !flood.allowsReset() { return cutOff(.enhanceYourCalm) }
      if header.isEndOfStream { stream.isReceivedWhole = true }
      guard let owner else { return stream.reset(.refusedStream) }
      return owner.refused(refusal, on: stream)
    }
    guard let head = reader.takeRequest(hasBody: !header.isEndOfStream) else {
      return submitReset(stream, .protocolError)
    }
    guard let owner else { return stream.reset(.refusedStream) }
    owner.received(head, on: stream)
    if header.isEndOfStream { stream.receiveEnd(trailers: nil) }
  }

  private func receivedResponse(_ header: nghttp2_frame_hd, on stream: HTTP2Stream) {
    guard reader.refusal == nil, let head = reader.takeResponse() else {
      return submitReset(stream, .protocolError)
    }
    if head.status.isInformational {
      if !flood.allowsIdleFrame() { cutOff(.enhanceYourCalm) }
      return
    }
    stream.isFinalHeadReceived = true
    stream.receiver?.received(head, on: stream)
    if header.isEndOfStream { stream.receiveEnd(trailers: nil) }
  }

  private func receivedTrailers(on stream: HTTP2Stream) {
    guard reader.refusal == nil else { return submitReset(stream, .protocolError) }
    let trailers = reader.takeFields()
    stream.receiveEnd(trailers: trailers.count == 0 ? nil : trailers)
  }
}

extension nghttp2_frame_hd {
  fileprivate var isEndOfStream: Bool {
    UInt32(flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0
  }

  fileprivate var isPadded: Bool { UInt32(flags) & NGHTTP2_FLAG_PADDED.rawValue != 0 }

  fileprivate var isAcknowledgement: Bool { UInt32(flags) & NGHTTP2_FLAG_ACK.rawValue != 0 }
}
