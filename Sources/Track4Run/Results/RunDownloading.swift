import Domain
import EventLoop
import HTTP
import Postgres
import PublicAPI
import Services

/// Gives organisers what runners shared in their run as a file (RUN-8): positions to all who
/// organise it, health data to the company that the runners shared it with.
struct RunDownloading: Sendable {
  private let surroundings: RunSurroundings

  /// Runners whose samples are in memory at once.
  private static let runnersAtOnce = 10
  /// The organiser of a run whose organiser's account is gone.
  private static let nobody = AccountID(rawValue: 0)

  /// Files of these surroundings.
  init(_ surroundings: RunSurroundings) { self.surroundings = surroundings }

  /// The rows of the route table.
  var routes: [Route] { [surroundings.routes.identified(.downloadRun, download)] }

  /// Each part stands in the records of accesses before it leaves; where it cannot be recorded, the
  /// file breaks off.
  ///
  /// - Throws: 404 for a run that is not the caller's, 503.
  @Sendable private func download(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    guard let runID = request.query["runID"].flatMap({ Int64($0) }),
      let row = try await surroundings.database.row(
        RunOfOrganiser(runID: runID, thirdParty: caller.account))
    else { throw .notFound }
    let isOwn = row.organiser == caller.account
    // Who organises along has a part in it as long as there is something to organise.
    guard isOwn || row.cancelledAt == nil && row.organiser != Self.nobody else { throw .notFound }
    let file = request.query["format"].flatMap { RunFile(rawValue: $0) } ?? .csv
    let runners = try await surroundings.database.rows(SharersOfRun(runID: runID))
    var response = Response.stream(contentType: file.contentType) { writer in
      try await writer.write(file.head)
      for some in runners.parts(of: Self.runnersAtOnce) {
        let part = try await samples(of: some, in: runID, withHealth: isOwn)
        try await record(part, file, to: caller.account)
        for (runner, samples) in part {
          let name = surroundings.runnerNames.opened(
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

  /// What these runners shared, each by time; who shared nothing is left out.
  private func samples(
    of runners: [SharersOfRun.Row], in runID: Int64, withHealth: Bool
  ) async throws(ApplicationError) -> [(runner: SharersOfRun.Row, samples: [Sample])] {
    let all = try await surroundings.runData.samples(
      ofRun: runID, numbers: runners.map(\.number), from: surroundings.database)
    return runners.compactMap { runner in
      let shared = (all[runner.number] ?? [])
        .filter { withHealth || $0.type == .position }
        .sorted { ($0.time, $0.type.rawValue) < ($1.time, $1.type.rawValue) }
      return shared.isEmpty ? nil : (runner, shared)
    }
  }

  private func record(
    _ part: [(runner: SharersOfRun.Row, samples: [Sample])], _ file: RunFile,
    to thirdParty: AccountID
  ) async throws(ApplicationError) {
    let runners = part.map { runner, samples in
      RunDownload.Runner(
        runner.requestID, types: DataTypeSet(samples.lazy.map(\.type)).map(\.self),
        count: samples.count)
    }
    guard !runners.isEmpty else { return }
    try await surroundings.data4help.record(
      RunDownload(to: thirdParty, format: file.rawValue, runners: runners))
  }
}

/// Who has shared anything in a run, by number; nobody who has left it, or ended the sharing (R21).
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
