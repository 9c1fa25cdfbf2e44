/// A violation of HTTP/2 that ends the connection with this code (RFC 9113, section 5.4.1).
package struct HTTP2Violation: Error, Hashable, Sendable {
  /// The code of the GOAWAY.
  package let code: HTTP2ErrorCode

  /// A violation with this code.
  package init(_ code: HTTP2ErrorCode) { self.code = code }
}

/// A frame that was received completely.
package struct HTTP2ReceivedFrame: Hashable {
  /// The header.
  package var header: HTTP2FrameHeader
  /// The position of the payload in the received bytes, or in the joined ones.
  package var payload: Range<Int>
  /// Whether the frame was divided between reads, and its bytes are those of `takeJoined`.
  package var isJoined: Bool
}

/// Divides received bytes into frames.
///
/// A frame is processed where it was received; only one that is divided between reads is copied.
package struct HTTP2FrameReader {
  /// The largest payload that this side accepts, as it never announces another one.
  package static let payloadBytesMax = 16_384
  /// Capacity kept when no frame is divided.
  private static let keptCapacityMax = 4096

  /// The beginning of a divided frame.
  private var joined: [UInt8] = []

  /// A reader at the beginning of a frame.
  package init() {}

  /// Returns the next frame that ends in `bytes`, and moves `offset` past it; nil when the rest is
  /// only a part of a frame, which is kept. Errors: FRAME_SIZE_ERROR.
  package mutating func next(
    in bytes: Span<UInt8>, at offset: inout Int
  ) throws(HTTP2Violation) -> HTTP2ReceivedFrame? {
    guard joined.isEmpty else { return try join(bytes, at: &offset) }
    let left = bytes.count - offset
    if left >= HTTP2FrameHeader.bytes {
      let header = try header(in: bytes, at: offset)
      if left >= HTTP2FrameHeader.bytes + header.length {
        let start = offset + HTTP2FrameHeader.bytes
        offset = start + header.length
        return HTTP2ReceivedFrame(header: header, payload: start..<offset, isJoined: false)
      }
    }
    take(left, of: bytes, at: &offset)
    return nil
  }

  private mutating func join(
    _ bytes: Span<UInt8>, at offset: inout Int
  ) throws(HTTP2Violation) -> HTTP2ReceivedFrame? {
    take(HTTP2FrameHeader.bytes - joined.count, of: bytes, at: &offset)
    guard joined.count >= HTTP2FrameHeader.bytes else { return nil }
    let header = try header(in: joined.span, at: 0)
    let count = HTTP2FrameHeader.bytes + header.length
    take(count - joined.count, of: bytes, at: &offset)
    guard joined.count == count else { return nil }
    return HTTP2ReceivedFrame(
      header: header, payload: HTTP2FrameHeader.bytes..<count, isJoined: true)
  }

  private func header(
    in bytes: Span<UInt8>, at offset: Int
  ) throws(HTTP2Violation) -> HTTP2FrameHeader {
    let header = HTTP2FrameHeader(bytes, at: offset)
    guard header.length <= Self.payloadBytesMax else { throw HTTP2Violation(.frameSizeError) }
    return header
  }

  private mutating func take(_ count: Int, of bytes: Span<UInt8>, at offset: inout Int) {
    let count = min(count, bytes.count - offset)
    guard count > 0 else { return }
    joined.append(copying: bytes.extracting(offset..<(offset + count)))
    offset += count
  }

  /// Moves the bytes of a joined frame out; return them with `putBack`.
  package mutating func takeJoined() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &joined)
    return taken
  }

  /// Returns the bytes of a joined frame, for their capacity.
  package mutating func putBack(_ used: consuming [UInt8]) {
    guard used.capacity <= Self.keptCapacityMax else { return }
    joined = used
    joined.removeAll(keepingCapacity: true)
  }
}
