import Domain
import HTTP
import JSON
import Postgres
import Services

/// Names the companies of requests that notices tell people of by the identifier alone.
struct NoticeCompanies: Sendable {
  private let directory: AccountDirectory

  /// Companies of these accounts.
  init(_ surroundings: Surroundings) { directory = AccountDirectory(surroundings) }

  /// The request that a notice is about and whose company it does not name.
  static func request(of kind: NoticeKind, _ payload: [UInt8]) -> DataRequestID? {
    guard kind == .ended else { return nil }
    do throws(JSONError) {
      let facts = try JSONReader.read(NoticeFacts.self, from: payload)
      return facts.texts["reqID"].flatMap { DataRequestID($0) }
    } catch {
      return nil
    }
  }

  /// The names of the companies that sent these requests.
  ///
  /// - Throws: 503 if a database is unavailable.
  func names(
    of rows: [CompaniesOfRequests.Row]
  ) async throws(Problem) -> [DataRequestID: String] {
    let known = try await directory.thirdParties(Set(rows.map(\.thirdParty)))
    let names = rows.map { row in
      (row.requestID, known[row.thirdParty]?.companyName ?? CompanyName.ofDeletedAccounts)
    }
    return Dictionary(uniqueKeysWithValues: names)
  }
}

/// Who sent requests to these people; requests to others are left out. By the primary key.
struct CompaniesOfRequests: Statement {
  struct Row: Sendable {
    let requestID: DataRequestID
    let thirdParty: AccountID
  }
  static let sql: SQL<Self> = """
    SELECT request_id, third_party_id
      FROM data4help.single_requests
     WHERE request_id = ANY (\(\.requestIDs))
       AND account_id = ANY (\(\.accounts))
    """
  static let columns = Columns(Row.init)
  let requestIDs: [DataRequestID]
  let accounts: [AccountID]
}
