/// What is wrong with a peer's HTTP/1.1; after any of it the connection can't be used any more,
/// because nobody knows where the next message begins (RFC 9112, section 11.2).
package enum HTTP1Error: Error, Sendable, Hashable, CaseIterable {
  /// The first line is not method, target and version with one space between.
  case malformedStartLine
  /// The target is neither a path, an absolute URI that agrees with Host, nor `*` of OPTIONS.
  case malformedTarget
  /// The target is over its limit.
  case targetTooLong
  /// A version of HTTP that is not 1.0 or 1.1.
  case unsupportedVersion
  /// A line that ends without a carriage return, or a carriage return inside a line.
  case bareLineEnd
  /// A field line with a bad name, space before the colon, folding, or a control in the value.
  case malformedField
  /// The head is over its limit of bytes.
  case headTooLarge
  /// The head is over its limit of field lines.
  case tooManyFields
  /// Host is missing, stands twice or is not an authority.
  case badHost
  /// Content-Length is not one plain number, or stands beside Transfer-Encoding.
  case ambiguousLength
  /// Transfer-Encoding is not `chunked` alone.
  case unsupportedTransferCoding
  /// An expectation other than `100-continue`.
  case unknownExpectation
  /// A chunk's size line, its end, or a trailer line breaks the grammar or a limit.
  case malformedChunk
  /// The body is over the server's limit.
  case bodyTooLarge
  /// The peer closed in the middle of a message.
  case unexpectedEnd

  /// What a server answers before it closes.
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
