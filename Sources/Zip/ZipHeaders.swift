/// The header in front of an entry's data (APPNOTE 6.3.10, 4.3.7).
struct ZipLocalHeader {
  /// The compression method.
  enum Method {
    case stored
    case deflated
  }

  static let fixedBytes = 30
  static let signature: UInt32 = 0x0403_4B50

  let name: [UInt8]
  let method: Method
  let checksum: UInt32
  let compressedBytes: UInt64
  let inflatedBytes: UInt64
  /// Whether checksum and sizes follow the data.
  let hasDescriptor: Bool
  /// Whether the sizes after the data have eight bytes each.
  let isZip64: Bool

  /// The length in bytes of the header that begins here, nil if too few bytes are present.
  static func count(_ bytes: Span<UInt8>) -> Int? {
    guard bytes.count >= fixedBytes else { return nil }
    return fixedBytes + Int(bytes.little16(at: 26)) + Int(bytes.little16(at: 28))
  }

  /// Reads a whole header.
  ///
  /// - Throws: for encrypted entries and unsupported methods.
  init(_ bytes: Span<UInt8>) throws(ZipFault) {
    let flags = bytes.little16(at: 6)
    // Bits 0, 6 and 13: encryption of the data, strong encryption, and encryption of the headers.
    guard flags & 0x2041 == 0 else { throw ZipFault("The zip is encrypted.") }
    switch bytes.little16(at: 8) {
    case 0: method = .stored
    case 8: method = .deflated
    default: throw ZipFault("The zip uses a compression method other than deflate.")
    }
    hasDescriptor = flags & 8 != 0
    guard !hasDescriptor || method == .deflated else {
      throw ZipFault("The zip has an uncompressed entry without its size.")
    }
    checksum = bytes.little32(at: 14)
    let nameBytes = Int(bytes.little16(at: 26))
    guard nameBytes <= ZipLimits.nameBytesMax else {
      throw ZipFault("A name in the zip is longer than \(ZipLimits.nameBytesMax) bytes.")
    }
    let nameEnd = Self.fixedBytes + nameBytes
    name = (Self.fixedBytes..<nameEnd).map { bytes[$0] }
    let compressed = bytes.little32(at: 18)
    let inflated = bytes.little32(at: 22)
    let large = Self.largeSizes(bytes.extracting(nameEnd..<bytes.count))
    isZip64 = large != nil
    compressedBytes =
      compressed == .max ? large?.compressed ?? UInt64(compressed) : UInt64(compressed)
    inflatedBytes = inflated == .max ? large?.inflated ?? UInt64(inflated) : UInt64(inflated)
  }

  /// The sizes of the extra field 1 (4.5.3); a local header has both.
  private static func largeSizes(
    _ extra: Span<UInt8>
  ) -> (inflated: UInt64, compressed: UInt64)? {
    var index = 0
    while index + 4 <= extra.count {
      let count = Int(extra.little16(at: index + 2))
      guard index + 4 + count <= extra.count else { return nil }
      if extra.little16(at: index) == 1 {
        guard count >= 16 else { return (0, 0) }
        return (extra.little64(at: index + 4), extra.little64(at: index + 12))
      }
      index += 4 + count
    }
    return nil
  }

  /// Whether this is a file with such a name: `export.xml`, which Apple names in the phone's
  /// language; neither the clinical document beside it (`export_cda.xml`) nor the resource fork
  /// that macOS adds to a file.
  func isFile(endingIn ending: String) -> Bool {
    let path = name.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
    let file = path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]
    return file.count > ending.utf8.count
      && file.suffix(ending.utf8.count).elementsEqual(ending.utf8)
      && !file.suffix(8).elementsEqual("_cda.xml".utf8) && !file.starts(with: "._".utf8)
      && !path.starts(with: "__macosx/".utf8)
  }
}

/// The descriptor after data whose sizes were unknown before it (4.3.9).
enum ZipDescriptor {
  /// The maximum length in bytes; a zip always has more than these after an entry.
  static let bytesMax = 24
  private static let signature: UInt32 = 0x0807_4B50

  /// The length of the descriptor, in one of its four forms, that contains these three values; nil
  /// if none does.
  static func count(
    _ bytes: Span<UInt8>, checksum: UInt32, compressed: UInt64, inflated: UInt64
  ) -> Int? {
    for start in [4, 0] {
      guard bytes.count >= start + 20, bytes.little32(at: start) == checksum else { continue }
      if start == 4, bytes.little32(at: 0) != signature { continue }
      if bytes.little32(at: start + 4) == UInt32(truncatingIfNeeded: compressed),
        bytes.little32(at: start + 8) == UInt32(truncatingIfNeeded: inflated)
      {
        return start + 12
      }
      if bytes.little64(at: start + 4) == compressed, bytes.little64(at: start + 12) == inflated {
        return start + 20
      }
    }
    return nil
  }
}

extension Span where Element == UInt8 {
  /// The number in the two bytes from `index` on, least significant first.
  func little16(at index: Int) -> UInt16 { UInt16(self[index]) | UInt16(self[index + 1]) << 8 }

  /// The number in four bytes.
  func little32(at index: Int) -> UInt32 {
    UInt32(little16(at: index)) | UInt32(little16(at: index + 2)) << 16
  }

  /// The number in eight bytes.
  func little64(at index: Int) -> UInt64 {
    UInt64(little32(at: index)) | UInt64(little32(at: index + 4)) << 32
  }
}
