import Domain
import Postgres
import Sharing
import Time

/// Inserts a group request under an identifier that is locked, or new.
struct InsertGroupRequest: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.group_requests (
           request_id, third_party_id, types, search, breakdown, is_subscribing,
           duration_seconds, from_ts, to_ts, status, reason, created_at, ends_at, next_day,
           looked_day, price_cents)
    VALUES (\(\.requestID), \(\.thirdParty), \(\.types), \(\.search), \(\.breakdown),
            \(\.isSubscribing), \(\.duration), \(\.fromTime), \(\.toTime), \(\.status),
            \(\.reason), \(\.createdAt), \(\.endsAt), \(\.nextDay), \(\.lookedDay), \(\.price))
    """
  let requestID: DataRequestID
  let thirdParty: AccountID
  let types: DataTypeSet
  let search: [String]
  let breakdown: Int16
  let isSubscribing: Bool
  let duration: RequestDuration?
  let fromTime: Int64?
  let toTime: Int64?
  let status: StoredGroupStatus
  let reason: StoredGroupReason?
  let createdAt: Instant
  let endsAt: Instant?
  let nextDay: Int32?
  let lookedDay: Int32
  let price: Int64
}

/// Ends a subscription.
struct EndGroupRequest: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.group_requests
       SET status = 3, reason = \(\.reason), claimed_until = NULL
     WHERE request_id = \(\.requestID)
       AND status = 1
    """
  let requestID: DataRequestID
  let reason: StoredGroupReason
}

/// Claims a live subscription whose next window may be closed, or that is over and whose days are
/// all closed.
struct ClaimSubscription: Statement {
  typealias Row = GroupRequestRow
  static let sql: SQL<Self> = """
    UPDATE data4help.group_requests
       SET claimed_until = \(\.claimedUntil)
     WHERE request_id = (
             SELECT request_id
               FROM data4help.group_requests
              WHERE status = 1
                AND is_subscribing
                AND (looked_day < \(\.lastClosed) OR ends_at <= \(\.endedBy))
                AND (claimed_until IS NULL OR claimed_until <= \(\.now))
              ORDER BY looked_day
              LIMIT 1
                FOR UPDATE SKIP LOCKED)
    RETURNING \(fragment: GroupRequestRow.columnList)
    """
  static let columns = GroupRequestRow.columns
  let lastClosed: Int32
  let endedBy: Instant
  let now: Instant
  let claimedUntil: Instant
}

/// Stores the day up to which the windows of a subscription were examined.
struct MoveSubscription: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.group_requests
       SET next_day = \(\.nextDay), looked_day = \(\.lookedDay), claimed_until = NULL
     WHERE request_id = \(\.requestID)
    """
  let requestID: DataRequestID
  let nextDay: Int32
  let lookedDay: Int32
}
