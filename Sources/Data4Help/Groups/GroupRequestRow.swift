import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// A group request as stored.
struct GroupRequestRow: Sendable {
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
  let createdAt: WallTime
  let endsAt: WallTime?
  let nextDay: Int32?
  /// Its price when it was sent, in cents (REQ-7).
  let priceCents: Int64
  let paidAt: WallTime?

  /// The columns in the order of the properties.
  static let columnList: StaticString = """
    request_id, third_party_id, types, search, breakdown, is_subscribing, duration_seconds,
           from_ts, to_ts, status, reason, created_at, ends_at, next_day,
           price_cents, paid_at
    """
  static let columns = Columns(GroupRequestRow.init)

  /// The requested data and search.
  var terms: GroupRequestTerms {
    GroupRequestTerms(
      stored: types, breakdown: GroupBreakdown(stored: breakdown), subscribing: isSubscribing,
      duration: duration,
      from: fromTime.map(Timestamp.init(millisecondsSince1970:)),
      to: toTime.map(Timestamp.init(millisecondsSince1970:)))
  }

  /// Its status and reason at this time, even before a worker has stored them.
  func standing(at now: WallTime) -> (status: StoredGroupStatus, reason: StoredGroupReason?) {
    if status == .approved, let endsAt, endsAt <= now { return (.ended, .periodOver) }
    return (status, reason)
  }

  /// Whether it is unpaid at this time: nothing of it is delivered before payment.
  func isDue(at now: WallTime) -> Bool {
    standing(at: now).status == .approved && priceCents > 0 && paidAt == nil
  }
}

/// The status of a group request, as a number.
enum StoredGroupStatus: Int16, PostgresValue {
  case approved = 1
  case refused = 2
  case ended = 3

  /// The API's name.
  var word: String {
    switch self {
    case .approved: "approved"
    case .refused: "refused"
    case .ended: "ended"
    }
  }
}

/// The reason why a group request was refused or has ended, as a number.
enum StoredGroupReason: Int16, PostgresValue {
  case tooFewPeople = 1
  case noData = 2
  case thirdParty = 3
  case periodOver = 4

  /// The API's text.
  var words: String {
    switch self {
    case .tooFewPeople: "too few people"
    case .noData: "no data"
    case .thirdParty: "ended by the third party"
    case .periodOver: "period over"
    }
  }
}

/// A group request by its identifier.
struct GroupRequestByID: Statement {
  typealias Row = GroupRequestRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: GroupRequestRow.columnList)
      FROM data4help.group_requests
     WHERE request_id = \(\.requestID)
    """
  static let columns = GroupRequestRow.columns
  let requestID: DataRequestID
}

/// A group request, locked against changes until the end of the transaction.
struct LockGroupRequest: Statement {
  typealias Row = GroupRequestRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: GroupRequestRow.columnList)
      FROM data4help.group_requests
     WHERE request_id = \(\.requestID)
       FOR UPDATE
    """
  static let columns = GroupRequestRow.columns
  let requestID: DataRequestID
}

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
  let createdAt: WallTime
  let endsAt: WallTime?
  let nextDay: Int32?
  let lookedDay: Int32
  let price: Int64
}

/// A page of the group requests of a third party.
struct GroupRequestsOfThirdParty: Statement {
  typealias Row = GroupRequestRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: GroupRequestRow.columnList)
      FROM data4help.group_requests
     WHERE third_party_id = \(\.thirdParty)
       AND (created_at, request_id) < (\(\.place.createdAt), \(\.place.requestID))
     ORDER BY created_at DESC, request_id DESC
     LIMIT \(\.limit)
    """
  static let columns = GroupRequestRow.columns
  let thirdParty: AccountID
  let place: RequestPlace
  let limit: Int
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
  let endedBy: WallTime
  let now: WallTime
  let claimedUntil: WallTime
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
