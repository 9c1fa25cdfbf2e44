import Domain
import Postgres
import Time

/// Appends a range of an account's samples to the log of a third party, under its next numbers.
struct EnterLog: Statement {
  static let sql: SQL<Self> = """
    WITH needed AS (
      SELECT \(\.thirdParty)::int8 AS third_party_id, \(\.count)::int8 AS count),
    \(fragment: NumberSQL.given)
    INSERT INTO data4help.third_party_log (
           third_party_id, first_seq, last_seq, request_id, types, first_account_seq, entered_at)
    SELECT \(\.thirdParty), given.next_seq - \(\.count), given.next_seq - 1, \(\.requestID),
           \(\.types), \(\.firstAccountSequence), \(\.now)
      FROM given
    """
  let thirdParty: AccountID
  let requestID: DataRequestID
  let types: DataTypeSet
  let firstAccountSequence: Int64
  let count: Int64
  let now: Instant
}

/// Waits until no end of a request is in progress or waits for earlier deliveries.
///
/// The lock of the row alone would not: PostgreSQL grants `FOR KEY SHARE` while a `FOR UPDATE`
/// waits, so an end would never succeed while downloads of the same request overlap. Advisory locks
/// are granted in the order in which they were requested. Taken before the row.
struct WaitForEnds: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT count(*) FROM pg_advisory_xact_lock_shared(\(\.lockClass), \(\.number))
    """
  let lockClass = AdvisoryLockClass.ending.rawValue
  let number: Int32

  init(requestID: DataRequestID) { number = requestID.lockNumber }
}

/// Waits for the downloads and mails of a request that are in progress, and lets later ones wait
/// until the end of the transaction. Taken before the row, and only by the person or the recipient:
/// others cannot hold up deliveries.
struct HoldDeliveries: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT count(pg_advisory_xact_lock(\(\.lockClass), \(\.number)))
      FROM data4help.single_requests
     WHERE request_id = \(\.requestID)
       AND (account_id = \(\.account) OR recipient_id = \(\.account))
    """
  let lockClass = AdvisoryLockClass.ending.rawValue
  let number: Int32
  let requestID: DataRequestID
  let account: AccountID

  init(requestID: DataRequestID, account: AccountID) {
    number = requestID.lockNumber
    self.requestID = requestID
    self.account = account
  }
}

/// A request of this third party, locked against its end while data is delivered.
///
/// The lock is the weakest: it blocks an answer or an end, but neither the relay nor another
/// delivery.
struct HoldRequestForDelivery: Statement {
  typealias Row = SingleRequestRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: SingleRequestRow.columnList)
      FROM data4help.single_requests
     WHERE request_id = \(\.requestID)
       AND recipient_id = \(\.thirdParty)
       FOR KEY SHARE
    """
  static let columns = SingleRequestRow.columns
  let requestID: DataRequestID
  let thirdParty: AccountID
}

/// The log of a request from a number of the third party's on.
struct LogEntries: Statement {
  typealias Row = LogEntry
  static let sql: SQL<Self> = """
    SELECT first_seq, last_seq, types, first_account_seq
      FROM data4help.third_party_log
     WHERE request_id = \(\.requestID)
       AND kind = 1
       AND last_seq >= \(\.from)
     ORDER BY last_seq
     LIMIT \(\.countMax)
    """
  static let columns = Columns(LogEntry.init)
  let requestID: DataRequestID
  let from: Int64
  let countMax: Int64
}
