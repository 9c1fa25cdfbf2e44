import Accounts
import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit
import Time

/// Looks up the requests that notices name by the identifier alone, so that notices follow renames
/// and answers, and contain nothing of a deleted company.
package struct NoticeRequests: NoticeRequestSource {
  private let environment: Environment
  private let database: Database
  private let log: Log
  private let directory: AccountDirectory

  /// Requests of these accounts.
  package init(environment: Environment, database: Database, log: Log, directory: AccountDirectory)
  {
    self.environment = environment
    self.database = database
    self.log = log
    self.directory = directory
  }

  /// The requests of notices; those that can't be read are left out. One query by the primary key,
  /// one for the companies, and one for the runs of check-ins.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  package func find(
    _ notices: [DecodedNotice]
  ) async throws(ApplicationError) -> [DataRequestID: NoticeRequest] {
    let requestIDs = notices.compactMap(\.requestID)
    guard !requestIDs.isEmpty else { return [:] }
    let accounts = Set(notices.map(\.account)).sorted()
    let rows = try await database.rows(
      RequestsToPeople(requestIDs: requestIDs, accounts: accounts))
    let companies = try await directory.thirdParties(Set(rows.map(\.thirdParty)))
    let runs = try await runs(of: rows.filter(\.isCheckIn).map(\.requestID))
    let now = environment.now().flooredToMilliseconds
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
    let rows = try await database.rows(RunsOfCheckIns(requestIDs: requestIDs))
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.requestID, $0.run) })
  }

  /// Nil for a row that contradicts itself, which is logged.
  private func request(_ row: SingleRequestRow) -> SingleRequest? {
    do throws(ApplicationError) { return try row.request() } catch {
      log.failure(
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
