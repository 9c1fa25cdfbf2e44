import CNghttp2

// What is judged of frames by their headers, before the library reads them.

extension HTTP2Session {
  /// A DATA frame of fewer bytes than this is counted, unless it is the last one of its stream: its
  /// nine bytes of header make more work than its content is worth.
  static let smallDataBytes = 16
  /// A DATA frame of this size, or one that ends its stream's data, earns the peer its
  /// WINDOW_UPDATEs.
  static let earningBytes = 1024

  /// Counts the frames that begin in `bytes`, up to the first one for which the connection ends;
  /// nil if there is none.
  func findOffence(in bytes: Span<UInt8>) -> (offset: Int, code: HTTP2ErrorCode)? {
    var end = 0
    while let header = scanner.next(in: bytes, at: &end) {
      if let code = judge(header) { return (max(0, end - HTTP2FrameScanner.headerBytes), code) }
    }
    return nil
  }

  private func judge(_ header: HTTP2FrameHeader) -> HTTP2ErrorCode? {
    switch UInt32(header.type) {
    case NGHTTP2_DATA.rawValue: return judgeData(header)
    case NGHTTP2_HEADERS.rawValue: return judgeHeaders(header)
    case NGHTTP2_RST_STREAM.rawValue:
      // The library reports each, also of streams that are closed.
      if isOfClient(header.stream) { states.end(header.stream) }
      return nil
    default: return countIdle()
    }
  }

  private func judgeHeaders(_ header: HTTP2FrameHeader) -> HTTP2ErrorCode? {
    guard isOfClient(header.stream) else { return nil }
    if states.isNew(header.stream) {
      states.open(header.stream)
    } else {
      switch states[header.stream] {
      case .open: break
      case .skipped: return .protocolError
      case .ended: return .streamClosed
      case .cut, nil:
        if let code = countIdle() { return code }
      }
    }
    if header.endsStream { states.end(header.stream) }
    return nil
  }

  private func judgeData(_ header: HTTP2FrameHeader) -> HTTP2ErrorCode? {
    guard isOfClient(header.stream) else {
      return header.length == 0 && !header.endsStream ? countIdle() : nil
    }
    // The library ends the connection for DATA on a stream that was never opened.
    if states.isNew(header.stream) { return nil }
    let isSmall = header.length < Self.smallDataBytes
    switch states[header.stream] {
    case .open:
      if header.endsStream {
        states.end(header.stream)
      } else if isSmall {
        return countIdle()
      }
      return nil
    case .skipped: return .protocolError
    case .ended: return .streamClosed
    case .cut: return countIdle()
    case nil: return isSmall ? countIdle() : nil
    }
  }

  private func countIdle() -> HTTP2ErrorCode? {
    flood.allowsIdleFrame() ? nil : .enhanceYourCalm
  }

  /// Whether a client numbers such streams, and this is a server that judges what comes on them.
  func isOfClient(_ id: Int32) -> Bool { role == .server && id & 1 == 1 }
}
