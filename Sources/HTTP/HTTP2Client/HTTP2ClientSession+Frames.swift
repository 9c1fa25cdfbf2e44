import EventLoop

/// A head that is divided into HEADERS and CONTINUATION frames.
struct HTTP2OpenHead {
  var stream: Int32
  var endsStream: Bool
  var block: [UInt8]
  var frameCount = 1
}

/// The frames of the peer, as RFC 9113, section 6, describes them.
extension HTTP2ClientSession {
  /// Limit on the frames of a head: 16 hold four times the largest head allowed.
  private static let framesPerHeadMax = 16
  /// The literal of `x-request-id` with a value of 32 bytes, up to the value.
  private static let numberPrefix: StaticString = "\u{0}\u{c}x-request-id\u{20}"
  private static let numberBytes = 15 + 32
  /// The longest block that is kept.
  private static let keptBlockBytesMax = 512
  /// Limit on the entries of a SETTINGS frame.
  private static let settingsMax = 32
  /// Limit on acknowledgements that wait in the output.
  private static let answersMax = 1000
  /// DATA frames with fewer bytes count as frames without content, unless they end their stream.
  private static let smallDataBytes = 16

  /// Processes a complete frame.
  func process(
    _ header: HTTP2FrameHeader, _ payload: Span<UInt8>
  ) throws(HTTP2Violation) {
    let type = HTTP2FrameType(rawValue: header.type)
    if !isSettled {
      guard type == .settings, !header.has(.acknowledgement) else { throw .protocolError }
    }
    if openHead != nil, type != .continuation { throw .protocolError }
    switch type {
    case .data: try receiveData(header, payload)
    case .headers: try receiveHeaders(header, payload)
    case .resetStream: try receiveReset(header, payload)
    case .settings: try receiveSettings(header, payload)
    case .ping: try receivePing(header, payload)
    case .goAway: try receiveGoAway(header, payload)
    case .windowUpdate: try receiveWindowUpdate(header, payload)
    case .continuation: try receiveContinuation(header, payload)
    case .pushPromise: throw .protocolError
    case .priority:
      guard header.stream != 0 else { throw .protocolError }
      guard header.length == 5 else { throw .frameSizeError }
      try countIdle()
    case nil: try countIdle()
    }
  }

  // MARK: Bodies

  private func receiveData(
    _ header: HTTP2FrameHeader, _ payload: Span<UInt8>
  ) throws(HTTP2Violation) {
    guard header.stream != 0 else { throw .protocolError }
    // The connection's window is returned at once, so that only those of the streams limit memory.
    returnable += header.length
    if 2 * returnable >= Int(settings.connectionWindow) {
      let returned = returnable
      write { $0.windowUpdate(stream: 0, returned) }
      returnable = 0
    }
    let range = try content(of: header, payload, isHead: false)
    guard let stream = table[header.stream] else { return try judgeClosed(header.stream) }
    guard !stream.isReceivedWhole else { return reset(stream, .streamClosed) }
    guard stream.isHeadReceived else { return reset(stream, .protocolError) }
    guard stream.takeCredit(header.length) else { return reset(stream, .flowControlError) }
    guard stream.count(range.count) else { return reset(stream, .protocolError) }
    if range.count < Self.smallDataBytes, !header.endsStream { try countIdle() }
    if range.count < header.length { stream.consume(padding: header.length - range.count) }
    if !range.isEmpty { stream.receive(body: payload.extracting(range)) }
    if header.endsStream { receiveEnd(of: stream) }
  }

  /// The end of a response.
  private func receiveEnd(of stream: HTTP2ClientStream) {
    guard stream.isOpen else { return }
    guard stream.isComplete else { return reset(stream, .protocolError) }
    states.end(stream.id)
    stream.receiveEnd()
    if stream.isSentWhole { close(stream, .finished) }
  }

  /// The range of a frame's content without padding, and without a head's deprecated priority.
  private func content(
    of header: HTTP2FrameHeader, _ payload: Span<UInt8>, isHead: Bool
  ) throws(HTTP2Violation) -> Range<Int> {
    var start = 0
    var padding = 0
    if header.has(.padded) {
      guard payload.count > 0 else { throw .frameSizeError }
      padding = Int(payload[0])
      start = 1
    }
    if isHead, header.has(.priority) { start += 5 }
    guard start <= payload.count else { throw .frameSizeError }
    guard padding <= payload.count - start else { throw .protocolError }
    return start..<(payload.count - padding)
  }

  // MARK: Heads

  private func receiveHeaders(
    _ header: HTTP2FrameHeader, _ payload: Span<UInt8>
  ) throws(HTTP2Violation) {
    guard header.stream != 0 else { throw .protocolError }
    let range = try content(of: header, payload, isHead: true)
    if header.has(.endHeaders) {
      return try receiveHead(
        header.stream, endsStream: header.endsStream, payload.extracting(range))
    }
    openHead = HTTP2OpenHead(
      stream: header.stream, endsStream: header.endsStream,
      block: Array(copying: payload.extracting(range)))
  }

  private func receiveContinuation(
    _ header: HTTP2FrameHeader, _ payload: Span<UInt8>
  ) throws(HTTP2Violation) {
    guard var head = openHead, head.stream == header.stream else { throw .protocolError }
    try countIdle()
    openHead = nil
    head.frameCount += 1
    head.block.append(copying: payload)
    guard head.frameCount <= Self.framesPerHeadMax,
      head.block.count <= 4 * settings.headBytesMax
    else { throw HTTP2Violation(.enhanceYourCalm) }
    guard header.has(.endHeaders) else { return openHead = head }
    try receiveHead(head.stream, endsStream: head.endsStream, head.block.span)
  }

  private func receiveHead(
    _ id: Int32, endsStream: Bool, _ block: Span<UInt8>
  ) throws(HTTP2Violation) {
    // No block depends on earlier ones, so that one for a closed stream need not be decoded.
    guard let stream = table[id] else { return try judgeClosed(id) }
    guard !stream.isReceivedWhole else { return reset(stream, .streamClosed) }
    let keptCount = block.count - numberBytes(of: block)
    if !stream.isHeadReceived, keptCount > 0, block.extracting(..<keptCount).equals(latestBlock) {
      stream.receive(latestHead)
      if endsStream { receiveEnd(of: stream) }
      return
    }
    var response = HTTP2ResponseReader(settings)
    response.begin(isTrailer: stream.isHeadReceived)
    var decoder = HPACKDecoder()
    swap(&decoder, &self.decoder)
    defer { swap(&decoder, &self.decoder) }
    do throws(HPACKError) {
      try decoder.decode(block, into: &response)
    } catch {
      throw HTTP2Violation(.compressionError)
    }
    guard !response.isExcessive else { throw HTTP2Violation(.enhanceYourCalm) }
    if stream.isHeadReceived {
      guard endsStream, !response.isInvalid else { return reset(stream, .protocolError) }
      return receiveEnd(of: stream)
    }
    guard let head = response.takeHead() else { return reset(stream, .protocolError) }
    if head.status.isInformational {
      guard !endsStream else { return reset(stream, .protocolError) }
      return try countIdle()
    }
    if response.endsWithNumber == (keptCount < block.count) {
      remember(head, block.extracting(..<keptCount))
    }
    stream.receive(head)
    if endsStream { receiveEnd(of: stream) }
  }

  /// The bytes of the number at the end of a block, where our services write it; 0 if there is none
  /// or it is not to be left out.
  private func numberBytes(of block: Span<UInt8>) -> Int {
    guard settings.dropsNumbers, block.count > Self.numberBytes else { return 0 }
    let field = block.extracting((block.count - Self.numberBytes)...)
    guard field.extracting(..<Self.numberPrefix.utf8CodeUnitCount).equals(Self.numberPrefix),
      field.extracting(Self.numberPrefix.utf8CodeUnitCount...).isHexadecimal
    else { return 0 }
    return Self.numberBytes
  }

  /// Keeps a head if the next one is likely to be the same: services repeat most answers, but for
  /// their date.
  private func remember(_ head: borrowing ResponseHead, _ block: Span<UInt8>) {
    if block.count == latestBlockCount, block.count <= Self.keptBlockBytesMax {
      latestBlock = Array(copying: block)
      latestHead = copy head
    }
    latestBlockCount = block.count
  }

  /// Checks a HEADERS or DATA frame on a stream that is not open. It is ignored if this side closed
  /// the stream, because the peer may not know it yet.
  private func judgeClosed(_ id: Int32) throws(HTTP2Violation) {
    guard !isIdle(id) else { throw .protocolError }
    if states[id] == .ended { throw HTTP2Violation(.streamClosed) }
    try countIdle()
  }

  /// Whether a stream was never opened; a server without push opens none.
  private func isIdle(_ id: Int32) -> Bool { id & 1 == 0 || Int(id) >= nextID }

  /// Counts a frame without content.
  private func countIdle() throws(HTTP2Violation) {
    if flood.allowsIdleFrame() { return }
    flood.advance(to: loop.now)
    if !flood.allowsIdleFrame() { throw HTTP2Violation(.enhanceYourCalm) }
  }

  // MARK: Streams

  private func receiveReset(
    _ header: HTTP2FrameHeader, _ payload: Span<UInt8>
  ) throws(HTTP2Violation) {
    guard header.length == 4 else { throw .frameSizeError }
    guard header.stream != 0, !isIdle(header.stream) else { throw .protocolError }
    if !flood.allowsReset() {
      flood.advance(to: loop.now)
      if !flood.allowsReset() { throw HTTP2Violation(.enhanceYourCalm) }
    }
    guard let stream = table[header.stream] else { return }
    states.end(header.stream)
    // After a complete response it only says that the rest of the request is not needed.
    close(
      stream,
      stream.isReceivedWhole
        ? .finished : .resetByPeer(HTTP2ErrorCode(rawValue: payload.bigEndian(at: 0))))
  }

  private func receiveWindowUpdate(
    _ header: HTTP2FrameHeader, _ payload: Span<UInt8>
  ) throws(HTTP2Violation) {
    guard header.length == 4 else { throw .frameSizeError }
    let increment = Int(payload.bigEndian(at: 0) & 0x7FFF_FFFF)
    try countIdle()
    guard header.stream != 0 else {
      guard increment > 0 else { throw .protocolError }
      sendWindow += increment
      guard sendWindow <= HTTP2FlowControl.windowMax else {
        throw HTTP2Violation(.flowControlError)
      }
      return
    }
    guard let stream = table[header.stream] else {
      if isIdle(header.stream) { throw .protocolError }
      return
    }
    guard increment > 0 else { return reset(stream, .protocolError) }
    stream.sendWindow += increment
    guard stream.sendWindow <= HTTP2FlowControl.windowMax else {
      return reset(stream, .flowControlError)
    }
    if !stream.queue.isEmpty { makeReady(stream) }
  }

  // MARK: The connection

  private func receiveSettings(
    _ header: HTTP2FrameHeader, _ payload: Span<UInt8>
  ) throws(HTTP2Violation) {
    guard header.stream == 0 else { throw .protocolError }
    try countIdle()
    if header.has(.acknowledgement) {
      guard header.length == 0 else { throw .frameSizeError }
      return
    }
    guard header.length % 6 == 0 else { throw .frameSizeError }
    guard header.length <= 6 * Self.settingsMax else { throw HTTP2Violation(.enhanceYourCalm) }
    if !isSettled {
      isSettled = true
      peerStreamsMax = Int(UInt32.max)
    }
    for offset in stride(from: 0, to: payload.count, by: 6) {
      try apply(
        UInt16(payload[offset]) << 8 | UInt16(payload[offset + 1]),
        payload.bigEndian(at: offset + 2))
    }
    try acknowledge { $0.acknowledgeSettings() }
    beginWaiting()
    delegate?.roomChanged()
  }

  /// Applies a setting of the peer. Its table of fields and its limit of a head have no effect: the
  /// encoder uses no table, and our heads are far below the limits of our services.
  private func apply(_ id: UInt16, _ value: UInt32) throws(HTTP2Violation) {
    switch HTTP2SettingID(rawValue: id) {
    case .enablePush: guard value == 0 else { throw .protocolError }
    case .concurrentStreamsMax: peerStreamsMax = Int(value)
    case .initialWindowSize:
      guard value <= UInt32(HTTP2FlowControl.windowMax) else {
        throw HTTP2Violation(.flowControlError)
      }
      try changeWindows(by: Int(value) - peerWindow)
      peerWindow = Int(value)
    case .frameBytesMax:
      // Longer frames than the least maximum are never sent: they would delay the other streams.
      guard (16_384...16_777_215).contains(value) else { throw .protocolError }
    case .headerTableSize, .headerListBytesMax, nil: break
    }
  }

  /// Changes the windows of all streams for data to the peer; they may become negative (RFC 9113,
  /// section 6.9.2).
  private func changeWindows(by change: Int) throws(HTTP2Violation) {
    guard change != 0 else { return }
    for stream in table.all {
      stream.sendWindow += change
      guard stream.sendWindow <= HTTP2FlowControl.windowMax else {
        throw HTTP2Violation(.flowControlError)
      }
      if !stream.queue.isEmpty { makeReady(stream) }
    }
  }

  private func receivePing(
    _ header: HTTP2FrameHeader, _ payload: Span<UInt8>
  ) throws(HTTP2Violation) {
    guard header.stream == 0 else { throw .protocolError }
    guard header.length == 8 else { throw .frameSizeError }
    try countIdle()
    guard !header.has(.acknowledgement) else { return }
    try acknowledge { $0.pong(payload) }
  }

  /// Writes an acknowledgement, unless the peer reads none of the output.
  private func acknowledge(
    _ frames: (inout HTTP2FrameWriter) -> Void
  ) throws(HTTP2Violation) {
    answerCount += 1
    guard answerCount <= Self.answersMax else { throw HTTP2Violation(.enhanceYourCalm) }
    write(frames)
  }

  private func receiveGoAway(
    _ header: HTTP2FrameHeader, _ payload: Span<UInt8>
  ) throws(HTTP2Violation) {
    guard header.stream == 0 else { throw .protocolError }
    guard header.length >= 8 else { throw .frameSizeError }
    let lastStream = Int32(bitPattern: payload.bigEndian(at: 0) & 0x7FFF_FFFF)
    guard lastStream <= peerLastStream, lastStream == 0 || lastStream & 1 == 1 else {
      throw .protocolError
    }
    try countIdle()
    peerLastStream = lastStream
    isPeerGoingAway = true
    delegate?.roomChanged()
    closeRefused(above: lastStream)
  }
}

extension HTTP2Violation {
  fileprivate static let protocolError = HTTP2Violation(.protocolError)
  fileprivate static let frameSizeError = HTTP2Violation(.frameSizeError)
}

extension Span where Element == UInt8 {
  /// Whether all bytes are lower-case hexadecimal digits.
  fileprivate var isHexadecimal: Bool {
    for index in indices where !(0x30...0x39 ~= self[index] || 0x61...0x66 ~= self[index]) {
      return false
    }
    return true
  }
}
