import Domain
import EventLoop
import HTTP
import JSON
import Operations
import Postgres
import Services

/// A request that a notice is about, in its present state.
struct NoticeRequest: Sendable {
  /// Its state at this moment, even before a worker has stored it.
  let single: SingleRequest
  /// Nil for a request whose account was deleted.
  let company: ThirdParty?
  /// The run of a check-in.
  let run: CheckInRun?

  var companyName: String { company?.companyName ?? CompanyName.ofDeletedAccounts }

  /// Whether the person can still answer.
  var isPending: Bool { single.status == .pending }

  /// Writes the content for the notice of a new request: the company and its description, the
  /// requested data and period (REQ-4), the present status, and for a check-in its run (R47). For a
  /// deleted company only that it is deleted.
  func write(to writer: inout JSONWriter) {
    writer.field("reqID", single.id.description)
    if let company {
      writer.field("email", company.email)
      writer.field("piva", company.vatNumber)
    }
    writer.field("company_name", companyName)
    if let company { writer.field("company_description", company.companyDescription) }
    writer.field("dataTypes", single.terms.types.map(\.name))
    writer.field("subscribing", single.terms.subscribing)
    writer.field("duration", single.terms.duration?.seconds)
    writer.field("from", single.terms.from?.description)
    writer.field("to", single.terms.to?.description)
    writer.field("expiresAt", single.expiresAt.description)
    writer.field("status", single.status.rawValue)
    if let run {
      run.write(to: &writer)
      writer.fieldIfPresent("startTime", single.terms.from?.description)
    }
  }
}

/// Looks up the requests that notices name by the identifier alone, so that notices follow renames
/// and answers, and contain nothing of a deleted company.
struct NoticeRequests: Sendable {
  private let surroundings: Surroundings
  private let directory: AccountDirectory

  /// Requests of these accounts.
  init(_ surroundings: Surroundings) {
    self.surroundings = surroundings
    directory = AccountDirectory(surroundings)
  }

  /// The requests of notices; those that can't be read are left out. One query by the primary key,
  /// one for the companies, and one for the runs of check-ins.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  func find(_ notices: [DecodedNotice]) async throws(ApplicationError) -> [DataRequestID:
    NoticeRequest]
  {
    let requestIDs = notices.compactMap(\.requestID)
    guard !requestIDs.isEmpty else { return [:] }
    let accounts = Set(notices.map(\.account)).sorted()
    let rows = try await surroundings.database.rows(
      RequestsToPeople(requestIDs: requestIDs, accounts: accounts))
    let companies = try await directory.thirdParties(Set(rows.map(\.thirdParty)))
    let runs = try await runs(of: rows.filter(\.isCheckIn).map(\.requestID))
    let now = surroundings.world.now().timestamp
    var found: [DataRequestID: NoticeRequest] = [:]
    for row in rows {
      guard var single = request(row) else { continue }
      single.settle(now: now)
      found[row.requestID] = NoticeRequest(
        single: single, company: companies[row.thirdParty], run: runs[row.requestID])
    }
    return found
  }

  private func runs(
    of requestIDs: [DataRequestID]
  ) async throws(ApplicationError) -> [DataRequestID: CheckInRun] {
    guard !requestIDs.isEmpty else { return [:] }
    let rows = try await surroundings.database.rows(RunsOfCheckIns(requestIDs: requestIDs))
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.requestID, $0.run) })
  }

  /// Nil for a row that contradicts itself, which is logged.
  private func request(_ row: SingleRequestRow) -> SingleRequest? {
    do throws(ApplicationError) { return try row.request() } catch {
      surroundings.log.failure(
        "read request of notice failed", error, .number("account_id", row.account.rawValue))
      return nil
    }
  }
}

/// Requests to these people; requests to others are left out. By the primary key.
struct RequestsToPeople: Statement {
  typealias Row = SingleRequestRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: SingleRequestRow.columnList)
      FROM data4help.single_requests
     WHERE request_id = ANY (\(\.requestIDs))
       AND account_id = ANY (\(\.accounts))
    """
  static let columns = SingleRequestRow.columns
  let requestIDs: [DataRequestID]
  let accounts: [AccountID]
}
