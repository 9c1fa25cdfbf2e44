/// Rewrites a JPEG file with only the segments needed to draw it (ITU T.81, annex B).
///
/// Keeps the frame, its tables and scans, Adobe's colour marker, and the orientation. Removes all
/// other metadata: Exif with location, author and thumbnail, XMP, colour profiles, comments, and
/// further pictures after the first.
enum JPEGParts {
  /// The first bytes of every file: start of image, and the first byte of the next marker.
  static let beginning: [UInt8] = [0xFF, 0xD8, 0xFF]

  /// Maximum number of segments; a progressive picture has a few dozen.
  private static let segmentsMax = 4096

  private enum Marker {
    static let huffmanTables: UInt8 = 0xC4
    static let endOfImage: UInt8 = 0xD9
    static let startOfScan: UInt8 = 0xDA
    static let quantizationTables: UInt8 = 0xDB
    static let restartInterval: UInt8 = 0xDD
    static let exif: UInt8 = 0xE1
    static let adobe: UInt8 = 0xEE
    /// Huffman-coded baseline, extended and progressive frames: those that viewers support.
    static let frames: ClosedRange<UInt8> = 0xC0...0xC2
    static let otherFrames: [ClosedRange<UInt8>] = [0xC3...0xC3, 0xC5...0xC7, 0xC8...0xCF]
    static let restarts: ClosedRange<UInt8> = 0xD0...0xD7
    static let startOfImage: UInt8 = 0xD8
    /// The first marker that is followed by a length.
    static let first: UInt8 = 0xC0
  }

  /// The state of reading, and the output.
  private struct Reading {
    var source: ByteSource
    var size: (width: Int, height: Int)?
    var hasScan = false
    var orientation: UInt8 = 1
    var kept: [UInt8] = []
  }

  /// Returns the file with only the picture, and its size.
  ///
  /// - Throws: `PictureFault` if it is not a complete JPEG file.
  static func cleaned(
    _ file: [UInt8]
  ) throws(PictureFault) -> (width: Int, height: Int, bytes: [UInt8]) {
    var reading = Reading(source: ByteSource(file, from: 2))
    var segments = 0
    while let marker = try nextMarker(&reading.source) {
      segments += 1
      guard segments <= segmentsMax else { throw .malformed("It has too many segments.") }
      guard marker != Marker.endOfImage else { break }
      try read(marker, &reading)
    }
    guard let size = reading.size, reading.hasScan else {
      throw .malformed("It ends before its picture.")
    }
    var bytes: [UInt8] = [0xFF, 0xD8]
    bytes += ExifOrientation.segment(reading.orientation)
    bytes += reading.kept
    bytes += [0xFF, Marker.endOfImage]
    return (size.width, size.height, bytes)
  }

  /// Reads the next marker after any number of fill bytes; nil at the end of the file, which may
  /// precede the end-of-image marker if the camera was interrupted.
  private static func nextMarker(_ source: inout ByteSource) throws(PictureFault) -> UInt8? {
    guard let first = source.byte() else { return nil }
    guard first == 0xFF else { throw .malformed("A segment does not begin with a marker.") }
    while source.peek == 0xFF { _ = source.byte() }
    guard let marker = source.byte() else { return nil }
    guard marker >= Marker.first, marker != Marker.startOfImage, !Marker.restarts.contains(marker)
    else { throw .malformed("A segment has an invalid marker.") }
    return marker
  }

  private static func read(
    _ marker: UInt8, _ reading: inout Reading
  ) throws(PictureFault) {
    guard let length = reading.source.number16(), length >= 2,
      let content = reading.source.take(length - 2)
    else { throw .malformed("A segment is cut off.") }
    switch marker {
    case Marker.frames:
      guard reading.size == nil else { throw .malformed("It has two frames.") }
      reading.size = try size(ofFrame: Array(content))
    case Marker.startOfScan:
      guard reading.size != nil else { throw .malformed("A scan comes before its frame.") }
      guard (6...12).contains(content.count) else { throw .malformed("A scan is malformed.") }
      keep(marker, content, &reading)
      return scan(&reading)
    case Marker.quantizationTables, Marker.huffmanTables: break
    case Marker.restartInterval:
      guard content.count == 2 else { throw .malformed("A restart interval is malformed.") }
    case Marker.adobe:
      guard content.count == 12, content.starts(with: Array("Adobe".utf8)) else { return }
    case Marker.exif:
      reading.orientation = ExifOrientation.read(Array(content)) ?? reading.orientation
      return
    case let other where Marker.otherFrames.contains { $0.contains(other) }:
      throw .malformed("It uses a coding that browsers do not support.")
    default: return
    }
    keep(marker, content, &reading)
  }

  private static func keep(
    _ marker: UInt8, _ content: ArraySlice<UInt8>, _ reading: inout Reading
  ) {
    reading.kept += [0xFF, marker]
    reading.kept += [UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 0xFF)]
    reading.kept += content
  }

  /// Copies the coded data of a scan, up to a marker other than restart (B.1.1.5).
  private static func scan(_ reading: inout Reading) {
    reading.hasScan = true
    while let byte = reading.source.byte() {
      guard byte == 0xFF else {
        reading.kept.append(byte)
        continue
      }
      // A file truncated within a marker ends before the marker.
      guard let next = reading.source.peek else { return }
      guard next == 0 || Marker.restarts.contains(next) else {
        reading.source.stepBack()
        return
      }
      reading.kept += [byte, next]
      _ = reading.source.byte()
    }
  }

  /// Reads the size from a frame's header (B.2.2): precision, height, width, and three bytes per
  /// component.
  private static func size(
    ofFrame content: [UInt8]
  ) throws(PictureFault) -> (width: Int, height: Int) {
    var source = ByteSource(content)
    guard let precision = source.byte(), precision == 8 || precision == 12,
      let height = source.number16(), let width = source.number16(),
      let components = source.byte(), (1...4).contains(components),
      source.count == 3 * Int(components)
    else { throw .malformed("Its frame is malformed.") }
    try SentPicture.check(width: width, height: height)
    return (width, height)
  }
}
