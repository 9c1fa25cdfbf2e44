import Privacy

/// Decodes hexadecimal text with spaces, independently of the code under test.
func hex(_ text: String) -> [UInt8] {
  let digits = text.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
}

/// The bytes of hexadecimal text as a secret.
func secret(_ text: String) -> SecretBytes { SecretBytes(copying: hex(text).span) }

/// A reproducible generator for random tests (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// Starts from a random seed, which is printed so that a failure can be repeated.
  init(test: String, seed: UInt64 = .random(in: .min ... .max)) {
    print("\(test): seed \(seed)")
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
    return value ^ value >> 31
  }
}
