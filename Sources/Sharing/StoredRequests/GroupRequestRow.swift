import Domain
import Postgres
import Time

/// A group request as stored.
package struct GroupRequestRow: Sendable {
  /// The identifier of the request, and its third party.
  package let requestID: DataRequestID
  package let thirdParty: AccountID
  /// The requested types.
  package let types: DataTypeSet
  /// The conditions of the search, as entered.
  package let search: [String]
  let breakdown: Int16
  /// Whether later days are released, too.
  package let isSubscribing: Bool
  let duration: RequestDuration?
  let fromTime: Int64?
  let toTime: Int64?
  /// The status, and the reason of a refusal or an end.
  package let status: StoredGroupStatus
  package let reason: StoredGroupReason?
  let createdAt: Instant
  /// The end of a subscription; nil without one.
  package let endsAt: Instant?
  /// The next day of a subscription to release.
  package let nextDay: Int32?
  /// Its price when it was sent, in cents (REQ-7).
  package let priceCents: Int64
  package let paidAt: Instant?

  /// The columns in the order of the properties.
  package static let columnList: StaticString = """
    request_id, third_party_id, types, search, breakdown, is_subscribing, duration_seconds,
           from_ts, to_ts, status, reason, created_at, ends_at, next_day,
           price_cents, paid_at
    """
  package static let columns = Columns(GroupRequestRow.init)

  /// The requested data and search.
  package var terms: GroupRequestTerms {
    GroupRequestTerms(
      stored: types, breakdown: GroupBreakdown(stored: breakdown), subscribing: isSubscribing,
      duration: duration,
      from: fromTime.map(Instant.init(millisecondsSince1970:)),
      to: toTime.map(Instant.init(millisecondsSince1970:)))
  }

  /// Its status and reason at this time, even before a worker has stored them.
  package func standing(at now: Instant) -> (status: StoredGroupStatus, reason: StoredGroupReason?)
  {
    if status == .approved, let endsAt, endsAt <= now { return (.ended, .periodOver) }
    return (status, reason)
  }

  /// Whether it is unpaid at this time: nothing of it is delivered before payment.
  package func isDue(at now: Instant) -> Bool {
    standing(at: now).status == .approved && priceCents > 0 && paidAt == nil
  }
}

/// The status of a group request, as a number.
package enum StoredGroupStatus: Int16, PostgresValue {
  case approved = 1
  case refused = 2
  case ended = 3

  /// The API's name.
  package var apiName: String {
    switch self {
    case .approved: "approved"
    case .refused: "refused"
    case .ended: "ended"
    }
  }
}

/// The reason why a group request was refused or has ended, as a number.
package enum StoredGroupReason: Int16, PostgresValue {
  case tooFewPeople = 1
  case noData = 2
  case thirdParty = 3
  case periodOver = 4

  /// The API's text.
  package var apiName: String {
    switch self {
    case .tooFewPeople: "too few people"
    case .noData: "no data"
    case .thirdParty: "ended by the third party"
    case .periodOver: "period over"
    }
  }
}

/// A group request by its identifier.
package struct GroupRequestByID: Statement {
  /// The stored request.
  package typealias Row = GroupRequestRow
  package static let sql: SQL<Self> = """
    SELECT \(fragment: GroupRequestRow.columnList)
      FROM data4help.group_requests
     WHERE request_id = \(\.requestID)
    """
  package static let columns = GroupRequestRow.columns
  let requestID: DataRequestID

  /// Reads the request with this identifier.
  package init(requestID: DataRequestID) {
    self.requestID = requestID
  }
}

/// A group request, locked against changes until the end of the transaction.
package struct LockGroupRequest: Statement {
  /// The stored request.
  package typealias Row = GroupRequestRow
  package static let sql: SQL<Self> = """
    SELECT \(fragment: GroupRequestRow.columnList)
      FROM data4help.group_requests
     WHERE request_id = \(\.requestID)
       FOR UPDATE
    """
  package static let columns = GroupRequestRow.columns
  let requestID: DataRequestID

  /// Locks the request with this identifier.
  package init(requestID: DataRequestID) {
    self.requestID = requestID
  }
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
  package var stored: Int16 {
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
