/// The length of a message's body and the persistence of its connection, derived from its fields
/// without ambiguity (RFC 9112, sections 6 and 9).
struct MessageFraming {
  /// The value of Content-Length; nil if absent.
  var contentLength: UInt64?
  var isChunked = false
  var saysClose = false
  var saysKeepAlive = false
  var hostCount = 0
  var expectsContinue = false

  /// - Throws: `ambiguousLength`, `unsupportedTransferCoding`, `unknownExpectation`.
  init(_ fields: HTTPFields) throws(HTTP1Error) {
    var transferEncodings = 0
    for entry in fields.entries {
      guard let known = entry.known else { continue }
      let value = fields.bytes.span.extracting(HTTPFields.valueRange(entry))
      switch known {
      case .contentLength:
        guard contentLength == nil, let length = value.decimal else { throw .ambiguousLength }
        contentLength = length
      case .transferEncoding:
        transferEncodings += 1
        guard transferEncodings == 1 else { throw .ambiguousLength }
        guard value.equalsIgnoringCase("chunked") else { throw .unsupportedTransferCoding }
        isChunked = true
      case .connection: readConnection(value)
      case .host: hostCount += 1
      case .expect:
        guard value.equalsIgnoringCase("100-continue") else { throw .unknownExpectation }
        expectsContinue = true
      default: break
      }
    }
    if isChunked, contentLength != nil { throw .ambiguousLength }
  }

  /// Whether the connection persists after a message of this version (RFC 9112, section 9.3).
  func keepsAlive(minorVersion: UInt8) -> Bool {
    if saysClose { return false }
    return minorVersion >= 1 || saysKeepAlive
  }

  private mutating func readConnection(_ value: Span<UInt8>) {
    var start = 0
    while start < value.count {
      let end = value.firstIndex(of: 0x2C, from: start) ?? value.count
      let piece = value.extracting(start..<end)
      let option = piece.extracting(piece.trimmedRange)
      if option.equalsIgnoringCase("close") { saysClose = true }
      if option.equalsIgnoringCase("keep-alive") { saysKeepAlive = true }
      start = end + 1
    }
  }
}
