/// The reason a stream or a connection ends, as HTTP/2 writes it (RFC 9113, section 7).
package struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The number on the wire; codes that nobody has defined are kept as they are.
  package let rawValue: UInt32

  /// The code of this number.
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Nothing went wrong.
  package static let noError = Self(rawValue: 0x0)
  /// The peer broke the protocol.
  package static let protocolError = Self(rawValue: 0x1)
  /// This side failed.
  package static let internalError = Self(rawValue: 0x2)
  /// The peer sent more than it was given credit for.
  package static let flowControlError = Self(rawValue: 0x3)
  /// A frame came after the end of its stream.
  package static let streamClosed = Self(rawValue: 0x5)
  /// The stream was refused before anything was done for it.
  package static let refusedStream = Self(rawValue: 0x7)
  /// The stream is not needed any more.
  package static let cancel = Self(rawValue: 0x8)
  /// The peer makes work without use.
  package static let enhanceYourCalm = Self(rawValue: 0xB)

  /// The name in RFC 9113, or the number.
  package var description: String {
    let names = [
      "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
      "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR",
      "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]
    return rawValue < UInt32(names.count) ? names[Int(rawValue)] : "error \(rawValue)"
  }
}

/// Why an HTTP/2 session could not begin or go on, or would not open a stream.
package enum HTTP2Error: Error, Hashable, Sendable, CustomStringConvertible {
  /// The client's first bytes are not the preface of HTTP/2.
  case badPreface
  /// The peer made more acknowledgements wait than it may.
  case flooded
  /// The session cannot go on, and has no more to say to the peer.
  case failed(reason: String)
  /// Either side has announced the end of the connection: use another for new requests.
  case goingAway
  /// All stream numbers of the connection are used up.
  case streamsExhausted

  /// A whole sentence for logs.
  package var description: String {
    switch self {
    case .badPreface: "The connection does not begin as HTTP/2 does."
    case .flooded: "The peer asks for acknowledgements faster than it reads them."
    case .failed(let reason): "The HTTP/2 session has failed: \(reason)."
    case .goingAway: "The HTTP/2 connection takes no new requests."
    case .streamsExhausted: "The HTTP/2 connection has used all its stream numbers."
    }
  }
}
