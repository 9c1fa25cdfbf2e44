/// Decodes the chunked coding of a body (RFC 9112, section 7.1). Extensions and trailers are parsed
/// strictly, limited and dropped.
package struct ChunkedDecoder: Sendable {
  /// A part of the body as a range of the input, or its end.
  package enum Event: Sendable, Hashable {
    case data(Range<Int>)
    case end
  }

  private enum State: Sendable {
    case size
    case chunkExtension
    case sizeLineFeed
    case data
    case dataCarriageReturn
    case dataLineFeed
    case trailerStart
    case trailerName
    case trailerValue
    case trailerLineFeed
    case lastLineFeed
    case ended
  }

  private let limits: Shared<HTTPLimits>
  private var state = State.size
  private var remaining: UInt64 = 0
  private var digits = 0
  private var lineBytes = 0
  private var extensionBytes = 0
  private var trailerBytes = 0

  /// A decoder at the beginning of a body.
  package init(limits: Shared<HTTPLimits>) { self.limits = limits }

  /// Returns the next event in `input` from `offset`, which advances past the bytes read; nil at
  /// the end of the input.
  ///
  /// - Throws: `malformedChunk`.
  package mutating func next(
    _ input: Span<UInt8>, at offset: inout Int
  ) throws(HTTP1Error) -> Event? {
    while offset < input.count {
      if case .data = state {
        let count = Int(min(remaining, UInt64(input.count - offset)))
        let range = offset..<offset + count
        offset += count
        remaining -= UInt64(count)
        if remaining == 0 { state = .dataCarriageReturn }
        return .data(range)
      }
      let byte = input[offset]
      offset += 1
      try read(byte)
      if case .ended = state { return .end }
    }
    return nil
  }

  private mutating func read(_ byte: UInt8) throws(HTTP1Error) {
    switch state {
    case .size: try readSize(byte)
    case .chunkExtension: try readExtension(byte)
    case .sizeLineFeed:
      guard byte == ASCII.lineFeed else { throw .malformedChunk }
      state = remaining == 0 ? .trailerStart : .data
      digits = 0
      lineBytes = 0
    case .dataCarriageReturn:
      guard byte == ASCII.carriageReturn else { throw .malformedChunk }
      state = .dataLineFeed
    case .dataLineFeed:
      guard byte == ASCII.lineFeed else { throw .malformedChunk }
      state = .size
    case .trailerStart, .trailerName, .trailerValue, .trailerLineFeed, .lastLineFeed:
      try readTrailer(byte)
    case .data, .ended: throw .malformedChunk
    }
  }

  private mutating func readSize(_ byte: UInt8) throws(HTTP1Error) {
    if let digit = ASCII.hexadecimal(byte) {
      // Fifteen digits cannot overflow the sum.
      guard digits < 15 else { throw .malformedChunk }
      remaining = remaining << 4 | UInt64(digit)
      digits += 1
      return
    }
    guard digits > 0 else { throw .malformedChunk }
    switch byte {
    case ASCII.carriageReturn: state = .sizeLineFeed
    case 0x3B: state = .chunkExtension
    default: throw .malformedChunk
    }
    lineBytes = digits + 1
  }

  private mutating func readExtension(_ byte: UInt8) throws(HTTP1Error) {
    if byte == ASCII.carriageReturn {
      state = .sizeLineFeed
      return
    }
    lineBytes += 1
    extensionBytes += 1
    guard ASCII.isFieldValue(byte), lineBytes <= limits.value.chunkLineBytesMax,
      extensionBytes <= limits.value.chunkExtensionBytesMax
    else { throw .malformedChunk }
  }

  private mutating func readTrailer(_ byte: UInt8) throws(HTTP1Error) {
    trailerBytes += 1
    guard trailerBytes <= limits.value.trailerBytesMax else { throw .malformedChunk }
    switch state {
    case .trailerStart where byte == ASCII.carriageReturn: state = .lastLineFeed
    case .trailerStart where ASCII.isToken(byte): state = .trailerName
    case .trailerName where byte == ASCII.colon: state = .trailerValue
    case .trailerName where ASCII.isToken(byte): break
    case .trailerValue where byte == ASCII.carriageReturn: state = .trailerLineFeed
    case .trailerValue where ASCII.isFieldValue(byte): break
    case .trailerLineFeed where byte == ASCII.lineFeed: state = .trailerStart
    case .lastLineFeed where byte == ASCII.lineFeed: state = .ended
    default: throw .malformedChunk
    }
  }
}
