import Bytes
import Cryptography
import Postgres

/// The sealed contents of queued mails, which are sealed again when the root secret is replaced.
package struct SealedMails: Sendable {
  /// A mail that is not ended.
  package struct Row: Sendable {
    let id: UniversalID
    let sealed: [UInt8]
  }

  private let root: RootSecret

  /// The mails sealed under keys of this secret.
  package init(root: RootSecret) { self.root = root }

  /// What is sealed, for the operator.
  package static let subject = "mails"

  /// The mails after one, by their identifiers.
  package func page(after last: Row?) -> SealedMailPage {
    SealedMailPage(after: last?.id ?? UniversalID(high: 0, low: 0))
  }

  /// The content under the secret in use; nil if it is sealed under that one.
  package func resealed(_ row: Row) throws(CryptographyError) -> [UInt8]? {
    try SealingKey(mailOf: root).resealed(row.sealed.span, for: MailMessage.sealContext(row.id))
  }

  /// Stores contents.
  package func store(_ rows: [(row: Row, sealed: [UInt8])]) -> StoreResealedMails {
    StoreResealedMails(
      ids: rows.map(\.row.id), former: rows.map(\.row.sealed), sealed: rows.map(\.sealed))
  }
}

/// A page of mails that are not ended. Reads the table by its primary key.
package struct SealedMailPage: Statement {
  /// A mail.
  package typealias Row = SealedMails.Row
  package static let sql: SQL<Self> = """
    SELECT mail_id, sealed_message
      FROM mails
     WHERE mail_id > \(\.after)
       AND sealed_message <> ''
     ORDER BY mail_id
     LIMIT 500
    """
  package static let columns = Columns(SealedMails.Row.init)
  let after: UniversalID
}

/// Stores contents of mails that were sealed again, unless they have changed or are locked.
package struct StoreResealedMails: Statement {
  /// One for each stored content.
  package typealias Row = UniversalID
  package static let sql: SQL<Self> = """
    WITH free AS (
           SELECT mail_id FROM mails WHERE mail_id = ANY (\(\.ids)) FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE mails
       SET sealed_message = renewed.sealed
      FROM unnest(\(\.ids), \(\.former), \(\.sealed)) AS renewed (mail_id, former, sealed)
      JOIN free USING (mail_id)
     WHERE mails.mail_id = renewed.mail_id
       AND mails.sealed_message = renewed.former
    RETURNING mails.mail_id
    """
  let ids: [UniversalID]
  let former: [[UInt8]]
  let sealed: [[UInt8]]
}
