/// Extracts a body from the bytes of a connection, for every kind of framing.
struct BodyDecoder {
  private enum Framing {
    case none
    case length(remaining: UInt64)
    case chunked(ChunkedDecoder)
    case untilClose
  }

  private var framing: Framing
  private var received: UInt64 = 0
  private let bytesMax: UInt64

  static func none() -> BodyDecoder { BodyDecoder(.none, bytesMax: 0) }

  static func length(_ length: UInt64, bytesMax: UInt64) -> BodyDecoder {
    BodyDecoder(length == 0 ? .none : .length(remaining: length), bytesMax: bytesMax)
  }

  static func chunked(limits: Shared<HTTPLimits>) -> BodyDecoder {
    BodyDecoder(.chunked(ChunkedDecoder(limits: limits)), bytesMax: limits.value.bodyBytesMax)
  }

  static func untilClose(bytesMax: UInt64) -> BodyDecoder {
    BodyDecoder(.untilClose, bytesMax: bytesMax)
  }

  private init(_ framing: Framing, bytesMax: UInt64) {
    self.framing = framing
    self.bytesMax = bytesMax
  }

  /// Whether the message has no body.
  var isEmpty: Bool {
    if case .none = framing { return true }
    return false
  }

  /// The number of bytes that are still to come; nil if unknown.
  var remaining: UInt64? {
    switch framing {
    case .none: 0
    case .length(let remaining): remaining
    case .chunked, .untilClose: nil
    }
  }

  /// The next part of the body or its end, with the same contract as `ChunkedDecoder.next`.
  ///
  /// - Throws: `malformedChunk`, `bodyTooLarge`.
  mutating func next(
    _ input: Span<UInt8>, at offset: inout Int
  ) throws(HTTP1Error) -> ChunkedDecoder.Event? {
    switch framing {
    case .none: return .end
    case .length(let remaining):
      guard remaining > 0 else { return .end }
      let count = Int(min(remaining, UInt64(input.count - offset)))
      guard count > 0 else { return nil }
      framing = .length(remaining: remaining - UInt64(count))
      return try data(&offset, count)
    case .chunked(var decoder):
      let event = try decoder.next(input, at: &offset)
      framing = .chunked(decoder)
      if case .data(let range) = event { try count(range.count) }
      return event
    case .untilClose:
      guard offset < input.count else { return nil }
      return try data(&offset, input.count - offset)
    }
  }

  /// Whether the peer may end the body by closing the connection.
  var endsWithConnection: Bool {
    if case .untilClose = framing { return true }
    return false
  }

  private mutating func data(
    _ offset: inout Int, _ bytes: Int
  ) throws(HTTP1Error) -> ChunkedDecoder.Event {
    try count(bytes)
    let range = offset..<offset + bytes
    offset += bytes
    return .data(range)
  }

  private mutating func count(_ bytes: Int) throws(HTTP1Error) {
    received += UInt64(bytes)
    guard received <= bytesMax else { throw .bodyTooLarge }
  }
}
