import Domain
import Privacy

/// The six digits that a device shows and its user types.
enum PairingCode {
  /// How many there are.
  static let count: UInt32 = 1_000_000

  /// Draws one from the secure source; each is as likely as any other.
  static func random() -> String {
    // 32 random bits beyond the greatest multiple of the count are drawn again.
    let limit = UInt32.max - UInt32.max % count
    while true {
      let word = UInt32(bigEndianBytes: secureRandom(count: 4))
      guard word < limit else { continue }
      return String(String(count + word % count).dropFirst())
    }
  }

  /// Whether it is six digits.
  static func isCode(_ text: String) -> Bool {
    text.utf8.count == 6 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}
