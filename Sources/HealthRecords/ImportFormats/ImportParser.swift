import Domain
import Time
import Zip

/// The application that wrote an imported file (DAT-6).
package enum ImportFormat: String, CaseIterable, Sendable {
  /// Apple Health's `export.xml`, or the zip around it.
  case appleHealth = "apple-health"
  /// The JSON of Health Auto Export, or a zip with such files.
  case healthAutoExport = "health-auto-export"
  /// Tracks in GPX 1.1, or a zip with such files, such as the routes beside Apple's export.
  case gpx

  /// A parser of one file of the format; nil if memory is short.
  func makeParser(now: Instant, pieceBytes: Int) -> (any ImportParser)? {
    switch self {
    case .appleHealth: XMLImportParser(AppleHealthDocument(now: now), pieceBytes: pieceBytes)
    case .gpx: XMLImportParser(GPXDocument(now: now), pieceBytes: pieceBytes)
    case .healthAutoExport: HealthAutoExportParser(now: now)
    }
  }

  /// Which files of a zip are read.
  var entries: ZipEntryReader.Wanted {
    switch self {
    case .appleHealth: .first(".xml", "export.xml")
    case .healthAutoExport: .every(".json", "JSON file")
    case .gpx: .every(".gpx", "GPX file")
    }
  }
}

/// Reads one file from pieces of any size, and returns its samples as they arrive; in memory that
/// does not grow with the file.
protocol ImportParser: AnyObject {
  /// Samples read and not taken yet.
  var sampleCount: Int { get }
  /// The skipped records so far.
  var skipped: SkippedRecords { get }
  /// Returns and removes the samples read so far.
  func takeSamples() -> [Sample]
  /// Parses the next piece.
  ///
  /// - Throws: if the file is malformed or over a limit; the parser can't be used afterwards.
  func feed(_ bytes: Span<UInt8>) throws(ImportFault)
  /// Ends the file.
  ///
  /// - Throws: as `feed`, also if the file is incomplete.
  func finish() throws(ImportFault)
}

/// Counts skipped records by their name in the file.
struct SkippedRecords {
  private(set) var counts: [String: Int] = [:]

  private static let other = "other"

  /// Counts a record, under `other` if the name is not an identifier of plain letters and digits,
  /// or if there are too many names.
  mutating func add(_ name: Span<UInt8>, _ count: Int = 1) {
    let name = Self.shown(name)
    if counts[name] != nil || counts.count < ImportLimits.skippedTypesMax {
      counts[name, default: 0] += count
    } else {
      counts[Self.other, default: 0] += count
    }
  }

  /// Adds the counts of another file.
  mutating func add(_ other: SkippedRecords) {
    for (name, count) in other.counts { add(name.utf8Span.span, count) }
  }

  private static func shown(_ type: Span<UInt8>) -> String {
    guard (1...128).contains(type.count) else { return other }
    var bytes: [UInt8] = []
    for index in type.indices {
      switch type[index] {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: bytes.append(type[index])
      default: return other
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
