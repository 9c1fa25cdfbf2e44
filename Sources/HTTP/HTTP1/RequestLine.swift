/// The first line of a request: method, target and version separated by single spaces.
struct RequestLine {
  var method: HTTPMethod
  var target: Range<Int>
  var minorVersion: UInt8
  /// The offset of the first field line.
  var end: Int

  /// Parses the first line of a complete head.
  ///
  /// - Throws: `malformedStartLine`, `malformedTarget`, `targetTooLong`, `unsupportedVersion`.
  init(_ bytes: Span<UInt8>, targetBytesMax: Int) throws(HTTP1Error) {
    var index = 0
    while ASCII.isToken(bytes[index]) { index += 1 }
    guard index > 0, index <= 32, bytes[index] == ASCII.space else { throw .malformedStartLine }
    let name = bytes.extracting(0..<index)
    method = HTTPMethod.known(name) ?? .other(String(copying: name))
    let targetStart = index + 1
    index = targetStart
    while ASCII.isVisible(bytes[index]) { index += 1 }
    target = targetStart..<index
    guard !target.isEmpty, bytes[index] == ASCII.space else { throw .malformedStartLine }
    guard target.count <= targetBytesMax else { throw .targetTooLong }
    end = index + 11
    guard end <= bytes.count else { throw .malformedStartLine }
    let version = bytes.extracting((index + 1)..<(index + 9))
    guard bytes[index + 9] == ASCII.carriageReturn, bytes[index + 10] == ASCII.lineFeed else {
      throw .malformedStartLine
    }
    minorVersion = try RequestLine.minorVersion(version)
  }

  /// The minor version of the eight bytes `HTTP/1.0` or `HTTP/1.1`.
  static func minorVersion(_ version: Span<UInt8>) throws(HTTP1Error) -> UInt8 {
    if version.equals("HTTP/1.1") { return 1 }
    if version.equals("HTTP/1.0") { return 0 }
    guard version.extracting(0..<5).equals("HTTP/"), ASCII.isDigit(version[5]),
      version[6] == 0x2E, ASCII.isDigit(version[7])
    else { throw .malformedStartLine }
    throw .unsupportedVersion
  }
}
