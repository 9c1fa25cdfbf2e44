import Bytes
import Cryptography
import Mail
import Postgres
import ServiceKit

extension SealedMails: ServerSealedColumn {}

/// The sealed descriptions of devices that are being paired, which are sealed again when the root
/// secret is replaced.
package struct SealedPairings: ServerSealedColumn {
  /// A pairing.
  package struct Row: Sendable {
    let id: UniversalID
    let sealed: [UInt8]
  }

  private let root: RootSecret

  /// The pairings sealed under keys of this secret.
  package init(root: RootSecret) { self.root = root }

  /// What is sealed, for the operator.
  package static let subject = "devices that are being paired"

  /// The pairings after one, by their identifiers.
  package func page(after last: Row?) -> SealedPairingPage {
    SealedPairingPage(after: last?.id ?? UniversalID(high: 0, low: 0))
  }

  /// The description under the secret in use; nil if it is sealed under that one.
  package func resealed(_ row: Row) throws(CryptographyError) -> [UInt8]? {
    try SealingKey(pairingOf: root).resealed(row.sealed.span, for: .pairing(row.id))
  }

  /// Stores descriptions.
  package func store(_ rows: [(row: Row, sealed: [UInt8])]) -> StoreResealedPairings {
    StoreResealedPairings(
      ids: rows.map(\.row.id), former: rows.map(\.row.sealed), sealed: rows.map(\.sealed))
  }
}

/// A page of pairings. Reads the table by the index on identifiers.
package struct SealedPairingPage: Statement {
  /// A pairing.
  package typealias Row = SealedPairings.Row
  package static let sql: SQL<Self> = """
    SELECT pairing_id, sealed_description
      FROM data4help.pairings
     WHERE pairing_id > \(\.after)
     ORDER BY pairing_id
     LIMIT 500
    """
  package static let columns = Columns(SealedPairings.Row.init)
  let after: UniversalID
}

/// Stores descriptions that were sealed again, unless they have changed or are locked.
package struct StoreResealedPairings: Statement {
  /// One for each stored description.
  package typealias Row = UniversalID
  package static let sql: SQL<Self> = """
    WITH free AS (
           SELECT pairing_id
             FROM data4help.pairings
            WHERE pairing_id = ANY (\(\.ids))
              FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE data4help.pairings AS stored
       SET sealed_description = renewed.sealed
      FROM unnest(\(\.ids), \(\.former), \(\.sealed)) AS renewed (pairing_id, former, sealed)
      JOIN free USING (pairing_id)
     WHERE stored.pairing_id = renewed.pairing_id
       AND stored.sealed_description = renewed.former
    RETURNING stored.pairing_id
    """
  let ids: [UniversalID]
  let former: [[UInt8]]
  let sealed: [[UInt8]]
}
