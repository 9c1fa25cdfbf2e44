import Cryptography
import Domain
import EventLoop
import InternalAPI
import Postgres
import ServiceKit
import Sharing
import Time

/// Records that a company downloads the shared data of a run's runners as a file (RUN-8, NFR-6):
/// the file may be sent after this has committed.
struct RunDownloadRecording: Sendable {
  private let environment: Environment
  private let database: Database
  private let accesses: AccessRecorder

  /// A recording in this database.
  init(environment: Environment, database: Database, root: RootSecret) {
    self.environment = environment
    self.database = database
    accesses = AccessRecorder(root: root)
  }

  /// Records a part, and returns the check-ins whose data may be sent: without unknown requests,
  /// those that are not check-ins, and those that the runner has ended or whose account is deleted.
  ///
  /// - Throws: `invalid` for an unknown format, `unavailable` if the database is unavailable.
  func record(_ download: RunDownload) async throws(ApplicationError) -> GrantedCheckIns {
    guard let format = AccessFormat.allCases.first(where: { $0.apiName == download.format }) else {
      throw .invalid("This is not a file of the archive's format.", field: "format")
    }
    let now = environment.now()
    return try await database.transaction { (transaction) throws(ApplicationError) in
      let rows = try await transaction.run(
        HoldCheckInsForDelivery(requestIDs: download.runners.map(\.requestID)))
      var accounts: [DataRequestID: AccountID] = [:]
      for row in rows {
        let request = try row.request()
        guard request.coverage(at: now.flooredToMilliseconds) != nil else { continue }
        accounts[row.requestID] = row.account
      }
      var entries: [AccessedData] = []
      for runner in download.runners where runner.count > 0 {
        guard let account = accounts[runner.requestID] else { continue }
        entries.append(
          AccessedData(
            account: account, thirdParty: download.thirdParty, requestID: runner.requestID,
            time: now, format: format, types: DataTypeSet(runner.types), firstNumber: 1,
            lastNumber: Int64(runner.count), count: runner.count))
      }
      try await accesses.record(entries, in: transaction)
      return GrantedCheckIns(Array(accounts.keys))
    }
  }
}
