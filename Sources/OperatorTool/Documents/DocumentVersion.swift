import Domain
import Postgres

/// A version of a document, as it is published. What people have agreed to never changes.
struct DocumentVersion: Sendable {
  let document: LegalDocument
  let version: String
  /// The text for readers without one in their language.
  let text: LegalText
  let translations: [Language: LegalText]

  /// Publishes the version in the open transaction of a session.
  ///
  /// - Returns: whether it was published; false for a version that exists.
  func publish(in session: AdminSession) throws(AdminSessionError) -> Bool {
    let published = try session.rows(
      """
      INSERT INTO data4help.documents (document, version, title, body, published_at)
      VALUES ($1, $2, $3, $4, clock_timestamp())
          ON CONFLICT (document, version) DO NOTHING
      RETURNING document
      """, [document.rawValue, version, text.title, text.body])
    guard !published.isEmpty else { return false }
    for (language, text) in translations {
      _ = try session.rows(
        """
        INSERT INTO data4help.document_translations (document, version, language, title, body)
        VALUES ($1, $2, $3, $4, $5)
        """, [document.rawValue, version, language.rawValue, text.title, text.body])
    }
    return true
  }
}
