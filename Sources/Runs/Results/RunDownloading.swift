import Data4HelpSync
import Domain
import HTTP
import InternalAPI
import Postgres
import PublicAPI
import ServiceKit
import Web

/// Lets organisers download the data of their run as a file (RUN-8): positions for the organiser
/// and co-organisers, health data only for the company with which the runners shared it.
struct RunDownloading: Sendable {
  private let database: Database
  private let data4help: Data4HelpClient
  private let runnerNames: RunnerNames
  private let runData: RunData

  /// The number of runners whose samples are in memory at once.
  private static let runnersAtOnce = 10
  /// The organiser of a run whose organiser's account is deleted.
  private static let nobody = AccountID(rawValue: 0)

  /// Creates downloads of the runs in this database.
  init(
    database: Database, data4help: Data4HelpClient, runnerNames: RunnerNames, runData: RunData
  ) {
    self.database = database
    self.data4help = data4help
    self.runnerNames = runnerNames
    self.runData = runData
  }

  /// The rows of the route table.
  var routes: [Route] { [EndpointRoutes().identified(.downloadRun, download)] }

  /// Records each part in the records of accesses before sending it; if recording fails, the file
  /// is truncated.
  ///
  /// - Throws: 404 for another organiser's run, 503.
  @Sendable private func download(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    guard let runID = request.query["runID"].flatMap({ Int64($0) }),
      let row = try await database.row(
        RunOfOrganiser(runID: runID, thirdParty: caller.account))
    else { throw .notFound }
    let isOrganiser = row.organiser == caller.account
    // Co-organisers have access while the run has an organiser and is not cancelled.
    guard isOrganiser || row.cancelledAt == nil && row.organiser != Self.nobody else {
      throw .notFound
    }
    let file = request.query["format"].flatMap { RunFile(rawValue: $0) } ?? .csv
    let runners = try await database.rows(SharersOfRun(runID: runID))
    let data4help = data4help.following(request)
    var response = Response.stream(contentType: file.contentType) { writer in
      try await writer.write(file.head)
      for some in runners.parts(of: Self.runnersAtOnce) {
        let part = try await samples(of: some, in: runID, withHealth: isOrganiser)
        try await record(part, file, to: caller.account, by: data4help)
        for (runner, samples) in part {
          let name = runnerNames.opened(
            runner.sealedName, in: runID, of: runner.account, number: runner.number)
          let known = RunFile.Runner(number: runner.number, name: name)
          try await writer.write(file.bytes(of: known, samples))
        }
      }
      try await writer.write(file.tail)
    }
    response.fields.append(
      .contentDisposition, "attachment; filename=\"run-\(runID).\(file.rawValue)\"")
    return response
  }

  /// The data shared by these runners, each by time; runners without data are left out.
  private func samples(
    of runners: [SharersOfRun.Row], in runID: Int64, withHealth: Bool
  ) async throws(ApplicationError) -> [(runner: SharersOfRun.Row, samples: [Sample])] {
    let all = try await runData.samples(
      ofRun: runID, numbers: runners.map(\.number), from: database)
    return runners.compactMap { runner in
      let shared = (all[runner.number] ?? [])
        .filter { withHealth || $0.type == .position }
        .sorted { ($0.time, $0.type.rawValue) < ($1.time, $1.type.rawValue) }
      return shared.isEmpty ? nil : (runner, shared)
    }
  }

  private func record(
    _ part: [(runner: SharersOfRun.Row, samples: [Sample])], _ file: RunFile,
    to thirdParty: AccountID, by data4help: Data4HelpClient
  ) async throws(ApplicationError) {
    let runners = part.map { runner, samples in
      RunDownload.Runner(
        runner.requestID, types: DataTypeSet(samples.lazy.map(\.type)).map(\.self),
        count: samples.count)
    }
    guard !runners.isEmpty else { return }
    try await data4help.record(
      RunDownload(to: thirdParty, format: file.rawValue, runners: runners))
  }
}

/// The runners who shared data in a run, by number; without those who left it or ended the sharing
/// (R21).
struct SharersOfRun: Statement {
  struct Row: Sendable {
    let number: Int32
    let account: AccountID
    let sealedName: [UInt8]?
    let requestID: DataRequestID
  }
  static let sql: SQL<Self> = """
    SELECT number, account_id, sealed_name, request_id
      FROM track4run.enrolments
     WHERE run_id = \(\.runID)
       AND checked_in_at IS NOT NULL
       AND left_at IS NULL
       AND request_id IS NOT NULL
     ORDER BY number
    """
  static let columns = Columns {
    (
      number: Int32, account: AccountID, name: [UInt8]?, request: DataRequestID?
    ) throws(PostgresError) in
    guard let request else { throw .unexpectedResult("an enrolment without its request") }
    return Row(number: number, account: account, sealedName: name, requestID: request)
  }
  let runID: Int64
}
