import Accounts
import Domain
import EventLoop
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// The lists of requests, for the person who received them (R12) and for the third party; newest
/// first.
struct RequestLists: Sendable {
  let environment: Environment
  let database: Database
  let accountKeys: AccountKeys
  let directory: AccountDirectory

  /// The requests for the caller's own data, including those of deleted companies (REQ-5).
  func forSingleUser(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let limit = PageLimit.count(request.query)
    let now = environment.now().flooredToMilliseconds
    let rows = try await database.rows(
      RequestsOfSingleUser(
        account: identity.account, statuses: StoredStatus.named(in: request.query), now: now,
        cursor: try RequestCursor(request.query), limit: limit + 1))
    let counts = try await database.row(
      RequestCountsOfSingleUser(account: identity.account, now: now))
    let page = rows.prefix(limit)
    let thirdParties = try await directory.thirdParties(Set(page.map(\.thirdParty)))
    let runs = try await runs(of: page.filter(\.isCheckIn).map(\.requestID))
    return try list(rows, limit, RequestCursor.init(after:), and: counts?.write) {
      (writer, row) throws(ApplicationError) in
      let thirdParty = thirdParties[row.thirdParty] ?? .deleted
      try write(row, to: &writer) { (writer, _) in
        writer.field("email", thirdParty.email)
        writer.field("piva", thirdParty.vatNumber)
        writer.field("company_name", thirdParty.companyName)
        writer.field("company_description", thirdParty.companyDescription)
        writer.field("preconfirmed", row.trustedAt != nil)
        writer.field("kind", row.isCheckIn ? "check-in" : "single")
        if let run = runs[row.requestID] {
          run.write(to: &writer)
          writer.fieldIfPresent("startTime", row.terms.from?.description)
        }
      }
    }
  }

  /// The runs of check-ins.
  private func runs(
    of requestIDs: [DataRequestID]
  ) async throws(ApplicationError) -> [DataRequestID: CheckInRun] {
    guard !requestIDs.isEmpty else { return [:] }
    let rows = try await database.rows(RunsOfCheckIns(requestIDs: requestIDs))
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.requestID, $0.run) })
  }

  /// The requests that the caller has sent. They name the person only by the email or fiscal code
  /// of the request.
  func forThirdParty(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let limit = PageLimit.count(request.query)
    let cursor = try RequestCursor(request.query)
    let singles = try await database.rows(
      RequestsOfThirdParty(thirdParty: identity.account, cursor: cursor, limit: limit + 1))
    let groups = try await database.rows(
      GroupRequestsOfThirdParty(thirdParty: identity.account, cursor: cursor, limit: limit + 1))
    let key = try await accountKeys.key(of: identity.account)
    let rows = SentRequest.merged(singles, groups)
    return try list(rows, limit, \.cursor) { (writer, row) throws(ApplicationError) in
      switch row {
      case .single(let row):
        let addressee = try SealedAddressee.open(row, with: key)
        try write(row, to: &writer) { (writer, status) in
          writer.field("kind", "single")
          writer.field(row.isByEmail ? "email" : "fc", addressee)
          writer.field("searchParams", [String]())
          writer.field("amountDue", status == .paymentDue ? row.priceCents : 0)
          writer.field("currency", PaymentTerms.currency)
        }
      case .group(let row): row.write(to: &writer, at: environment.now())
      }
    }
  }

  private func list<Row>(
    _ rows: [Row], _ limit: Int, _ cursor: (Row) -> RequestCursor,
    and more: ((inout JSONWriter) -> Void)? = nil,
    _ entry: (inout JSONWriter, Row) throws(ApplicationError) -> Void
  ) throws(ApplicationError) -> Response {
    var writer = JSONWriter()
    try writer.object { (writer) throws(ApplicationError) in
      try writer.array("requests") { (writer) throws(ApplicationError) in
        for row in rows.prefix(limit) { try entry(&writer, row) }
      }
      if rows.count > limit {
        writer.field("next", cursor(rows[limit - 1]).text)
      }
      more?(&writer)
    }
    return .json(writer.bytes)
  }

  /// Writes the fields that both lists share; the status is the present one, even before a worker
  /// has stored it.
  private func write(
    _ row: SingleRequestRow, to writer: inout JSONWriter,
    _ more: (inout JSONWriter, SingleRequestStatus) -> Void
  ) throws(ApplicationError) {
    var single = try row.request()
    single.settle(now: environment.now().flooredToMilliseconds)
    writer.object { writer in
      writer.field("reqID", single.id.description)
      more(&writer, single.status)
      writer.field("dataTypes", single.terms.types.map(\.name))
      writer.field("status", single.status.rawValue)
      writer.field("subscribing", single.terms.subscribing)
      writer.field("duration", single.terms.duration?.seconds ?? 0)
      writer.field("createdAt", single.createdAt.description)
      writer.field("expiresAt", single.expiresAt.description)
      writer.field("acceptedTypes", single.acceptance?.types.map(\.name))
      writer.field("from", single.terms.from?.description)
      writer.field("to", single.terms.to?.description)
      writer.fieldIfPresent("endsAt", single.acceptance?.endsAt?.description)
      if case .ended(_, let reason, _) = single.state {
        writer.field("reason", reason.rawValue)
      }
    }
  }
}

/// A page of the requests for a person's data with one of these statuses at this moment, even
/// before a worker has stored them (`SingleRequest.settle`).
struct RequestsOfSingleUser: Statement {
  typealias Row = SingleRequestRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: SingleRequestRow.columnList)
      FROM data4help.single_requests
     WHERE account_id = \(\.account)
       AND (CASE
             WHEN status = 1 AND answer_by <= \(\.now) THEN 4
             WHEN status IN (2, 6) AND ends_at <= \(\.now) THEN 5
             ELSE status
           END)::int2 = ANY (\(\.statuses))
       AND (created_at, request_id) < (\(\.cursor.createdAt), \(\.cursor.requestID))
     ORDER BY created_at DESC, request_id DESC
     LIMIT \(\.limit)
    """
  static let columns = SingleRequestRow.columns
  let account: AccountID
  let statuses: [StoredStatus]
  let now: Instant
  let cursor: RequestCursor
  let limit: Int
}

/// The number of requests that wait for a person's answer, and of third parties with a live
/// subscription to the person.
struct RequestCountsOfSingleUser: Statement {
  struct Row: Sendable {
    let pending: Int64
    let followers: Int64

    func write(to writer: inout JSONWriter) {
      writer.field("pending", pending)
      writer.field("followers", followers)
    }
  }
  static let sql: SQL<Self> = """
    SELECT (SELECT count(*)
              FROM data4help.single_requests
             WHERE account_id = \(\.account)
               AND status = 1
               AND answer_by > \(\.now)),
           (SELECT count(DISTINCT third_party_id)
              FROM data4help.single_requests
             WHERE account_id = \(\.account)
               AND status = 2
               AND is_subscribing
               AND ends_at > \(\.now))
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let now: Instant
}

/// A page of the requests that a third party itself has sent.
struct RequestsOfThirdParty: Statement {
  typealias Row = SingleRequestRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: SingleRequestRow.columnList)
      FROM data4help.single_requests
     WHERE third_party_id = \(\.thirdParty)
       AND NOT is_check_in
       AND (created_at, request_id) < (\(\.cursor.createdAt), \(\.cursor.requestID))
     ORDER BY created_at DESC, request_id DESC
     LIMIT \(\.limit)
    """
  static let columns = SingleRequestRow.columns
  let thirdParty: AccountID
  let cursor: RequestCursor
  let limit: Int
}
