import Domain
import Postgres
import Time

/// Statements of departures, listed for the schema check.
enum DepartureStatements {
  static let all: [any Statement.Type] = [
    HoldRunsOfAccount.self, RemoveEnrolments.self, EndEnrolments.self, HideRunner.self,
    StrikeOrganiserEverywhere.self, CancelRunsOf.self, HideOrganiser.self,
    ForgetInvitationsBy.self, ForgetMadeRuns.self,
  ]
}

/// Locks the runs in which an account is enrolled or that it organises, in a fixed order.
struct HoldRunsOfAccount: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT run_id
      FROM track4run.runs AS run
     WHERE run.organiser_id = \(\.account)
        OR run.run_id IN (SELECT own.run_id
                            FROM track4run.enrolments AS own
                           WHERE own.account_id = \(\.account)
                             AND own.left_at IS NULL)
     ORDER BY run_id
       FOR NO KEY UPDATE
    """
  let account: AccountID
}

/// Removes a runner from runs that have not begun, and frees the places.
struct RemoveEnrolments: Statement {
  static let sql: SQL<Self> = """
    WITH removed AS (
      DELETE FROM track4run.enrolments AS own
       USING track4run.runs AS run
       WHERE own.account_id = \(\.runner)
         AND run.run_id = own.run_id
         AND run.starts_at > \(\.now)
      RETURNING own.run_id, own.left_at)
    UPDATE track4run.runs AS run
       SET enrolled = enrolled - 1
      FROM removed
     WHERE run.run_id = removed.run_id
       AND removed.left_at IS NULL
    """
  let runner: AccountID
  let now: Instant
}

/// Ends a runner's enrolments in current runs, and frees the places.
struct EndEnrolments: Statement {
  static let sql: SQL<Self> = """
    WITH removed AS (
      UPDATE track4run.enrolments AS own
         SET left_at = \(\.now), left_reason = 3
        FROM track4run.runs AS run
       WHERE own.account_id = \(\.runner)
         AND own.left_at IS NULL
         AND run.run_id = own.run_id
         AND run.ends_at > \(\.now)
      RETURNING own.run_id)
    UPDATE track4run.runs AS run
       SET enrolled = enrolled - 1
      FROM removed
     WHERE run.run_id = removed.run_id
    """
  let runner: AccountID
  let now: Instant
}

/// Replaces the account of a runner's enrolments by the negated enrolment number, and removes the
/// chosen name.
struct HideRunner: Statement {
  static let sql: SQL<Self> = """
    UPDATE track4run.enrolments
       SET account_id = -number, sealed_name = NULL, keeps_name = false
     WHERE account_id = \(\.runner)
    """
  let runner: AccountID
}

/// Removes a third party from the co-organisers of all runs.
struct StrikeOrganiserEverywhere: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM track4run.co_organisers WHERE third_party_id = \(\.thirdParty)
    """
  let thirdParty: AccountID
}

/// Cancels and returns the runs of an organiser that have not begun, listed or not.
struct CancelRunsOf: Statement {
  struct Row: Sendable {
    let runID: Int64
    let name: String
    let startsAt: Instant
  }
  static let sql: SQL<Self> = """
    UPDATE track4run.runs
       SET cancelled_at = \(\.now)
     WHERE organiser_id = \(\.organiser)
       AND cancelled_at IS NULL
       AND starts_at > \(\.now)
    RETURNING run_id, name, starts_at
    """
  static let columns = Columns(Row.init)
  let organiser: AccountID
  let now: Instant
}

/// Removes the organiser of runs, and the pictures uploaded by the organiser.
struct HideOrganiser: Statement {
  static let sql: SQL<Self> = """
    WITH removed AS (
      DELETE FROM track4run.pictures AS picture
       USING track4run.runs AS own
       WHERE own.organiser_id = \(\.organiser)
         AND own.run_id = picture.run_id)
    UPDATE track4run.runs
       SET organiser_id = 0, organiser_name = \(\.name)
     WHERE organiser_id = \(\.organiser)
    """
  let organiser: AccountID
  let name: String
}

/// Deletes the counts of invitations that an account sent.
struct ForgetInvitationsBy: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM track4run.invitation_counts WHERE account_id = \(\.account)
    """
  let account: AccountID
}

/// Deletes the counts of runs that an organiser created.
struct ForgetMadeRuns: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM track4run.runs_made WHERE organiser_id = \(\.organiser)
    """
  let organiser: AccountID
}
