/// The types of frames (RFC 9113, section 6).
enum HTTP2FrameType: UInt8 {
  case data, headers, priority, resetStream, settings, pushPromise, ping, goAway, windowUpdate
  case continuation
}

/// The flags of frames; the meaning of a bit depends on the type.
struct HTTP2FrameFlags: OptionSet {
  let rawValue: UInt8

  static let endStream = HTTP2FrameFlags(rawValue: 0x1)
  static let acknowledgement = HTTP2FrameFlags(rawValue: 0x1)
  static let endHeaders = HTTP2FrameFlags(rawValue: 0x4)
  static let padded = HTTP2FrameFlags(rawValue: 0x8)
  static let priority = HTTP2FrameFlags(rawValue: 0x20)
}

/// The settings that a client sends or reads (RFC 9113, section 6.5.2).
enum HTTP2SettingID: UInt16 {
  case headerTableSize = 1
  case enablePush, concurrentStreamsMax, initialWindowSize, frameBytesMax, headerListBytesMax
}

/// The numbers of flow control (RFC 9113, sections 5.2 and 6.9).
enum HTTP2FlowControl {
  /// Every window at the beginning of a connection, in bytes.
  static let initialWindow = 65_535
  /// The largest window, in bytes.
  static let windowMax = Int(Int32.max)
}

extension HTTP2FrameHeader {
  /// The length of a header.
  static let bytes = 9

  /// Reads the header at `offset`; the span must contain it.
  init(_ bytes: Span<UInt8>, at offset: Int) {
    self.init(
      length: Int(bytes[offset]) << 16 | Int(bytes[offset + 1]) << 8 | Int(bytes[offset + 2]),
      type: bytes[offset + 3], flags: bytes[offset + 4],
      stream: Int32(truncatingIfNeeded: bytes.bigEndian(at: offset + 5) & 0x7FFF_FFFF))
  }

  func has(_ flag: HTTP2FrameFlags) -> Bool { flags & flag.rawValue != 0 }
}

extension Span where Element == UInt8 {
  /// The number of four bytes at `offset`, which the span must contain.
  func bigEndian(at offset: Int) -> UInt32 {
    UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16 | UInt32(self[offset + 2]) << 8
      | UInt32(self[offset + 3])
  }
}
