import Cryptography

/// Decodes hexadecimal text with spaces, independently of the code under test.
func hex(_ text: String) -> [UInt8] {
  let digits = text.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
}

/// The bytes of hexadecimal text as a secret.
func secret(_ text: String) -> SecretBytes { SecretBytes(copying: hex(text).span) }
