import Bytes

/// The 256-bit output of a hash or a keyed hash.
package struct Digest256: Hashable, Sendable {
  /// The length in bytes.
  package static let byteCount = 32
  private let words: (UInt64, UInt64, UInt64, UInt64)

  init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

  /// Reads 32 bytes, else throws `digestLengthWrong`.
  package init(bytes: Span<UInt8>) throws(CryptographyError) {
    guard bytes.count == Self.byteCount else { throw .digestLengthWrong }
    self.init(first32Of: bytes)
  }

  /// Reads the first 32 bytes; the caller guarantees that there are that many.
  init(first32Of bytes: Span<UInt8>) {
    words = (
      bytes.bigEndianWord(at: 0), bytes.bigEndianWord(at: 8),
      bytes.bigEndianWord(at: 16), bytes.bigEndianWord(at: 24)
    )
  }

  /// The 32 bytes, as a database column holds them.
  package var bytes: [UInt8] {
    let raw = inlineBytes
    return [UInt8](capacity: Self.byteCount) { output in
      for index in raw.indices { output.append(raw[index]) }
    }
  }

  /// The 32 bytes without an allocation.
  package var inlineBytes: InlineArray<32, UInt8> {
    InlineArray { index in
      let word = index < 16 ? (index < 8 ? words.0 : words.1) : (index < 24 ? words.2 : words.3)
      return UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64(index & 7)))
    }
  }

  /// Appends the 64 lower-case hexadecimal digits.
  package func appendHexadecimal(to text: inout [UInt8]) {
    text.append(addingCapacity: 2 * Self.byteCount) { output in
      for part in 0..<8 {
        let word =
          part < 4 ? (part < 2 ? words.0 : words.1) : (part < 6 ? words.2 : words.3)
        let digits = Hexadecimal.digits(
          UInt32(truncatingIfNeeded: part & 1 == 0 ? word >> 32 : word))
        for place in 0..<8 {
          output.append(UInt8(truncatingIfNeeded: digits >> UInt64(56 - 8 * place)))
        }
      }
    }
  }

  /// Compares in a time that does not depend on where the two differ.
  package func isEqualInConstantTime(to other: Digest256) -> Bool {
    (words.0 ^ other.words.0) | (words.1 ^ other.words.1)
      | (words.2 ^ other.words.2) | (words.3 ^ other.words.3) == 0
  }

  package static func == (left: Digest256, right: Digest256) -> Bool {
    left.isEqualInConstantTime(to: right)
  }

  /// All bits of a digest are equally unpredictable, so that one word of them suffices.
  package func hash(into hasher: inout Hasher) { hasher.combine(words.0) }

  /// Eight bits that divide digests evenly.
  package var lastByte: UInt8 { UInt8(truncatingIfNeeded: words.3) }
}

/// A 32-byte value that represents something without revealing it; each use has its own type.
package protocol DigestValue: Hashable, Sendable {
  /// The 256 bits.
  var digest: Digest256 { get }
  /// Wraps the bits in the type.
  init(digest: Digest256)
}

extension DigestValue {
  /// Reads 32 bytes as a database column holds them, else throws `digestLengthWrong`.
  package init(bytes: Span<UInt8>) throws(CryptographyError) {
    self.init(digest: try Digest256(bytes: bytes))
  }

  /// The 32 bytes, as a database column holds them.
  package var bytes: [UInt8] { digest.bytes }
}
