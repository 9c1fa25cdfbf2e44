/// The orientation of a camera: the only Exif value that a viewer needs to draw a picture upright.
enum ExifOrientation {
  private static let name: [UInt8] = Array("Exif".utf8) + [0, 0]
  /// The tag of the orientation and the type of its value (Exif 2.32, 4.6.4).
  private static let tag = 0x0112
  private static let short = 3

  /// The orientation in the content of an APP1 segment, 1 to 8; nil if missing.
  static func read(_ content: [UInt8]) -> UInt8? {
    guard content.starts(with: name) else { return nil }
    let tiff = Array(content.dropFirst(name.count))
    guard tiff.count >= 8 else { return nil }
    let isLittle: Bool
    switch (tiff[0], tiff[1]) {
    case (0x49, 0x49): isLittle = true
    case (0x4D, 0x4D): isLittle = false
    default: return nil
    }
    func number(_ count: Int, at place: Int) -> Int? {
      guard place >= 0, place <= tiff.count - count else { return nil }
      let part = tiff[place..<place + count]
      return isLittle
        ? part.reversed().reduce(0) { $0 << 8 | Int($1) } : part.reduce(0) { $0 << 8 | Int($1) }
    }
    guard let start = number(4, at: 4), let count = number(2, at: start) else { return nil }
    for index in 0..<count {
      let entry = start + 2 + 12 * index
      guard let found = number(2, at: entry) else { return nil }
      guard found == tag, number(2, at: entry + 2) == short else { continue }
      guard let value = number(2, at: entry + 8), (1...8).contains(value) else { return nil }
      return UInt8(value)
    }
    return nil
  }

  /// An APP1 segment with this orientation only; empty for an upright picture.
  static func segment(_ orientation: UInt8) -> [UInt8] {
    guard (2...8).contains(orientation) else { return [] }
    // Big-endian TIFF with one directory of one entry.
    let content: [UInt8] =
      name + [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1]
      + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
    return [0xFF, 0xE1, 0, UInt8(content.count + 2)] + content
  }
}
