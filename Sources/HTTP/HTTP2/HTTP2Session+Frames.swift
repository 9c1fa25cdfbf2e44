import CNghttp2

// What the library reports, one method a callback. A method returns 0 to continue, or what the
// library documents for that callback.

extension HTTP2Session {
  /// The stream of that number, which the library's own table knows.
  func stream(_ id: Int32) -> HTTP2Stream? {
    // SAFETY: the pointer stored for a stream is the one to a stream that is remembered until
    // the library closes it.
    guard let data = unsafe nghttp2_session_get_stream_user_data(raw, id) else { return nil }
    return unsafe Unmanaged<HTTP2Stream>.fromOpaque(data).takeUnretainedValue()
  }

  /// A frame's first nine bytes were read.
  func began(_ header: nghttp2_frame_hd) {
    if UInt32(header.type) != NGHTTP2_CONTINUATION.rawValue { headBegan = nil }
  }

  /// A field block begins; a server's client thereby opens a stream, or ends one.
  func beganHead(_ frame: nghttp2_frame) -> Int32 {
    reader.begin()
    headBegan = now
    // SAFETY: HEADERS is the only type this is called for without push.
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

  /// A whole frame was read and found in order.
  func received(_ frame: nghttp2_frame) {
    guard !isCutOff else { return }
    // SAFETY: the type says which member of the union is set.
    let header = unsafe frame.hd
    switch UInt32(header.type) {
    case NGHTTP2_HEADERS.rawValue:
      headBegan = nil
      if let stream = stream(header.stream_id) { receivedHead(header, on: stream) }
    case NGHTTP2_DATA.rawValue:
      if header.isEndOfStream {
        stream(header.stream_id)?.receiveEnd(trailers: nil)
      } else if unsafe header.isPadded && header.length - frame.data.padlen < Self.smallDataBytes,
        header.length >= Self.smallDataBytes, !flood.allowsIdleFrame()
      {
        // Counted already if the padding, too, is small.
        cutOff(.enhanceYourCalm)
      }
    case NGHTTP2_RST_STREAM.rawValue:
      stream(header.stream_id)?.resetReceived = HTTP2ErrorCode(
        rawValue: unsafe frame.rst_stream.error_code)
    case NGHTTP2_SETTINGS.rawValue:
      if !header.isAcknowledgement { delegate?.receivedSettings() }
    case NGHTTP2_PING.rawValue:
      guard header.isAcknowledgement else { return }
      let bytes = unsafe frame.ping.opaque_data
      delegate?.receivedPong(
        unsafe withUnsafeBytes(of: bytes) {
          unsafe UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self))
        })
    case NGHTTP2_GOAWAY.rawValue:
      let goAway = unsafe frame.goaway
      delegate?.receivedGoAway(
        HTTP2ErrorCode(rawValue: unsafe goAway.error_code),
        lastStream: unsafe goAway.last_stream_id)
    default: break
    }
  }

  /// Moves a frame's header and the bytes announced for it to the output.
  func sendBody(_ header: Span<UInt8>, _ count: Int, of stream: HTTP2Stream) -> Int32 {
    guard output.count < outputBytesMax else { return NGHTTP2_ERR_WOULDBLOCK.rawValue }
    // Bytes announced stay queued until they are moved here, whatever happens to the stream.
    guard count <= stream.queuedBytes else { return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue }
    output.append(copying: header)
    if stream.moveBody(count, to: &output) { drained.append(stream) }
    return 0
  }

  /// A whole frame was handed to the output.
  func sent(_ header: nghttp2_frame_hd, code: UInt32) {
    switch UInt32(header.type) {
    case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
      let stream = stream(header.stream_id)
      if UInt32(header.type) == NGHTTP2_DATA.rawValue {
        // A piece that a small window cut off is worth no answer: such windows would earn as many
        // frames as they ask for.
        if header.length >= Self.earningBytes || stream?.queuedBytes ?? 0 == 0 { flood.sentData() }
      }
      guard let stream else { return }
      stream.isHeadOnWire = true
      guard header.isEndOfStream else { return }
      stream.isSentWhole = true
      // The answer is whole and the rest of the request is not wanted (RFC 9113, section 8.1).
      if role == .server, !stream.isReceivedWhole { stream.reset(.noError) }
    case NGHTTP2_RST_STREAM.rawValue:
      let stream = stream(header.stream_id)
      stream?.resetSent = HTTP2ErrorCode(rawValue: code)
      if stream?.isResetByOwner != true, !flood.allowsReset() { cutOff(.enhanceYourCalm) }
    case NGHTTP2_GOAWAY.rawValue:
      sentGoAway = HTTP2ErrorCode(rawValue: code)
    default: break
    }
  }

  /// A frame could not be sent: without its head a stream can't continue.
  func failedToSend(_ header: nghttp2_frame_hd) {
    guard UInt32(header.type) == NGHTTP2_HEADERS.rawValue else { return }
    stream(header.stream_id)?.reset(.internalError)
  }

  /// A stream is over.
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

  /// How the stream ended.
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
      guard let delegate else { return stream.reset(.refusedStream) }
      return delegate.refused(refusal, on: stream)
    }
    guard let head = reader.takeRequest(hasBody: !header.isEndOfStream) else {
      return submitReset(stream, .protocolError)
    }
    guard let delegate else { return stream.reset(.refusedStream) }
    delegate.received(head, on: stream)
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
    stream.handler?.received(head, on: stream)
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
