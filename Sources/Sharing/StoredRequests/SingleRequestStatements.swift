import Domain
import Postgres
import ServiceKit
import Time

/// A request by its identifier.
struct RequestByID: Statement {
  typealias Row = SingleRequestRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: SingleRequestRow.columnList)
      FROM data4help.single_requests
     WHERE request_id = \(\.requestID)
    """
  static let columns = SingleRequestRow.columns
  let requestID: DataRequestID
}

/// Inserts a request under an identifier that is locked, or new.
struct InsertRequest: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.single_requests (
           request_id, third_party_id, account_id, sealed_addressee, is_by_email, types,
           is_subscribing, duration_seconds, from_ts, to_ts, status, created_at, answer_by,
           trusted_at, price_cents)
    VALUES (\(\.requestID), \(\.thirdParty), \(\.account), \(\.sealedAddressee), \(\.isByEmail),
            \(\.types), \(\.isSubscribing), \(\.duration), \(\.fromTime), \(\.toTime), 1,
            \(\.createdAt), \(\.answerBy), \(\.trustedAt), \(\.price))
    """
  let requestID: DataRequestID
  let thirdParty: AccountID
  let account: AccountID
  let sealedAddressee: [UInt8]
  let isByEmail: Bool
  let types: DataTypeSet
  let isSubscribing: Bool
  let duration: RequestDuration?
  let fromTime: Int64?
  let toTime: Int64?
  let createdAt: Instant
  let answerBy: Instant
  let trustedAt: Instant?
  let price: Int64

  init(
    _ request: SingleRequest, sealedAddressee: [UInt8], isByEmail: Bool,
    trustedAt: Instant?, price: Int64
  ) {
    self.trustedAt = trustedAt
    self.price = price
    requestID = request.id
    thirdParty = request.thirdParty
    account = request.singleUser
    self.sealedAddressee = sealedAddressee
    self.isByEmail = isByEmail
    types = request.terms.types
    isSubscribing = request.terms.subscribing
    duration = request.terms.duration
    fromTime = request.terms.from?.millisecondsSince1970
    toTime = request.terms.to?.millisecondsSince1970
    createdAt = request.createdAt
    answerBy = request.expiresAt
  }
}

/// A request of this single user, locked against every other change and every delivery.
struct LockRequestOfSingleUser: Statement {
  typealias Row = SingleRequestRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: SingleRequestRow.columnList)
      FROM data4help.single_requests
     WHERE request_id = \(\.requestID)
       AND account_id = \(\.account)
       FOR UPDATE
    """
  static let columns = SingleRequestRow.columns
  let requestID: DataRequestID
  let account: AccountID
}

/// A request of this third party, locked against every other change and every delivery.
struct LockRequestOfThirdParty: Statement {
  typealias Row = SingleRequestRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: SingleRequestRow.columnList)
      FROM data4help.single_requests
     WHERE request_id = \(\.requestID)
       AND recipient_id = \(\.thirdParty)
       FOR UPDATE
    """
  static let columns = SingleRequestRow.columns
  let requestID: DataRequestID
  let thirdParty: AccountID
}

/// Changes the status of a request, unless it was changed meanwhile; returns its identifier if it
/// changed.
struct ChangeRequest: Statement {
  typealias Row = DataRequestID
  static let sql: SQL<Self> = """
    UPDATE data4help.single_requests
       SET status = \(\.status), answered_at = \(\.answeredAt),
           accepted_types = \(\.acceptedTypes), ends_at = \(\.endsAt), ended_at = \(\.endedAt),
           end_reason = \(\.endReason), relayed_seq = \(\.relayedSequence)
     WHERE request_id = \(\.requestID)
       AND status = \(\.previous)
    RETURNING request_id
    """
  let requestID: DataRequestID
  let previous: StoredStatus
  let status: StoredStatus
  var answeredAt: Instant?
  var acceptedTypes: DataTypeSet?
  var endsAt: Instant?
  var endedAt: Instant?
  var endReason: StoredEndReason?
  var relayedSequence: Int64?

  init(_ request: SingleRequest, from previous: StoredStatus) {
    requestID = request.id
    self.previous = previous
    status = StoredStatus(request.state)
    if let acceptance = request.acceptance {
      answeredAt = acceptance.time
      acceptedTypes = acceptance.types
      endsAt = acceptance.endsAt
      relayedSequence = acceptance.nextSequence - 1
    }
    switch request.state {
    case .declined(let time): answeredAt = time
    case .ended(let time, let reason, _):
      endedAt = time
      endReason = StoredEndReason(reason)
    case .pending, .accepted, .paymentDue, .expired: break
    }
  }
}

/// The data of an account: the types that are imported and have a sample (R22), and the number of
/// its next sample. No row if no sample was ever stored.
struct AvailableData: Statement {
  struct Row: Sendable {
    let nextSequence: Int64
    let types: DataTypeSet
  }
  static let sql: SQL<Self> = """
    SELECT next_seq, stored_types & ~disabled_types
      FROM data4help.sample_accounts
     WHERE account_id = \(\.account)
    """
  static let columns = Columns(Row.init)
  let account: AccountID
}

/// Expires requests that were not answered in time (REQ-1); returns them.
struct ExpireRequests: Statement {
  typealias Row = SingleRequestRow
  static let sql: SQL<Self> = """
    WITH late AS (
      SELECT request_id
        FROM data4help.single_requests
       WHERE status = 1
         AND answer_by <= \(\.now)
       ORDER BY answer_by
       LIMIT \(\.countMax)
         FOR UPDATE SKIP LOCKED)
    UPDATE data4help.single_requests AS request
       SET status = 4
     WHERE request_id IN (SELECT request_id FROM late)
    RETURNING \(fragment: SingleRequestRow.columnList)
    """
  static let columns = SingleRequestRow.columns
  let now: Instant
  let countMax: Int64
}
