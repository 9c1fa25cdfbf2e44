import Domain
import EventLoop
import Installation
import Operations
import Postgres

/// `trackme documents publish DOCUMENT VERSION FILE`: publishes a version of the privacy policy,
/// the terms, the liability or the jurisdiction. From then on, registrations need consent to this
/// version (ACC-2). The file is UTF-8 text; its first line is the title. The database must be
/// running.
enum DocumentsCommand {
  /// The maximum size of a document in bytes.
  static let bytesMax = 1 << 18
  private static let versionLengthMax = 50

  static var usage: String {
    let words = LegalDocument.allCases.map(\.rawValue).joined(separator: "|")
    return "usage: trackme documents publish \(words) VERSION FILE"
  }

  static func run(_ arguments: [String]) -> Int32 {
    Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(arguments)
      guard operands.count == 4, operands[0] == "publish",
        let document = LegalDocument(rawValue: operands[1])
      else {
        throw StartError(usage)
      }
      let version = operands[2]
      guard (1...versionLengthMax).contains(version.unicodeScalars.count) else {
        throw StartError("A version has 1 to \(versionLengthMax) characters.")
      }
      try publish(document, version, file: operands[3], installation)
      Terminal.say("\(document.rawValue) \(version) is published.")
    }
  }

  private static func publish(
    _ document: LegalDocument, _ version: String, file: String, _ installation: Installation
  ) throws(StartError) {
    let text = try text(of: file)
    let title = text.prefix { $0 != "\n" }.drop { $0 == "#" || $0 == " " }
    guard !title.isEmpty else { throw StartError("The first line of \(file) has to be the title.") }
    let url = try DatabaseURLs(installation).url(.data4help, .trackme)
    let published: [[String?]]
    do throws(AdminSessionError) {
      let session = try AdminSession(url: url.revealed, applicationName: "trackme documents")
      published = try session.rows(
        """
        INSERT INTO data4help.documents (document, version, title, body, published_at)
        VALUES ($1, $2, $3, $4, now())
            ON CONFLICT (document, version) DO NOTHING
        RETURNING document
        """, [document.rawValue, version, String(title), text])
    } catch {
      throw StartError(databaseUnavailable: error)
    }
    guard !published.isEmpty else {
      throw StartError(
        "\(document.rawValue) \(version) was published before, and a published version never "
          + "changes: publish another one.")
    }
  }

  private static func text(of file: String) throws(StartError) -> String {
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try FileSystem.read(file, bytesMax: bytesMax) } catch {
      throw StartError("\(file) can't be read", error)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw StartError("\(file) is not UTF-8.")
    }
    return text
  }
}
