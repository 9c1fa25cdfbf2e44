/// Parses the responses of one HTTP/1.1 connection for a client: bytes in, events out.
package struct ResponseParser {
  /// A parsed part of the input.
  package enum Event {
    /// The head of a final response; 1xx responses are skipped.
    case head(ResponseHead)
    /// Part of the body, as a range of the input.
    case body(Range<Int>)
    /// The response is complete; `keepsAlive` states whether another request may be sent.
    case end(keepsAlive: Bool)
  }

  /// Interim responses accepted before one final response.
  static let interimResponsesMax = 8

  private enum State {
    case head
    case body
  }

  private let limits: Shared<HTTPLimits>
  private var state = State.head
  private var scanner = HeadScanner()
  private var body = BodyDecoder.none()
  private var keepsAlive = true
  private var interimResponses = 0

  /// The method of the request that the next response answers, because a response to HEAD has no
  /// body.
  package var requestMethod = HTTPMethod.get

  /// A parser at the beginning of a connection.
  package init(limits: Shared<HTTPLimits>) { self.limits = limits }

  /// Has the same contract as `RequestParser.next`.
  ///
  /// - Throws: any `HTTP1Error` that applies to responses; the parser cannot be used afterwards.
  package mutating func next(
    _ input: Span<UInt8>, at offset: inout Int
  ) throws(HTTP1Error) -> Event? {
    switch state {
    case .head:
      while true {
        guard offset < input.count,
          let end = try scanner.end(in: input, from: offset, limits: limits.value)
        else { return nil }
        let head = try parseHead([UInt8](copying: input.extracting(offset..<end)))
        offset = end
        if let head {
          state = .body
          interimResponses = 0
          return .head(head)
        }
      }
    case .body:
      switch try body.next(input, at: &offset) {
      case nil: return nil
      case .data(let range): return .body(range)
      case .end:
        state = .head
        return .end(keepsAlive: keepsAlive)
      }
    }
  }

  /// The peer closed the connection; returns true if this validly ends the current response.
  package mutating func inputEnded() -> Bool {
    guard case .body = state, body.endsWithConnection else { return false }
    state = .head
    return true
  }

  /// Returns nil for an interim response.
  private mutating func parseHead(_ bytes: [UInt8]) throws(HTTP1Error) -> ResponseHead? {
    let line = try StatusLine(bytes)
    var fields = try FieldSection.parse(bytes, from: line.end, fieldsMax: limits.value.fieldsMax)
    let framing = try MessageFraming(fields)
    guard line.status != 101 else { throw .malformedStartLine }
    if line.status.isInformational {
      interimResponses += 1
      guard interimResponses <= Self.interimResponsesMax else { throw .malformedStartLine }
      return nil
    }
    keepsAlive = framing.keepsAlive(minorVersion: line.minorVersion)
    body = decoder(for: line.status, framing)
    if body.endsWithConnection { keepsAlive = false }
    fields.remove(.contentLength)
    return ResponseHead(line.status, fields: fields, contentLength: framing.contentLength)
  }

  private func decoder(for status: HTTPStatus, _ framing: MessageFraming) -> BodyDecoder {
    if requestMethod == .head || status.hasNoBody { return .none() }
    if framing.isChunked { return .chunked(limits: limits) }
    if let length = framing.contentLength {
      return .length(length, bytesMax: limits.value.bodyBytesMax)
    }
    return .untilClose(bytesMax: limits.value.bodyBytesMax)
  }
}

/// The first line of a response: version, status code, and a reason phrase, which is ignored.
struct StatusLine {
  var status: HTTPStatus
  var minorVersion: UInt8
  var end: Int

  init(_ bytes: [UInt8]) throws(HTTP1Error) {
    guard bytes.count >= 14, bytes[8] == ASCII.space else { throw .malformedStartLine }
    minorVersion = try RequestLine.minorVersion(bytes.span.extracting(0..<8))
    guard let code = bytes.span.extracting(9..<12).decimal, code >= 100, code <= 599 else {
      throw .malformedStartLine
    }
    status = HTTPStatus(Int(code))
    var index = 12
    if bytes[index] == ASCII.space {
      index += 1
      while ASCII.isFieldValue(bytes[index]) { index += 1 }
    }
    guard bytes[index] == ASCII.carriageReturn, bytes[index + 1] == ASCII.lineFeed else {
      throw .malformedStartLine
    }
    end = index + 2
  }
}
