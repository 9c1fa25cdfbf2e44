import AutomatedSOS
import Domain
import Postgres
import Time

/// The monitoring settings of a person, also while monitoring is off.
struct MonitoredUserRow: Sendable {
  let account: AccountID
  let change: Int64
  let permittedAt: Instant?
  let language: EmergencyLanguage
  let personal: PersonalThresholds
  let pausedUntil: Instant?
  let birthDate: CalendarDate?

  static let columns = Columns {
    (
      account: AccountID, change: Int64, permittedAt: Instant?, language: EmergencyLanguage,
      heartRateLow: Double?, heartRateHigh: Double?, systolicLow: Double?, systolicHigh: Double?,
      diastolicHigh: Double?, pausedUntil: Instant?, birthDate: CalendarDate?
    ) in
    MonitoredUserRow(
      account: account, change: change, permittedAt: permittedAt, language: language,
      personal: PersonalThresholds(
        heartRateLow: heartRateLow, heartRateHigh: heartRateHigh, systolicLow: systolicLow,
        systolicHigh: systolicHigh, diastolicHigh: diastolicHigh),
      pausedUntil: pausedUntil, birthDate: birthDate)
  }
}

/// The monitoring settings of one person, by default off; no row for a deleted account.
struct MonitoredUser: Statement {
  typealias Row = MonitoredUserRow
  static let sql: SQL<Self> = """
    SELECT account.account_id, coalesce(monitored.change, 0), monitored.permitted_at,
           coalesce(monitored.language, 'it'), monitored.heart_rate_low,
           monitored.heart_rate_high, monitored.systolic_low, monitored.systolic_high,
           monitored.diastolic_high, monitored.paused_until, account.birth_date
      FROM data4help.accounts AS account
      LEFT JOIN data4help.monitored_users AS monitored USING (account_id)
     WHERE account.account_id = \(\.account)
    """
  static let columns = MonitoredUserRow.columns
  let account: AccountID
}

/// Locks a person's monitoring settings and takes the next number of a change; inserts a missing
/// row. No row for a deleted account. By the primary keys; changes of all people wait for each
/// other from here to the commit.
struct ChangeMonitoredUser: Statement {
  struct Row: Sendable {
    let birthDate: CalendarDate?
    let isEnabled: Bool
    let personal: PersonalThresholds

    static let columns = Columns {
      (
        birthDate: CalendarDate?, isEnabled: Bool, heartRateLow: Double?, heartRateHigh: Double?,
        systolicLow: Double?, systolicHigh: Double?, diastolicHigh: Double?
      ) in
      Row(
        birthDate: birthDate, isEnabled: isEnabled,
        personal: PersonalThresholds(
          heartRateLow: heartRateLow, heartRateHigh: heartRateHigh, systolicLow: systolicLow,
          systolicHigh: systolicHigh, diastolicHigh: diastolicHigh))
    }
  }
  static let sql: SQL<Self> = """
    WITH held AS (
           SELECT account_id, birth_date
             FROM data4help.accounts
            WHERE account_id = \(\.account)
              FOR KEY SHARE),
         clock AS (
           UPDATE data4help.monitoring_clock
              SET change = change + 1
            WHERE EXISTS (SELECT FROM held)
           RETURNING change),
         changed AS (
           INSERT INTO data4help.monitored_users AS monitored (account_id, change)
           SELECT held.account_id, clock.change
             FROM held, clock
               ON CONFLICT (account_id) DO UPDATE
              SET change = excluded.change
           RETURNING monitored.*)
    SELECT held.birth_date, changed.permitted_at IS NOT NULL, changed.heart_rate_low,
           changed.heart_rate_high, changed.systolic_low, changed.systolic_high,
           changed.diastolic_high
      FROM changed
      JOIN held USING (account_id)
    """
  static let columns = Row.columns
  let account: AccountID
}

/// Signals a change of a monitored person, such as of the birth date, to the replicas; no effect
/// for other people.
struct TouchMonitoredUser: Statement {
  static let sql: SQL<Self> = """
    WITH clock AS (
           UPDATE data4help.monitoring_clock
              SET change = change + 1
            WHERE EXISTS (SELECT
                            FROM data4help.monitored_users
                           WHERE account_id = \(\.account))
           RETURNING change)
    UPDATE data4help.monitored_users AS monitored
       SET change = clock.change
      FROM clock
     WHERE monitored.account_id = \(\.account)
    """
  let account: AccountID
}

/// Switches monitoring on with the permission for calls, and resumes it if it was paused.
struct EnableMonitoring: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.monitored_users
       SET permitted_at = coalesce(permitted_at, \(\.now)), language = \(\.language),
           paused_until = NULL, heard_at = \(\.now), silence_notified_at = NULL
     WHERE account_id = \(\.account)
    """
  let account: AccountID
  let language: EmergencyLanguage
  let now: Instant
}

/// Disables monitoring and withdraws the permission.
struct DisableMonitoring: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.monitored_users
       SET permitted_at = NULL, paused_until = NULL
     WHERE account_id = \(\.account)
    """
  let account: AccountID
}

/// Replaces a person's own thresholds.
struct ReplaceThresholds: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.monitored_users
       SET heart_rate_low = \(\.heartRateLow), heart_rate_high = \(\.heartRateHigh),
           systolic_low = \(\.systolicLow), systolic_high = \(\.systolicHigh),
           diastolic_high = \(\.diastolicHigh)
     WHERE account_id = \(\.account)
    """
  let account: AccountID
  let heartRateLow: Double?
  let heartRateHigh: Double?
  let systolicLow: Double?
  let systolicHigh: Double?
  let diastolicHigh: Double?

  init(_ account: AccountID, _ personal: PersonalThresholds) {
    self.account = account
    heartRateLow = personal.heartRateLow
    heartRateHigh = personal.heartRateHigh
    systolicLow = personal.systolicLow
    systolicHigh = personal.systolicHigh
    diastolicHigh = personal.diastolicHigh
  }
}

/// Replaces a person's emergency contacts.
struct ReplaceContacts: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.monitored_users
       SET sealed_contacts = \(\.sealed)
     WHERE account_id = \(\.account)
    """
  let account: AccountID
  let sealed: [UInt8]
}

/// The sealed emergency contacts of a person; no row if none were ever set.
struct ContactsOf: Statement {
  typealias Row = [UInt8]
  static let sql: SQL<Self> = """
    SELECT sealed_contacts
      FROM data4help.monitored_users
     WHERE account_id = \(\.account)
       AND sealed_contacts IS NOT NULL
    """
  static let columns = Columns { (sealed: [UInt8]?) in sealed ?? [] }
  let account: AccountID
}

/// Pauses monitoring, or resumes it without an end.
struct PauseMonitoring: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.monitored_users
       SET paused_until = \(\.until)
     WHERE account_id = \(\.account)
    """
  let account: AccountID
  let until: Instant?
}

/// The monitored people who are checked into a live run. By the index on live check-ins.
struct MonitoredRunners: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    SELECT DISTINCT request.account_id
      FROM data4help.single_requests AS request
      JOIN data4help.monitored_users AS monitored USING (account_id)
     WHERE request.is_check_in
       AND request.status = 2
       AND request.to_ts > \(\.now)
       AND request.from_ts <= \(\.now)
       AND monitored.permitted_at IS NOT NULL
    """
  /// Milliseconds since 1970.
  let now: Int64
}
