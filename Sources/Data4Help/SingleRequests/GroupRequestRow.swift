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
  var apiName: String {
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
  var apiName: String {
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

/// A page of the group requests of a third party.
struct GroupRequestsOfThirdParty: Statement {
  typealias Row = GroupRequestRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: GroupRequestRow.columnList)
      FROM data4help.group_requests
     WHERE third_party_id = \(\.thirdParty)
       AND (created_at, request_id) < (\(\.cursor.createdAt), \(\.cursor.requestID))
     ORDER BY created_at DESC, request_id DESC
     LIMIT \(\.limit)
    """
  static let columns = GroupRequestRow.columns
  let thirdParty: AccountID
  let cursor: RequestCursor
  let limit: Int
}

extension GroupBreakdown {
  /// The number in the database; 0 means no breakdown.
  var stored: Int16 {
    switch self {
    case .ageBand: 1
    case .sex: 2
    case .region: 3
    }
  }

  /// The breakdown with this number.
  init?(stored: Int16) {
    guard let found = Self.allCases.first(where: { $0.stored == stored }) else { return nil }
    self = found
  }
}
