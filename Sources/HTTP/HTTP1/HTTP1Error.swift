/// A violation of HTTP/1.1 by the peer. The connection can't be used afterwards, because the start
/// of the next message is unknown (RFC 9112, section 11.2).
package enum HTTP1Error: Error, Sendable, Hashable, CaseIterable {
  /// The first line is not method, target and version separated by single spaces.
  case malformedStartLine
  /// The target is neither a path, nor an absolute URI that matches Host, nor `*` with OPTIONS.
  case malformedTarget
  /// The target is longer than its limit.
  case targetTooLong
  /// The version is neither HTTP/1.0 nor HTTP/1.1.
  case unsupportedVersion
  /// A line ends without a carriage return, or has one inside.
  case bareLineEnd
  /// A field line has an invalid name, a space before the colon, folding, or a control character in
  /// the value.
  case malformedField
  /// The head has more bytes than allowed.
  case headTooLarge
  /// The head has more field lines than allowed.
  case tooManyFields
  /// Host is missing, repeated or not an authority.
  case badHost
  /// Content-Length is not a single decimal number, or is combined with Transfer-Encoding.
  case ambiguousLength
  /// Transfer-Encoding is anything but `chunked`.
  case unsupportedTransferCoding
  /// The expectation is not `100-continue`.
  case unknownExpectation
  /// A chunk's size line, its end, or a trailer line violates the grammar or a limit.
  case malformedChunk
  /// The body exceeds the server's limit.
  case bodyTooLarge
  /// The peer closed the connection within a message.
  case unexpectedEnd

  /// The status that a server sends before it closes the connection.
  package var status: HTTPStatus {
    switch self {
    case .malformedStartLine, .malformedTarget, .bareLineEnd, .malformedField, .badHost,
      .ambiguousLength, .unsupportedTransferCoding, .malformedChunk, .unexpectedEnd:
      .badRequest
    case .targetTooLong: .targetTooLong
    case .unsupportedVersion: .versionNotSupported
    case .headTooLarge, .tooManyFields: .fieldsTooLarge
    case .unknownExpectation: .expectationFailed
    case .bodyTooLarge: .contentTooLarge
    }
  }
}
