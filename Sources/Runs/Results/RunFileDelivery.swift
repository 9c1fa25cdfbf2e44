import Data4HelpSync
import Domain
import EventLoop
import InternalAPI
import Postgres
import ServiceKit
import Web

/// Delivers a run's data to a company that reads it as a file, while the runners share it and the
/// company may read it (R21, RUN-8).
///
/// The database of runs is asked before each piece, and both it and Data4Help while a client does
/// not take a piece, which is then discarded (`BodyWriter.abort`). A runner who leaves is known to
/// the database of runs at once; the end of a check-in and a deleted account to Data4Help first.
struct RunFileDelivery: Sendable {
  let runID: Int64
  let thirdParty: AccountID
  let file: RunFile
  private let database: Database
  private let data4help: Data4HelpClient
  private let current: LoopBound<Current>

  /// The bytes after which an encoded piece is passed to the connection.
  static let pieceBytes = 64 << 10
  /// The time between two checks of the runner whose data is being written.
  static let checkedEvery = Duration.milliseconds(500)
  /// The time limit of a check at each replica of Data4Help. It is shorter than that of other
  /// calls (5 s), because a client that reads receives the runner's data until a check has failed.
  static let checkedWithin = Duration.seconds(1)

  /// The runner whose data is being written.
  private final class Current {
    var runner: SharerOfRun.Row?
  }

  /// A delivery of the file to this company.
  init(
    runID: Int64, thirdParty: AccountID, file: RunFile, database: Database,
    data4help: Data4HelpClient
  ) {
    self.runID = runID
    self.thirdParty = thirdParty
    self.file = file
    self.database = database
    self.data4help = data4help
    current = LoopBound(Current(), on: database.loop)
  }

  /// The first runner with a number in this range whose data the company may read now.
  ///
  /// - Throws: `unavailable`.
  func sharer(in numbers: ClosedRange<Int32>) async throws(ApplicationError) -> SharerOfRun.Row? {
    try await database.row(SharerOfRun(runID: runID, thirdParty: thirdParty, numbers))
  }

  /// Records the access to a runner's samples; false, and nothing recorded, if the runner no longer
  /// shares them.
  ///
  /// - Throws: `unavailable`.
  func record(
    _ samples: [Sample], of runner: SharerOfRun.Row
  ) async throws(ApplicationError) -> Bool {
    let types = DataTypeSet(samples.lazy.map(\.type)).map(\.self)
    let part = RunDownload.Runner(runner.requestID, types: types, count: samples.count)
    return try await isGranted(part)
  }

  /// Writes the data of a runner in pieces; nothing if the runner has left since it was read.
  ///
  /// - Throws: `unavailable`; `BodyWriter.Failure` if the client has disconnected or the response
  ///   was cut off.
  func write(
    _ encoder: RunFileEncoder, of runner: SharerOfRun.Row, to writer: BodyWriter
  ) async throws {
    current.value.runner = runner
    defer { current.value.runner = nil }
    var encoder = encoder
    var isBegun = false
    while let piece = encoder.next(bytesMin: Self.pieceBytes) {
      guard try await isCurrent(runner) else {
        guard isBegun else { return }
        writer.abort()
        throw BodyWriter.Failure.aborted
      }
      isBegun = true
      try await writer.write(piece)
    }
  }

  /// The task that cuts the response off when the runner whose data is being written no longer
  /// shares it, or when that can't be found out.
  func watch(_ writer: BodyWriter) -> PeriodicTask {
    PeriodicTask(on: database.loop) {
      guard let runner = current.value.runner else { return Self.checkedEvery }
      let isShared: Bool
      do throws(ApplicationError) { isShared = try await isStillShared(by: runner) } catch {
        isShared = false
      }
      if !isShared, current.value.runner?.requestID == runner.requestID { writer.abort() }
      return Self.checkedEvery
    }
  }

  private func isStillShared(by runner: SharerOfRun.Row) async throws(ApplicationError) -> Bool {
    guard try await isCurrent(runner) else { return false }
    return try await isGranted(
      RunDownload.Runner(runner.requestID, types: [], count: 0), within: Self.checkedWithin)
  }

  /// Whether the runner takes part under the same check-in, and the company may read the run.
  private func isCurrent(_ runner: SharerOfRun.Row) async throws(ApplicationError) -> Bool {
    try await sharer(in: runner.number...runner.number)?.requestID == runner.requestID
  }

  private func isGranted(
    _ runner: RunDownload.Runner, within limit: Duration? = nil
  ) async throws(ApplicationError) -> Bool {
    let part = RunDownload(to: thirdParty, format: file.rawValue, runners: [runner])
    return try await data4help.record(part, within: limit).contains(runner.requestID)
  }
}

/// The first runner in a range of numbers who shares data in a run that this third party may read;
/// no row for those who left it, ended the sharing or deleted the account (R21), nor for a third
/// party that is no longer its organiser or co-organiser. Uses the primary key.
struct SharerOfRun: Statement {
  struct Row: Sendable {
    let number: Int32
    let account: AccountID
    let sealedName: [UInt8]?
    let requestID: DataRequestID
  }
  static let sql: SQL<Self> = """
    SELECT own.number, own.account_id, own.sealed_name, own.request_id
      FROM track4run.enrolments AS own
      JOIN track4run.runs AS run ON run.run_id = own.run_id
     WHERE own.run_id = \(\.runID)
       AND own.number BETWEEN \(\.first) AND \(\.last)
       AND own.account_id > 0
       AND own.checked_in_at IS NOT NULL
       AND own.left_at IS NULL
       AND own.request_id IS NOT NULL
       AND (run.organiser_id = \(\.thirdParty)
            OR run.organiser_id <> 0
               AND run.cancelled_at IS NULL
               AND EXISTS (SELECT FROM track4run.co_organisers AS co
                            WHERE co.run_id = run.run_id
                              AND co.third_party_id = \(\.thirdParty)))
     ORDER BY own.number
     LIMIT 1
    """
  static let columns = Columns {
    (
      number: Int32, account: AccountID, name: [UInt8]?, request: DataRequestID?
    ) throws(PostgresError) in
    guard let request else { throw .unexpectedResult("an enrolment without its request") }
    return Row(number: number, account: account, sealedName: name, requestID: request)
  }
  let runID: Int64
  let thirdParty: AccountID
  private let first: Int32
  private let last: Int32

  /// Finds the first one with a number in this range.
  init(runID: Int64, thirdParty: AccountID, _ numbers: ClosedRange<Int32>) {
    self.runID = runID
    self.thirdParty = thirdParty
    first = numbers.lowerBound
    last = numbers.upperBound
  }
}
