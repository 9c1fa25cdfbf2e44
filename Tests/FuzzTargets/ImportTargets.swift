import Data4Help
import Domain

// What must hold of every file that is imported: it is refused with a place and a sentence, or its
// samples are plausible; and it does not matter in which pieces it arrives.

/// An export reads the same in one piece and byte by byte, or is refused in both.
package func fuzzImport(_ bytes: [UInt8], _ format: ImportFormat = .appleHealth) {
  let whole = readExport(bytes, format, inPiecesOf: max(1, bytes.count))
  let split = readExport(bytes, format, inPiecesOf: 7)
  // What was read before a fault may differ: broken data shows at the end of what was inflated.
  let isRefused = whole.fault != nil && split.fault != nil
  precondition(isRefused || whole == split, "an export reads differently in pieces")
  for sample in whole.samples {
    guard let range = sample.type.plausibleRange, let value = sample.value.number else { continue }
    precondition(range.contains(value), "an implausible value was imported")
  }
}

/// What an export came to.
package struct ReadExport: Equatable {
  /// The samples before a fault, if there is one.
  package var samples: [Sample] = []
  /// Records that are no sample, by type.
  package var skipped: [String: Int] = [:]
  /// Why it was refused.
  package var fault: ImportFault?
}

/// Reads a file that arrives in pieces of this many bytes, and is parsed in such pieces.
package func readExport(
  _ bytes: [UInt8], _ format: ImportFormat = .appleHealth, inPiecesOf count: Int,
  at now: Int64 = 1_773_000_000_000
) -> ReadExport {
  var export = ReadExport()
  guard
    var reader = ExportReader(
      format, now: Timestamp(millisecondsSince1970: now), pieceBytes: count)
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
