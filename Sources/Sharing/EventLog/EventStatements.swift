import Accounts
import Bytes
import Domain
import Postgres
import Time

/// The kind of an entry in a third party's log; the raw value is that of the column.
package enum LogKind: Int16, PostgresValue {
  case data = 1
  case answered = 2
  case ended = 3
  case erased = 4
  case unavailable = 5
  /// Only for Track4Run; without a request.
  case accountDeleted = 6
  /// A hospital is called for an emergency; without a request.
  case emergencyCalled = 7
  /// A hospital's call is over; without a request.
  case emergencyClosed = 8
}

/// Adds events about requests to the logs of third parties, one number each, in the order of the
/// input.
package struct EnterEvents: Statement {
  package static let sql: SQL<Self> = """
    WITH asked AS (
      SELECT third_party_id, request_id, kind, status, reason, types, sealed_account,
             row_number() OVER (PARTITION BY third_party_id ORDER BY place) AS place
        FROM unnest(\(\.thirdParties), \(\.requestIDs), \(\.kinds), \(\.statuses), \(\.reasons),
                    \(\.types), \(\.sealedAccounts))
               WITH ORDINALITY
               AS asked (third_party_id, request_id, kind, status, reason, types,
                         sealed_account, place)),
    needed AS (
      SELECT third_party_id, count(*)::int8 AS count
        FROM asked
       GROUP BY third_party_id),
    \(fragment: NumberSQL.given)
    INSERT INTO data4help.third_party_log (
           third_party_id, first_seq, last_seq, request_id, types, first_account_seq, entered_at,
           kind, status, reason, sealed_account)
    SELECT asked.third_party_id, given.next_seq - needed.count + asked.place - 1,
           given.next_seq - needed.count + asked.place - 1, asked.request_id, asked.types, 0,
           \(\.now), asked.kind, asked.status, asked.reason,
           asked.sealed_account
      FROM asked
      JOIN needed USING (third_party_id)
      JOIN given USING (third_party_id)
    """
  let now: Instant
  private(set) var thirdParties: [AccountID] = []
  private(set) var requestIDs: [DataRequestID] = []
  private(set) var kinds: [LogKind] = []
  private(set) var statuses: [StoredStatus?] = []
  private(set) var reasons: [StoredEndReason?] = []
  private(set) var types: [Int64] = []
  private(set) var sealedAccounts: [[UInt8]?] = []

  /// No events yet; all get this time.
  package init(now: Instant) { self.now = now }

  /// Adds an event about a request, with the outcome if the event is one.
  package mutating func append(
    _ kind: LogKind, _ requestID: DataRequestID, to thirdParty: AccountID,
    status: StoredStatus? = nil, reason: StoredEndReason? = nil, types: DataTypeSet = .none
  ) {
    thirdParties.append(thirdParty)
    requestIDs.append(requestID)
    kinds.append(kind)
    statuses.append(status)
    reasons.append(reason)
    self.types.append(types.storedBits)
    sealedAccounts.append(nil)
  }

  /// Adds an event for Track4Run that an account was deleted, in an entry with this identifier.
  mutating func appendDeletion(_ entry: DataRequestID, sealed account: [UInt8]) {
    append(.accountDeleted, entry, to: .track4run)
    sealedAccounts[sealedAccounts.count - 1] = account
  }
}

/// Notifies the third parties of all requests that cover an account's samples of these types: of
/// erased samples every recipient of some, of unavailable types every subscriber.
///
/// The requests are locked, which waits for deliveries in progress: samples announced here were
/// sent before or are not sent. By the index on the account; as many numbers as requests, in one
/// statement. Returns the notified third parties.
struct EnterAccountEvents: Statement {
  struct Row: Sendable {
    let thirdParty: AccountID
    let requestID: DataRequestID
    let types: DataTypeSet
  }
  static let sql: SQL<Self> = """
    WITH held AS (
      SELECT recipient_id AS third_party_id, request_id, accepted_types & \(\.types) AS types
        FROM data4help.single_requests
       WHERE account_id = \(\.account)
         AND accepted_types & \(\.types) <> 0
         AND (status = 2 AND (is_subscribing OR \(\.kind)::int2 = 4)
              OR \(\.kind)::int2 = 4 AND status = 5 AND end_reason <> 4)
       ORDER BY request_id
         FOR UPDATE),
    reached AS (
      SELECT third_party_id, request_id, types,
             row_number() OVER (PARTITION BY third_party_id ORDER BY request_id) AS place
        FROM held),
    needed AS (
      SELECT third_party_id, count(*)::int8 AS count
        FROM reached
       GROUP BY third_party_id),
    \(fragment: NumberSQL.given)
    INSERT INTO data4help.third_party_log (
           third_party_id, first_seq, last_seq, request_id, types, first_account_seq, entered_at,
           kind, reason, from_ts, to_ts)
    SELECT reached.third_party_id, given.next_seq - needed.count + reached.place - 1,
           given.next_seq - needed.count + reached.place - 1, reached.request_id, reached.types, 0,
           \(\.now), \(\.kind)::int2, \(\.reason), \(\.from), \(\.to)
      FROM reached
      JOIN needed USING (third_party_id)
      JOIN given USING (third_party_id)
    RETURNING third_party_id, request_id, types
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let kind: LogKind
  let types: DataTypeSet
  let reason: Int16?
  let from: Int64?
  let to: Int64?
  let now: Instant
}

/// The last assigned number of each of these third parties' sequences.
struct SequenceHeads: Statement {
  typealias Row = EventHead
  static let sql: SQL<Self> = """
    SELECT third_party_id, next_seq - 1
      FROM data4help.third_party_sequences
     WHERE third_party_id = ANY (\(\.thirdParties))
    """
  static let columns = EventHead.columns
  let thirdParties: [AccountID]
}

/// An entry of a third party's log, with the columns of its kind.
package struct EventRow: Sendable {
  /// The position that it follows.
  let input: InputIndex
  let firstNumber: Int64
  /// The last of its numbers.
  package let lastNumber: Int64
  let requestID: DataRequestID
  let types: DataTypeSet
  let firstAccountSequence: Int64
  /// When it was added to the log.
  package let enteredAt: Instant
  /// The kind of the entry.
  package let kind: LogKind
  let status: StoredStatus?
  /// The reason of an end or of unavailable data, as stored.
  package let reason: Int16?
  let fromTime: Int64?
  let toTime: Int64?
  /// The deleted account, for an entry about a deletion.
  let sealedAccount: [UInt8]?

  /// The emergency of the entry, if any; it is stored in the column of the request.
  var emergency: UniversalID? {
    guard kind == .emergencyCalled || kind == .emergencyClosed else { return nil }
    return UniversalID(high: requestID.high, low: requestID.low)
  }
}

/// The entries after positions, up to a limit for each, in the order of the positions and numbers:
/// two descents of the primary key for each.
struct EventsAfter: Statement {
  typealias Row = EventRow
  static let sql: SQL<Self> = """
    SELECT asked.place, entry.first_seq, entry.last_seq, entry.request_id, entry.types,
           entry.first_account_seq, entry.entered_at, entry.kind, entry.status, entry.reason,
           entry.from_ts, entry.to_ts, entry.sealed_account
      FROM unnest(\(\.thirdParties), \(\.after))
             WITH ORDINALITY AS asked (third_party_id, after, place)
     CROSS JOIN LATERAL (
             SELECT log.*
               FROM data4help.third_party_log AS log
              WHERE log.third_party_id = asked.third_party_id
                AND log.first_seq >= coalesce(
                      (SELECT begun.first_seq
                         FROM data4help.third_party_log AS begun
                        WHERE begun.third_party_id = asked.third_party_id
                          AND begun.first_seq <= asked.after
                        ORDER BY begun.first_seq DESC
                        LIMIT 1), 0)
                AND log.last_seq > asked.after
              ORDER BY log.first_seq
              LIMIT \(\.countMax)) AS entry
     ORDER BY asked.place, entry.first_seq
    """
  static let columns = Columns(EventRow.init)
  let thirdParties: [AccountID]
  let after: [Int64]
  let countMax: Int64
}

/// Requests, locked against their ends while data is delivered, in a fixed order.
struct HoldRequestsForDelivery: Statement {
  typealias Row = SingleRequestRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: SingleRequestRow.columnList)
      FROM data4help.single_requests
     WHERE request_id = ANY (\(\.requestIDs))
     ORDER BY request_id
       FOR KEY SHARE
    """
  static let columns = SingleRequestRow.columns
  let requestIDs: [DataRequestID]
}
