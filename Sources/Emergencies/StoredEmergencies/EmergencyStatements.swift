import AutomatedSOS
import Bytes
import Domain
import Postgres
import Time

/// Locks a monitored person's row, so that emergencies of one person begin one after the other.
/// Returns no row while AutomatedSOS is off.
struct HoldMonitoredUser: Statement {
  typealias Row = EmergencyLanguage
  static let sql: SQL<Self> = """
    SELECT language
      FROM data4help.monitored_users
     WHERE account_id = \(\.account)
       AND permitted_at IS NOT NULL
       FOR NO KEY UPDATE
    """
  let account: AccountID
}

/// The emergency that occupies a rule of a person: in progress, or in its quiet period. By the
/// index on the account.
struct PresentEmergency: Statement {
  typealias Row = FollowedEmergency
  static let sql: SQL<Self> = """
    SELECT emergency_id, account_id, rule, stage, first_critical, suspected_at, abort_until, due_at,
           quiet_until
      FROM data4help.emergencies
     WHERE account_id = \(\.account)
       AND rule = \(\.rule)
       AND (stage <= 3 OR quiet_until > \(\.now))
     ORDER BY suspected_at DESC, first_critical DESC
     LIMIT 1
    """
  static let columns = FollowedEmergency.columns
  let account: AccountID
  let rule: EmergencyRule
  let now: Instant
}

/// Stores a new emergency, or one that continued offline. No row if it is already stored, or
/// another one of its rule is in progress.
struct InsertEmergency: Statement {
  typealias Row = UniversalID
  static let sql: SQL<Self> = """
    INSERT INTO data4help.emergencies (
           emergency_id, account_id, rule, stage, first_critical, suspected_at, abort_until, due_at,
           quiet_until, tracked_until, asked_at, confirmed_at, dispatched_at, acknowledged_at,
           ended_at, outcome, sealed_details)
    VALUES (\(\.row.id), \(\.row.account), \(\.row.rule), \(\.row.stage), \(\.row.firstCritical),
           \(\.row.suspectedAt), \(\.row.abortUntil), \(\.row.dueAt), \(\.row.quietUntil),
           \(\.row.trackedUntil), \(\.row.askedAt), \(\.row.confirmedAt), \(\.row.dispatchedAt),
           \(\.row.acknowledgedAt), \(\.row.endedAt), \(\.row.outcome), \(\.row.sealedDetails))
        ON CONFLICT DO NOTHING
    RETURNING emergency_id
    """
  let row: EmergencyRow
}

/// An emergency, locked against every other change; no row for an unknown one.
struct LockEmergency: Statement {
  typealias Row = EmergencyRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: EmergencyRow.columnList)
      FROM data4help.emergencies
     WHERE emergency_id = \(\.id)
       FOR UPDATE
    """
  static let columns = EmergencyRow.columns
  let id: UniversalID
}

/// Stores a change of an emergency if it is still at this stage: of two changes that end a stage,
/// as an abort and a call, only one succeeds.
struct MoveEmergency: Statement {
  typealias Row = UniversalID
  static let sql: SQL<Self> = """
    UPDATE data4help.emergencies
       SET stage = \(\.row.stage), due_at = \(\.row.dueAt), quiet_until = \(\.row.quietUntil),
           tracked_until = \(\.row.trackedUntil), asked_at = \(\.row.askedAt),
           confirmed_at = \(\.row.confirmedAt), dispatched_at = \(\.row.dispatchedAt),
           acknowledged_at = \(\.row.acknowledgedAt), ended_at = \(\.row.endedAt),
           outcome = \(\.row.outcome), sealed_details = \(\.row.sealedDetails)
     WHERE emergency_id = \(\.row.id)
       AND stage = \(\.from)
    RETURNING emergency_id
    """
  let row: EmergencyRow
  let from: EmergencyStage
}

/// Emergencies whose stage is due to end, oldest first. By the index on that time.
struct DueEmergencies: Statement {
  struct Row: Sendable {
    let id: UniversalID
    let account: AccountID
  }
  static let sql: SQL<Self> = """
    SELECT emergency_id, account_id
      FROM data4help.emergencies
     WHERE due_at <= \(\.now)
     ORDER BY due_at
     LIMIT \(\.countMax)
    """
  static let columns = Columns(Row.init)
  let now: Instant
  let countMax: Int64
}

/// The emergencies that replicas keep in memory.
struct FollowedEmergencies: Statement {
  typealias Row = FollowedEmergency
  static let sql: SQL<Self> = """
    SELECT emergency_id, account_id, rule, stage, first_critical, suspected_at, abort_until, due_at,
           quiet_until
      FROM data4help.emergencies
     WHERE tracked_until > \(\.now)
    """
  static let columns = FollowedEmergency.columns
  let now: Instant
}

/// Changes of monitoring after a number, in the order of their commits.
struct MonitoredUsersAfter: Statement {
  typealias Row = MonitoredUserRow
  static let sql: SQL<Self> = """
    SELECT monitored.account_id, monitored.change, monitored.permitted_at, monitored.language,
           monitored.heart_rate_low, monitored.heart_rate_high, monitored.systolic_low,
           monitored.systolic_high, monitored.diastolic_high, monitored.paused_until,
           account.birth_date
      FROM data4help.monitored_users AS monitored
      JOIN data4help.accounts AS account USING (account_id)
     WHERE monitored.change > \(\.change)
     ORDER BY monitored.change
     LIMIT \(\.countMax)
    """
  static let columns = MonitoredUserRow.columns
  let change: Int64
  let countMax: Int64
}

/// Emergencies of a person that are in progress and had no call yet. By the index on the account.
struct OpenEmergencies: Statement {
  typealias Row = UniversalID
  static let sql: SQL<Self> = """
    SELECT emergency_id
      FROM data4help.emergencies
     WHERE account_id = \(\.account)
       AND stage <= 3
     ORDER BY emergency_id
    """
  let account: AccountID
}

/// A page of a person's emergencies, newest first. By the index on the account, in its order.
struct EmergenciesOf: Statement {
  typealias Row = EmergencyRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: EmergencyRow.columnList)
      FROM data4help.emergencies
     WHERE account_id = \(\.account)
       AND (suspected_at, first_critical, rule)
           < (\(\.cursor.suspectedAt), \(\.cursor.firstCritical), \(\.cursor.rule))
     ORDER BY suspected_at DESC, first_critical DESC, rule DESC
     LIMIT \(\.limit)
    """
  static let columns = EmergencyRow.columns
  let account: AccountID
  let cursor: HistoryCursor
  let limit: Int
}

/// Stores the times of people's last readings, which ends their silence.
struct NoteHeard: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.monitored_users AS monitored
       SET heard_at = greatest(monitored.heard_at, given.heard_at), silence_notified_at = NULL
      FROM (SELECT account_id, heard_at
              FROM unnest(\(\.accounts), \(\.times)) AS asked (account_id, heard_at)
             ORDER BY account_id) AS given
     WHERE monitored.account_id = given.account_id
       AND given.heard_at > coalesce(monitored.heard_at, '-infinity')
    """
  let accounts: [AccountID]
  let times: [Instant]
}

/// Selects the people who have been silent since a time, and have not been notified. By the index
/// on it.
struct ClaimSilentUsers: Statement {
  struct Row: Sendable {
    let account: AccountID
    let since: Instant?
  }
  static let sql: SQL<Self> = """
    WITH silent AS (
           SELECT account_id
             FROM data4help.monitored_users
            WHERE permitted_at IS NOT NULL
              AND silence_notified_at IS NULL
              AND heard_at <= \(\.before)
              AND (paused_until IS NULL OR paused_until <= \(\.before))
            ORDER BY heard_at
            LIMIT \(\.countMax)
              FOR UPDATE SKIP LOCKED)
    UPDATE data4help.monitored_users AS monitored
       SET silence_notified_at = \(\.now)
      FROM silent
     WHERE monitored.account_id = silent.account_id
    RETURNING monitored.account_id, monitored.heard_at
    """
  static let columns = Columns(Row.init)
  let before: Instant
  let now: Instant
  let countMax: Int64
}
