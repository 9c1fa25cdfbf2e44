import CZlib

/// Rewrites a PNG file with only the chunks needed to draw it (W3C PNG, third edition).
///
/// Keeps the header, the palette, transparency, the picture, and three small chunks on colours.
/// Removes texts, times, Exif, colour profiles, further frames of animations, unknown chunks, and
/// bytes after the end.
enum PNGParts {
  /// The signature at the start of every file.
  static let beginning: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Maximum number of chunks; encoders write one per 8 or 32 KiB.
  private static let chunksMax = 8192

  /// The state of reading, and the output.
  private struct Reading {
    var size: (width: Int, height: Int)?
    var usesPalette = false
    var hasPalette = false
    var hasData = false
    var isAfterData = false
    var kept = beginning
  }

  /// Returns the file with only the picture, and its size.
  ///
  /// - Throws: `PictureFault` if it is not a complete PNG file.
  static func cleaned(
    _ file: [UInt8]
  ) throws(PictureFault) -> (width: Int, height: Int, bytes: [UInt8]) {
    var source = ByteSource(file, from: beginning.count)
    var reading = Reading()
    for _ in 0..<chunksMax {
      guard let length = source.number32(), let chunk = source.take(4 + length),
        let sum = source.number32()
      else { throw .malformed("It is cut off.") }
      guard checksum(of: Array(chunk)) == sum else { throw .malformed("A chunk is damaged.") }
      let name = String(decoding: chunk.prefix(4), as: UTF8.self)
      if try read(name, Array(chunk.dropFirst(4)), &reading) {
        guard let size = reading.size else { break }
        return (size.width, size.height, reading.kept)
      }
    }
    throw .malformed("It has too many chunks.")
  }

  /// Processes one chunk; returns true at the end of the picture.
  private static func read(
    _ name: String, _ content: [UInt8], _ reading: inout Reading
  ) throws(PictureFault) -> Bool {
    guard reading.size != nil || name == "IHDR" else {
      throw .malformed("Its header does not come first.")
    }
    if reading.hasData, name != "IDAT" { reading.isAfterData = true }
    switch name {
    case "IHDR": try readHeader(content, &reading)
    case "PLTE":
      guard !reading.hasPalette, !reading.hasData, (3...768).contains(content.count),
        content.count % 3 == 0
      else { throw .malformed("Its palette is malformed.") }
      reading.hasPalette = true
    case "tRNS" where content.count <= 256 && !reading.hasData: break
    case "gAMA" where content.count == 4 && !reading.hasData: break
    case "sRGB" where content.count == 1 && !reading.hasData: break
    case "cHRM" where content.count == 32 && !reading.hasData: break
    case "IDAT":
      guard reading.hasPalette || !reading.usesPalette else {
        throw .malformed("It has no palette.")
      }
      guard !reading.isAfterData else { throw .malformed("Its data chunks are not consecutive.") }
      reading.hasData = true
    case "IEND":
      guard reading.hasData, content.isEmpty else { throw .malformed("It ends too early.") }
      append(name, [], to: &reading.kept)
      return true
    default: return false
    }
    append(name, content, to: &reading.kept)
    return false
  }

  /// Reads size, bit depth and colour type (11.2.1).
  private static func readHeader(
    _ content: [UInt8], _ reading: inout Reading
  ) throws(PictureFault) {
    var source = ByteSource(content)
    guard reading.size == nil, content.count == 13, let width = source.number32(),
      let height = source.number32(), let depth = source.byte(), let colours = source.byte(),
      depths[colours]?.contains(depth) == true, content[10] == 0, content[11] == 0,
      content[12] <= 1
    else { throw .malformed("Its header is malformed.") }
    try SentPicture.check(width: width, height: height)
    reading.size = (width, height)
    reading.usesPalette = colours == 3
  }

  /// The bit depths allowed for each colour type.
  private static let depths: [UInt8: [UInt8]] = [
    0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16],
  ]

  // MARK: Writing

  /// Appends a chunk with its length and checksum.
  static func append(_ name: String, _ content: [UInt8], to bytes: inout [UInt8]) {
    let chunk = Array(name.utf8) + content
    append(UInt32(content.count), to: &bytes)
    bytes += chunk
    append(UInt32(checksum(of: chunk)), to: &bytes)
  }

  /// Appends a big-endian number of four bytes.
  static func append(_ number: UInt32, to bytes: inout [UInt8]) {
    for shift in [24, 16, 8, 0] as [UInt32] {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  /// The CRC-32 of a chunk's name and content.
  private static func checksum(of chunk: [UInt8]) -> Int {
    // SAFETY: zlib reads exactly the bytes of the array, which is valid during the call.
    unsafe chunk.withUnsafeBufferPointer { bytes in
      unsafe Int(crc32(0, bytes.baseAddress, UInt32(bytes.count)))
    }
  }
}
