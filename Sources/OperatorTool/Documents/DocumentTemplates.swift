import Domain
import Installation
import Operations
import Postgres

/// The templates of the documents that registrations consent to (ACC-2, NFR-6), in `sql/documents`:
/// a text file per document and language, for the operator's lawyer.
///
/// They are published after the migrations, with the settings in their gaps, until the operator
/// publishes texts of its own. Changed settings or templates are a new version.
struct DocumentTemplates: Sendable {
  /// The start of the versions of templates; a number follows.
  static let versionPrefix = "template-"

  private let installation: Installation
  private let directory: String

  /// The templates below `directory`, the directory of the migrations.
  init(_ installation: Installation, migrations directory: String) {
    self.installation = installation
    self.directory = "\(directory)/documents"
  }

  /// Publishes the templates that the settings ask for and that are not published yet. Blocks.
  ///
  /// - Returns: the documents with a new version.
  /// - Throws: `StartError` if a template is missing or the database is unavailable.
  func publish(in urls: DatabaseURLs) throws(StartError) -> [LegalDocument] {
    guard try installation.value(SettingTable.documents) == "templates" else { return [] }
    let texts = try texts()
    let url = try urls.migrationURL(.trackme).revealed
    do throws(AdminSessionError) {
      let session = try AdminSession(url: url, applicationName: "trackme documents")
      // One process at a time; registrations, which refer to the rows, continue.
      try session.run("BEGIN; LOCK TABLE data4help.documents IN SHARE ROW EXCLUSIVE MODE")
      var published: [LegalDocument] = []
      for document in LegalDocument.allCases {
        guard let translations = texts[document], let text = translations[.standard],
          let version = try Self.version(of: document, translations, in: session)
        else { continue }
        let new = DocumentVersion(
          document: document, version: version, text: text, translations: translations)
        if try new.publish(in: session) { published.append(document) }
      }
      try session.run("COMMIT")
      return published
    } catch {
      throw StartError(databaseUnavailable: error)
    }
  }

  /// The sentence about published templates for the operator; nil without any.
  static func notice(_ published: [LegalDocument]) -> String? {
    guard !published.isEmpty else { return nil }
    let names = published.map(\.rawValue).joined(separator: ", ")
    return "Templates of documents were published (\(names)). Before people register, a lawyer has "
      + "to check them: see \"Privacy policy and terms\" in docs/operations.md."
  }

  /// The number of a template's version; nil for a version of the operator.
  private static func number(of version: String) -> Int? {
    guard version.hasPrefix(versionPrefix) else { return nil }
    return Int(version.dropFirst(versionPrefix.count))
  }

  /// The version as which texts have to be published; nil if the newest version has them, or is the
  /// operator's own.
  private static func version(
    of document: LegalDocument, _ texts: [Language: LegalText], in session: AdminSession
  ) throws(AdminSessionError) -> String? {
    let versions = try session.rows(
      """
      SELECT version
        FROM data4help.documents
       WHERE document = $1
       ORDER BY published_at DESC, version DESC
      """, [document.rawValue]
    ).compactMap { $0.first ?? nil }
    guard let newest = versions.first else { return "\(versionPrefix)1" }
    guard number(of: newest) != nil else { return nil }
    let rows = try session.rows(
      """
      SELECT language, body
        FROM data4help.document_translations
       WHERE document = $1 AND version = $2
      """, [document.rawValue, newest])
    var stored: [String: String] = [:]
    for row in rows {
      if let language = row[0], let body = row[1] { stored[language] = body }
    }
    let wanted = texts.map { ($0.key.rawValue, $0.value.body) }
    if stored == Dictionary(uniqueKeysWithValues: wanted) { return nil }
    let last = versions.compactMap(number).max() ?? 0
    return "\(versionPrefix)\(last + 1)"
  }
}

// MARK: Texts

extension DocumentTemplates {
  /// The texts of all documents, with the settings in their gaps.
  private func texts() throws(StartError) -> [LegalDocument: [Language: LegalText]] {
    var texts: [LegalDocument: [Language: LegalText]] = [:]
    for language in Language.allCases {
      let values = try values(in: language)
      for document in LegalDocument.allCases {
        let file = "\(directory)/\(document.rawValue).\(language.rawValue).txt"
        guard let text = LegalText(Self.filled(try LegalText.content(of: file), values)) else {
          throw StartError("The first line of \(file) has to be the title.")
        }
        texts[document, default: [:]][language] = text
      }
    }
    return texts
  }

  /// The text with the values in the gaps of these names, as `{contact}`.
  private static func filled(_ text: String, _ values: [String: String]) -> String {
    let parts = text.split(separator: "{", omittingEmptySubsequences: false)
    var filled = ""
    for (index, part) in parts.enumerated() {
      // A value is never searched for gaps.
      if index > 0, let end = part.firstIndex(of: "}"), let value = values[String(part[..<end])] {
        filled.append(contentsOf: value)
        filled.append(contentsOf: part[part.index(after: end)...])
      } else {
        if index > 0 { filled.append("{") }
        filled.append(contentsOf: part)
      }
    }
    return filled
  }

  private func values(in language: Language) throws(StartError) -> [String: String] {
    let address = try installation.value(SettingTable.publicURL)
    let contact = try installation.optional(SettingTable.contact)
    let name = try installation.optional(SettingTable.operatorName)
    let gap =
      switch language {
      case .italian: "[NOME E INDIRIZZO DEL GESTORE]"
      case .english: "[NAME AND ADDRESS OF THE OPERATOR]"
      }
    var values = [
      "operator": name ?? gap, "contact": contact ?? "trackme@\(Self.host(of: address))",
      "address": address,
    ]
    for (name, setting) in [
      ("keep_sessions", SettingTable.keepSessions), ("keep_imports", SettingTable.keepImports),
      ("keep_calls", SettingTable.keepCalls),
      ("keep_invitations", SettingTable.keepInvitations),
    ] {
      values[name] = "\(try installation.value(setting).components.seconds / 86_400)"
    }
    return values
  }

  /// The host of a URL.
  private static func host(of url: String) -> Substring {
    let parts = url.split(separator: "/", maxSplits: 2)
    return parts.count > 1 ? parts[1].prefix { $0 != ":" && $0 != "/" } : ""
  }
}
