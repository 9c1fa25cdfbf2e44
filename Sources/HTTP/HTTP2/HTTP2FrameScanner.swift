/// The header of nine bytes of every frame (RFC 9113, section 4.1).
package struct HTTP2FrameHeader: Hashable, Sendable {
  /// The length of the payload in bytes, the type and the flags.
  package var length: Int
  package var type: UInt8
  package var flags: UInt8
  /// The identifier of the stream; 0 for the connection.
  package var stream: Int32

  /// Whether the frame has the flag END_STREAM; for DATA and HEADERS only.
  var endsStream: Bool { flags & 1 != 0 }
}

/// Finds the headers of frames in bytes that arrive in pieces of any size.
///
/// The library does not report frames that it ignores, so they could be sent without limit. The
/// scanner counts them before the library reads them.
struct HTTP2FrameScanner {
  /// Remaining bytes of the current frame's payload, or of the preface.
  private var payloadLeft: Int
  private var header: UInt128 = 0
  private var headerCount = 0

  /// A scanner of frames after a preface of this length.
  init(prefaceBytes: Int) { payloadLeft = prefaceBytes }

  /// Returns the next header that ends in `bytes`, and moves `offset` past it; nil at the end of
  /// `bytes`.
  mutating func next(in bytes: Span<UInt8>, at offset: inout Int) -> HTTP2FrameHeader? {
    let skipped = min(payloadLeft, bytes.count - offset)
    offset += skipped
    payloadLeft -= skipped
    if headerCount == 0, bytes.count - offset >= HTTP2FrameHeader.bytes {
      let whole = HTTP2FrameHeader(bytes, at: offset)
      offset += HTTP2FrameHeader.bytes
      payloadLeft = whole.length
      return whole
    }
    while offset < bytes.count {
      header = header << 8 | UInt128(bytes[offset])
      offset += 1
      headerCount += 1
      if headerCount == HTTP2FrameHeader.bytes { return take() }
    }
    return nil
  }

  private mutating func take() -> HTTP2FrameHeader {
    let taken = HTTP2FrameHeader(
      length: Int(header >> 48 & 0xFF_FFFF), type: UInt8(truncatingIfNeeded: header >> 40),
      flags: UInt8(truncatingIfNeeded: header >> 32),
      stream: Int32(truncatingIfNeeded: header & 0x7FFF_FFFF))
    payloadLeft = taken.length
    header = 0
    headerCount = 0
    return taken
  }
}
