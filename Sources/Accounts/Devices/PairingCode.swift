import Bytes
import Cryptography
import Domain

/// The six digits that a device shows and its user enters.
enum PairingCode {
  /// The number of possible codes.
  static let count: UInt32 = 1_000_000

  /// Draws a code from the secure source, all with equal probability.
  static func random() -> String {
    // Random 32-bit values beyond the greatest multiple of the count are rejected, to avoid a bias.
    let limit = UInt32.max - UInt32.max % count
    while true {
      let word = UInt32(bigEndianBytes: secureRandom(count: 4))
      guard word < limit else { continue }
      return String(String(count + word % count).dropFirst())
    }
  }
}
