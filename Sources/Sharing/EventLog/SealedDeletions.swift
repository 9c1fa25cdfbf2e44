import Bytes
import Cryptography
import Domain
import Postgres
import ServiceKit

/// The sealed numbers of deleted accounts in Track4Run's sequence, which are sealed again when the
/// root secret is replaced.
package struct SealedDeletions: ServerSealedColumn {
  /// An entry about a deletion.
  package struct Row: Sendable {
    let thirdParty: AccountID
    let number: Int64
    let entry: DataRequestID
    let sealed: [UInt8]
  }

  private let root: RootSecret

  /// The entries sealed under keys of this secret.
  package init(root: RootSecret) { self.root = root }

  /// What is sealed, for the operator.
  package static let subject = "entries about deleted accounts"

  /// The entries after one, by recipient and number.
  package func page(after last: Row?) -> SealedDeletionPage {
    SealedDeletionPage(
      afterThirdParty: last?.thirdParty ?? AccountID(rawValue: .min),
      afterNumber: last?.number ?? .min)
  }

  /// The number under the secret in use; nil if it is sealed under that one.
  package func resealed(_ row: Row) throws(CryptographyError) -> [UInt8]? {
    try SealingKey(deletedAccountsOf: root)
      .resealed(row.sealed.span, for: DeletedAccountSeal.context(row.entry))
  }

  /// Stores numbers.
  package func store(_ rows: [(row: Row, sealed: [UInt8])]) -> StoreResealedDeletions {
    StoreResealedDeletions(
      thirdParties: rows.map(\.row.thirdParty), numbers: rows.map(\.row.number),
      former: rows.map(\.row.sealed), sealed: rows.map(\.sealed))
  }
}

/// A page of entries about deletions. Reads the whole log once, by its primary key.
package struct SealedDeletionPage: Statement {
  /// An entry.
  package typealias Row = SealedDeletions.Row
  package static let sql: SQL<Self> = """
    SELECT third_party_id, first_seq, request_id, coalesce(sealed_account, '')
      FROM data4help.third_party_log
     WHERE (third_party_id, first_seq) > (\(\.afterThirdParty), \(\.afterNumber))
       AND sealed_account IS NOT NULL
     ORDER BY third_party_id, first_seq
     LIMIT 500
    """
  package static let columns = Columns(SealedDeletions.Row.init)
  let afterThirdParty: AccountID
  let afterNumber: Int64
}

/// Stores numbers that were sealed again, unless they have changed or are locked.
package struct StoreResealedDeletions: Statement {
  /// One for each stored number.
  package typealias Row = Int64
  package static let sql: SQL<Self> = """
    WITH renewed AS (
           SELECT *
             FROM unnest(\(\.thirdParties), \(\.numbers), \(\.former), \(\.sealed))
                    AS given (third_party_id, first_seq, former, sealed)),
    free AS (
           SELECT stored.third_party_id, stored.first_seq
             FROM data4help.third_party_log AS stored
             JOIN renewed USING (third_party_id, first_seq)
              FOR NO KEY UPDATE OF stored SKIP LOCKED)
    UPDATE data4help.third_party_log AS stored
       SET sealed_account = renewed.sealed
      FROM renewed
      JOIN free USING (third_party_id, first_seq)
     WHERE (stored.third_party_id, stored.first_seq)
           = (renewed.third_party_id, renewed.first_seq)
       AND stored.sealed_account = renewed.former
    RETURNING stored.first_seq
    """
  let thirdParties: [AccountID]
  let numbers: [Int64]
  let former: [[UInt8]]
  let sealed: [[UInt8]]
}
