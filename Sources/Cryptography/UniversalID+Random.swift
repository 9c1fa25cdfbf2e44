import Bytes

extension UniversalID {
  /// Generates a random identifier (version 4).
  package static func random() -> UniversalID {
    let bits = randomBits()
    return UniversalID(random: bits.high, bits.low)
  }

  /// Generates an identifier that sorts by time (version 7), from milliseconds since 1970 in 48
  /// bits.
  ///
  /// Identifiers of one millisecond have no order. It reveals its creation time: not for secrets.
  package static func ordered(millisecondsSince1970 time: Int64) -> UniversalID {
    let bits = randomBits()
    let stamp = UInt64(bitPattern: time) << 16
    return UniversalID(
      high: stamp | 0x7000 | bits.high & 0x0fff, low: bits.low & ~(0b11 << 62) | 0b10 << 62)
  }

  private static func randomBits() -> (high: UInt64, low: UInt64) {
    let bytes: InlineArray<16, UInt8> = PublicRandomness.draw()
    return (bytes.span.bigEndianWord(at: 0), bytes.span.bigEndianWord(at: 8))
  }
}
