import Domain
import HealthRecords
import Time

// Properties of every imported file: it is refused with a position and a sentence, or its samples
// are plausible; and the division into pieces has no effect.

/// An export has the same result in one piece and byte by byte, or is refused in both cases.
package func fuzzImport(_ bytes: [UInt8], _ format: ImportFormat = .appleHealth) {
  let whole = readExport(bytes, format, inPiecesOf: max(1, bytes.count))
  let split = readExport(bytes, format, inPiecesOf: 7)
  // The samples before a fault may differ, because corrupt data appears at the end of the inflated
  // bytes.
  let isRefused = whole.fault != nil && split.fault != nil
  precondition(isRefused || whole == split, "an export reads differently in pieces")
  for sample in whole.samples {
    guard let range = sample.type.plausibleRange, let value = sample.value.number else { continue }
    precondition(range.contains(value), "an implausible value was imported")
  }
}

/// The result of reading an export.
package struct ReadExport: Equatable {
  /// The samples before a fault, if any.
  package var samples: [Sample] = []
  /// Ignored records by type.
  package var skipped: [String: Int] = [:]
  /// The reason of a refusal.
  package var fault: ImportFault?
}

/// Reads a file that arrives, and is parsed, in pieces of this many bytes.
package func readExport(
  _ bytes: [UInt8], _ format: ImportFormat = .appleHealth, inPiecesOf count: Int,
  at now: Int64 = 1_773_000_000_000
) -> ReadExport {
  var export = ReadExport()
  guard
    var reader = ExportReader(
      format, now: Instant(millisecondsSince1970: now), pieceBytes: count)
  else { return export }
  do throws(ImportFault) {
    var start = 0
    while start < bytes.count {
      let end = min(start + count, bytes.count)
      reader.append(Array(bytes[start..<end]))
      while try reader.advance() {}
      start = end
    }
    try reader.finish()
  } catch {
    export.fault = error
  }
  export.samples = reader.takeSamples()
  export.skipped = reader.skipped
  return export
}
