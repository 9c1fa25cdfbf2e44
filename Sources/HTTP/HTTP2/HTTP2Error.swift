/// An HTTP/2 error code: why a stream or a connection ends (RFC 9113, section 7).
package struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The number on the wire; unknown codes are preserved.
  package let rawValue: UInt32

  /// The code with this number.
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// No error.
  package static let noError = Self(rawValue: 0x0)
  /// The peer violated the protocol.
  package static let protocolError = Self(rawValue: 0x1)
  /// An internal error of this side.
  package static let internalError = Self(rawValue: 0x2)
  /// The peer exceeded a flow-control window.
  package static let flowControlError = Self(rawValue: 0x3)
  /// A frame arrived after the end of its stream.
  package static let streamClosed = Self(rawValue: 0x5)
  /// A frame has a length that is not valid for its type.
  package static let frameSizeError = Self(rawValue: 0x6)
  /// The stream was refused before any processing.
  package static let refusedStream = Self(rawValue: 0x7)
  /// The stream is no longer needed.
  package static let cancel = Self(rawValue: 0x8)
  /// A field block cannot be decoded.
  package static let compressionError = Self(rawValue: 0x9)
  /// The peer causes excessive load.
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

/// Why an HTTP/2 session failed to start or to continue, or refused to open a stream.
package enum HTTP2Error: Error, Hashable, Sendable, CustomStringConvertible {
  /// The client's first bytes are not the HTTP/2 preface.
  case badPreface
  /// The peer caused more pending acknowledgements than allowed.
  case flooded
  /// The session cannot continue, and all its output has been pulled.
  case failed(reason: String)
  /// One side announced the end of the connection: use another one for new requests.
  case goingAway
  /// All stream identifiers of the connection are used.
  case streamsExhausted

  /// A full sentence for logs.
  package var description: String {
    switch self {
    case .badPreface: "The connection does not begin with the HTTP/2 preface."
    case .flooded: "The peer asks for acknowledgements faster than it reads them."
    case .failed(let reason): "The HTTP/2 session has failed: \(reason)."
    case .goingAway: "The HTTP/2 connection takes no new requests."
    case .streamsExhausted: "The HTTP/2 connection has used all its stream numbers."
    }
  }
}
