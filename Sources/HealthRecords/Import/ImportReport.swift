import Bytes
import Cryptography
import Domain
import JSON
import ServiceKit

/// The report of an import, sealed in its row.
package struct ImportReport: Hashable, Sendable, JSONReadable, JSONWritable {
  /// Samples read from the file.
  var samples = 0
  /// The outcome of the samples merged so far.
  var outcome = AppendOutcome()
  /// Records that are not samples, by their type in the file.
  var skipped: [String: Int] = [:]
  /// Why the import failed.
  var error: ImportFault?

  /// An empty report.
  init() {}

  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "samples": samples = try reader.integer()
      case "stored": outcome.stored = try reader.integer()
      case "duplicates": outcome.duplicates = try reader.integer()
      case "disabled": outcome.disabled = try reader.integer()
      case "paused": outcome.paused = try reader.integer()
      case "dropped": outcome.dropped = try reader.integer()
      case "skipped":
        try reader.beginObject()
        while let type = try reader.nextField() { skipped[type.text] = try reader.integer() }
      case "error": error = try reader.value()
      default: break
      }
    }
  }

  /// Writes an object of the fields.
  package func write(to writer: inout JSONWriter) {
    writer.object { writeFields(to: &$0) }
  }

  /// Writes the fields of the answer that come from the report.
  package func writeFields(to writer: inout JSONWriter) {
    writer.field("samples", samples)
    writer.field("stored", outcome.stored)
    writer.field("duplicates", outcome.duplicates)
    writer.field("disabled", outcome.disabled)
    writer.field("paused", outcome.paused)
    writer.field("dropped", outcome.dropped)
    writer.object("skipped") { writer in
      for (type, count) in skipped.sorted(by: { $0.key < $1.key }) { writer.field(type, count) }
    }
    writer.fieldIfPresent("error", error)
  }

  // MARK: Sealed

  /// The sealed report for the row of this import.
  func sealed(_ key: ImportKey, with sealingKey: SealingKey) -> [UInt8] {
    sealingKey.sealJSON(of: self, for: key.reportSeal)
  }

  /// Opens the report of an import.
  ///
  /// - Throws: `internalError` if it was not sealed for this import.
  package init(
    sealed: [UInt8], _ key: ImportKey, with sealingKey: SealingKey
  ) throws(ApplicationError) {
    self = try mapStorageError { () throws(CryptographyError) in
      try sealingKey.openJSON(ImportReport.self, sealed.span, for: key.reportSeal)
    }
  }
}

/// The key of an import: its account and its identifier.
package struct ImportKey: Hashable, Sendable {
  let account: AccountID
  let id: UniversalID

  /// The import of an account with this identifier.
  package init(account: AccountID, id: UniversalID) {
    self.account = account
    self.id = id
  }

  var reportSeal: SealContext {
    SealContext(
      table: "imports", column: "sealed_report",
      row: SealRow(account.rawValue, Int64(bitPattern: id.high), Int64(bitPattern: id.low)))
  }

  func blockSeal(_ number: Int32) -> SealContext {
    SealContext(
      table: "import_blocks", column: "data",
      row: SealRow(
        account.rawValue, Int64(bitPattern: id.high), Int64(bitPattern: id.low), Int64(number)))
  }
}
