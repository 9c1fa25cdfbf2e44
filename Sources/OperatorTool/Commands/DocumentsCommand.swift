import Domain
import Installation
import Operations
import Postgres

/// `trackme documents publish DOCUMENT VERSION FILE`: publishes a version of the privacy policy,
/// the terms, the liability or the jurisdiction. From then on, registrations need consent to this
/// version (ACC-2). The file is UTF-8 text; its first line is the title. Files for both languages
/// are `it=FILE en=FILE`; the first one is also the text for readers of other languages. The
/// database must be running.
enum DocumentsCommand {
  private static let versionLengthMax = 50

  static var usage: String {
    let words = LegalDocument.allCases.map(\.rawValue).joined(separator: "|")
    return "usage: trackme documents publish \(words) VERSION FILE, or it=FILE en=FILE"
  }

  static func run(_ arguments: [String]) -> Int32 {
    Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(arguments)
      guard operands.count >= 4, operands[0] == "publish",
        let document = LegalDocument(rawValue: operands[1])
      else {
        throw StartError(usage)
      }
      let version = operands[2]
      guard (1...versionLengthMax).contains(version.unicodeScalars.count) else {
        throw StartError("A version has 1 to \(versionLengthMax) characters.")
      }
      guard !version.hasPrefix(DocumentTemplates.versionPrefix) else {
        throw StartError(
          "Versions that begin with \(DocumentTemplates.versionPrefix) are those of the templates.")
      }
      try publish(try texts(document, version, files: operands.dropFirst(3)), installation)
      Terminal.say("\(document.rawValue) \(version) is published.")
    }
  }

  /// The version with the texts of its files: one of any language, or one for each language.
  private static func texts(
    _ document: LegalDocument, _ version: String, files: ArraySlice<String>
  ) throws(StartError) -> DocumentVersion {
    if let file = files.first, files.count == 1, language(of: file) == nil {
      return DocumentVersion(
        document: document, version: version, text: try LegalText.read(file), translations: [:])
    }
    var texts: [LegalText] = []
    var translations: [Language: LegalText] = [:]
    for operand in files {
      guard let language = language(of: operand), translations[language] == nil else {
        throw StartError(usage)
      }
      let text = try LegalText.read(String(operand.dropFirst(language.rawValue.count + 1)))
      translations[language] = text
      texts.append(text)
    }
    guard let text = texts.first else { throw StartError(usage) }
    return DocumentVersion(
      document: document, version: version, text: text, translations: translations)
  }

  /// The language of an operand as `it=FILE`; nil for a file without one.
  private static func language(of operand: String) -> Language? {
    Language.allCases.first { operand.hasPrefix("\($0.rawValue)=") }
  }

  private static func publish(
    _ version: DocumentVersion, _ installation: Installation
  ) throws(StartError) {
    let url = try DatabaseURLs(installation).migrationURL(.trackme).revealed
    let isNew: Bool
    do throws(AdminSessionError) {
      let session = try AdminSession(url: url, applicationName: "trackme documents")
      try session.run("BEGIN")
      isNew = try version.publish(in: session)
      try session.run("COMMIT")
    } catch {
      throw StartError(databaseUnavailable: error)
    }
    guard isNew else {
      throw StartError(
        "\(version.document.rawValue) \(version.version) was published before, and a published "
          + "version never changes: publish another one.")
    }
  }
}
