import Cryptography
import Domain
import Postgres
import Time

/// Statements of invitations, listed for the schema check.
enum InvitationStatements {
  static let all: [any Statement.Type] = [
    CountInvitations.self, NoteInvitations.self, ForgetInvitations.self,
    ForgetInvitationCounts.self,
  ]
}

/// Counts invitations against a sender's daily limit; no row if they would exceed it.
///
/// Every address counts, whether or not a mail is sent, so that the remaining quota discloses
/// nothing.
struct CountInvitations: Statement {
  typealias Row = Int32
  static let sql: SQL<Self> = """
    INSERT INTO track4run.invitation_counts AS own (account_id, day, invited)
    SELECT \(\.sender), \(\.day), \(\.added)
     WHERE \(\.added) <= \(\.countMax)
        ON CONFLICT (account_id, day) DO UPDATE
       SET invited = own.invited + excluded.invited
     WHERE own.invited + excluded.invited <= \(\.countMax)
    RETURNING invited
    """
  let sender: AccountID
  let day: Int32
  let added: Int32
  let countMax: Int32
}

/// Stores that addresses are invited to a run, and returns those that receive a mail: not yet
/// invited to the run by anyone, and below the limit of invitations since a time.
struct NoteInvitations: Statement {
  typealias Row = BlindValue
  static let sql: SQL<Self> = """
    INSERT INTO track4run.invitations (run_id, address_blind, invited_at)
    SELECT \(\.runID), given.address_blind, \(\.now)
      FROM unnest(\(\.addresses)) AS given (address_blind)
     WHERE (SELECT count(*) FROM track4run.invitations AS other
             WHERE other.address_blind = given.address_blind
               AND other.invited_at > \(\.since)) < \(\.countMax)
        ON CONFLICT (run_id, address_blind) DO NOTHING
    RETURNING address_blind
    """
  let runID: Int64
  let addresses: [BlindValue]
  let now: Instant
  let since: Instant
  let countMax: Int64
}

/// Deletes old invitations.
struct ForgetInvitations: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM track4run.invitations WHERE invited_at <= \(\.before)
    """
  let before: Instant
}

/// Deletes the counts of days before one.
struct ForgetInvitationCounts: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM track4run.invitation_counts WHERE day < \(\.day)
    """
  let day: Int32
}
