import Domain
import Postgres
import Time

/// The statements of the list of trusted third parties, for the check against the schema.
package enum TrustedThirdPartyStatements {
  /// All of them.
  package static let all: [any Statement.Type] = [
    ListThirdParty.self, StrikeThirdParty.self, TrustedThirdParties.self,
    HoldTrustedThirdParty.self,
  ]
}

/// Adds a third party to a person's list; one already on it keeps its time.
struct ListThirdParty: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.trusted_third_parties (account_id, third_party_id, listed_at)
    VALUES (\(\.account), \(\.thirdParty), \(\.now))
        ON CONFLICT (account_id, third_party_id) DO NOTHING
    """
  let account: AccountID
  let thirdParty: AccountID
  let now: Instant
}

/// Removes a third party from a person's list; waits for transactions that send requests by it.
struct StrikeThirdParty: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.trusted_third_parties
     WHERE account_id = \(\.account)
       AND third_party_id = \(\.thirdParty)
    """
  let account: AccountID
  let thirdParty: AccountID
}

/// A page of a person's list, newest first. By its index: costs the page.
struct TrustedThirdParties: Statement {
  struct Row: Sendable {
    let thirdParty: AccountID
    let listedAt: Instant
  }
  static let sql: SQL<Self> = """
    SELECT third_party_id, listed_at
      FROM data4help.trusted_third_parties
     WHERE account_id = \(\.account)
       AND (listed_at, third_party_id) < (\(\.before), \(\.beforeThirdParty))
     ORDER BY listed_at DESC, third_party_id DESC
     LIMIT \(\.limit)
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let before: Instant
  let beforeThirdParty: AccountID
  let limit: Int
}

/// The time since which an active person has a third party on the list; no row if it is not on it.
/// Three descents of primary keys.
///
/// All three rows are held to the end of the transaction, in the order in which deletions of
/// accounts lock them: removing the third party from the list, switching the person inactive or
/// deleting either account waits for it, and later transactions find no row.
struct HoldTrustedThirdParty: Statement {
  typealias Row = Instant
  static let sql: SQL<Self> = """
    SELECT listed.listed_at
      FROM data4help.trusted_third_parties AS listed
      JOIN data4help.accounts AS person ON person.account_id = listed.account_id
      JOIN data4help.accounts AS company ON company.account_id = listed.third_party_id
     WHERE listed.account_id = \(\.account)
       AND listed.third_party_id = \(\.thirdParty)
       AND person.state = 2
       FOR SHARE OF person
       FOR KEY SHARE OF company
       FOR SHARE OF listed
    """
  let account: AccountID
  let thirdParty: AccountID
}
