import Domain
import JSON

/// Consent to one version of a document, as a client sends it (ACC-2).
struct ConsentEntry: Sendable, Hashable, JSONReadable {
  let document: LegalDocument
  let version: String

  init(from reader: inout JSONReader) throws(JSONError) {
    var document: LegalDocument?
    var version: String?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "document": document = try reader.enumCase(LegalDocument.self)
      case "version": version = try reader.string()
      default: break
      }
    }
    self.document = try reader.mandatory("document", document)
    self.version = try reader.mandatory("version", version)
  }

  /// The list of a body, each document once.
  static func list(_ reader: inout JSONReader) throws(JSONError) -> [ConsentEntry] {
    let entries = try reader.list(
      of: ConsentEntry.self, countMax: LegalDocument.allCases.count)
    guard Set(entries.map(\.document)).count == entries.count else {
      throw reader.refusal("Name each document once.")
    }
    return entries
  }
}
