import CNghttp2

// Checks of frames by their headers, before the library reads them.

extension HTTP2Session {
  /// DATA frames with fewer bytes are counted as frames without content, unless they end their
  /// stream: their header of nine bytes costs more than their content is worth.
  static let smallDataBytes = 16
  /// Sending a DATA frame of at least this size, or the last queued one of a stream, credits the
  /// peer for its WINDOW_UPDATEs.
  static let earningBytes = 1024

  /// The result of checking received bytes before the library reads them.
  struct Verdict {
    /// Offsets at which reading pauses until the next turn, in ascending order.
    var pauses: [Int] = []
    /// The offset at which reading ends.
    var end: Int
    /// The error code if the connection ends there.
    var offence: HTTP2ErrorCode?
  }

  /// Checks the frames that begin in `bytes`, up to the first one that ends the connection. Adds a
  /// pause after every `headsMax` HEADERS.
  func judge(_ bytes: Span<UInt8>, headsMax: Int) -> Verdict {
    var verdict = Verdict(end: bytes.count)
    var heads = 0
    var offset = 0
    while let header = scanner.next(in: bytes, at: &offset) {
      // The header may have begun in earlier bytes that the library has read.
      let start = max(0, offset - HTTP2FrameHeader.bytes)
      if let code = judge(header) {
        verdict.end = start
        verdict.offence = code
        break
      }
      guard UInt32(header.type) == NGHTTP2_HEADERS.rawValue else { continue }
      if heads == headsMax {
        verdict.pauses.append(start)
        heads = 0
      }
      heads += 1
    }
    return verdict
  }

  private func judge(_ header: HTTP2FrameHeader) -> HTTP2ErrorCode? {
    switch UInt32(header.type) {
    case NGHTTP2_DATA.rawValue: return judgeData(header)
    case NGHTTP2_HEADERS.rawValue: return judgeHeaders(header)
    case NGHTTP2_RST_STREAM.rawValue:
      if isOfClient(header.stream) { states.end(header.stream) }
      return flood.allowsReset() ? nil : .enhanceYourCalm
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
    // The library itself ends the connection for DATA on a stream that was never opened.
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

  /// Whether this is a server and the stream identifier belongs to the client.
  func isOfClient(_ id: Int32) -> Bool { role == .server && id & 1 == 1 }
}
