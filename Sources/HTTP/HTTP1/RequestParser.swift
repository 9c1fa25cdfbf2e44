/// Parses the requests of one HTTP/1.1 connection: bytes in, events out, without I/O or clock.
///
/// Follows RFC 9112 strictly: input that two parsers could interpret differently is an error, and
/// the connection must be closed.
package struct RequestParser {
  /// A parsed part of the input.
  package enum Event {
    /// A head; `.body` and `.end` follow.
    case head(RequestHead, Connection)
    /// Part of the body, as a range of the input.
    case body(Range<Int>)
    /// The request is complete; the next one may follow.
    case end
  }

  /// The properties of the connection that follow from a head.
  package struct Connection: Sendable, Hashable {
    /// Whether another request may follow.
    package var keepsAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends the body.
    package var expectsContinue: Bool
    /// The minor version, 0 or 1.
    package var minorVersion: UInt8
  }

  private enum State {
    case head
    case body
  }

  private let limits: Shared<HTTPLimits>
  private let isSecure: Bool
  private var state = State.head
  private var scanner = HeadScanner()
  private var body = BodyDecoder.none()
  private var emptyLines = 0

  /// A parser at the beginning of a connection.
  package init(limits: Shared<HTTPLimits>, isSecure: Bool = false) {
    self.limits = limits
    self.isSecure = isSecure
  }

  /// The bytes of the current body that are still to come; nil if unknown.
  var bodyRemaining: UInt64? { body.remaining }

  /// Returns the next event in `input` from `offset`, which advances past the bytes read. Nil means
  /// that more input is needed: call again with the bytes from `offset` on, followed by new input.
  ///
  /// - Throws: any `HTTP1Error` except `unexpectedEnd`; the parser cannot be used afterwards.
  package mutating func next(
    _ input: Span<UInt8>, at offset: inout Int
  ) throws(HTTP1Error) -> Event? {
    switch state {
    case .head:
      try skipEmptyLines(input, at: &offset)
      guard offset < input.count else { return nil }
      guard let end = try scanner.end(in: input, from: offset, limits: limits.value) else {
        return nil
      }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(end - offset + HTTPFields.room)
      bytes.append(copying: input.extracting(offset..<end))
      let head = try parseHead(consume bytes)
      offset = end
      state = .body
      emptyLines = 0
      return head
    case .body:
      switch try body.next(input, at: &offset) {
      case nil: return nil
      case .data(let range): return .body(range)
      case .end:
        state = .head
        return .end
      }
    }
  }

  private mutating func skipEmptyLines(
    _ input: Span<UInt8>, at offset: inout Int
  ) throws(HTTP1Error) {
    while offset + 1 < input.count, input[offset] == ASCII.carriageReturn,
      input[offset + 1] == ASCII.lineFeed
    {
      emptyLines += 1
      guard emptyLines <= limits.value.emptyLinesMax else { throw .malformedStartLine }
      offset += 2
    }
  }

  private mutating func parseHead(_ bytes: consuming [UInt8]) throws(HTTP1Error) -> Event {
    let line = try RequestLine(bytes.span, targetBytesMax: limits.value.targetBytesMax)
    var target = Array(bytes[line.target])
    var fields = try FieldSection.parse(bytes, from: line.end, fieldsMax: limits.value.fieldsMax)
    let trace = fields.takeTrace()
    let framing = try MessageFraming(fields)
    try checkHost(fields, framing, minorVersion: line.minorVersion)
    try RequestTarget.normalise(&target, method: line.method, host: fields)
    if framing.isChunked, line.minorVersion == 0 { throw .ambiguousLength }
    if framing.isChunked {
      body = .chunked(limits: limits)
    } else {
      let length = framing.contentLength ?? 0
      guard length <= limits.value.bodyBytesMax else { throw .bodyTooLarge }
      body = .length(length, bytesMax: limits.value.bodyBytesMax)
    }
    var head = RequestHead(
      method: line.method, target: target, isSecure: isSecure, fields: fields,
      contentLength: framing.contentLength, hasBody: !body.isEmpty)
    head.trace = trace
    let connection = Connection(
      keepsAlive: framing.keepsAlive(minorVersion: line.minorVersion),
      expectsContinue: framing.expectsContinue && line.minorVersion == 1 && !body.isEmpty,
      minorVersion: line.minorVersion)
    return .head(consume head, connection)
  }

  private func checkHost(
    _ fields: HTTPFields, _ framing: MessageFraming, minorVersion: UInt8
  ) throws(HTTP1Error) {
    let isEnough = framing.hostCount == 1 || (framing.hostCount == 0 && minorVersion == 0)
    guard isEnough, fields.withValue(.host, Authority.isValid) ?? true else { throw .badHost }
  }
}
