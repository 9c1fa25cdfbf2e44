import Data4HelpSync
import Domain
import EventLoop
import HTTP
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
  private let downloads: DownloadSlots

  /// The organiser of a run whose organiser's account is deleted.
  private static let nobody = AccountID(rawValue: 0)

  /// Creates downloads of the runs in this database, which take these slots.
  init(
    database: Database, data4help: Data4HelpClient, runnerNames: RunnerNames, runData: RunData,
    downloads: DownloadSlots
  ) {
    self.database = database
    self.data4help = data4help
    self.runnerNames = runnerNames
    self.runData = runData
    self.downloads = downloads
  }

  /// The rows of the route table.
  var routes: [Route] { [EndpointRoutes().identified(.downloadRun, download)] }

  /// Records the data of each runner in the record of accesses before sending it; if recording
  /// fails, the file is truncated.
  ///
  /// - Throws: 404 for another organiser's run, 503; 429 if too many downloads are open.
  @Sendable private func download(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    guard let runID = request.query["runID"].flatMap({ Int64($0) }),
      let isOrganiser = try await isOrganiser(caller.account, of: runID)
    else { throw .notFound }
    let slot = try downloads.take(for: caller.account)
    let file = request.query["format"].flatMap { RunFile(rawValue: $0) } ?? .csv
    let delivery = RunFileDelivery(
      runID: runID, thirdParty: caller.account, file: file, database: database,
      data4help: data4help.following(request))
    var response = Response.stream(contentType: file.contentType) { writer in
      defer { slot.release() }
      writer.limitBuffering()
      // The data of a runner stays in memory until the client has received it.
      slot.demandRate(of: writer)
      let watch = delivery.watch(writer)
      watch.start()
      do {
        try await write(delivery, withHealth: isOrganiser, to: writer)
      } catch {
        await watch.stop()
        throw error
      }
      await watch.stop()
    }
    response.fields.append(
      .contentDisposition, "attachment; filename=\"run-\(runID).\(file.rawValue)\"")
    return response
  }

  /// Whether this company created the run; nil if it may not read its data.
  private func isOrganiser(
    _ thirdParty: AccountID, of runID: Int64
  ) async throws(ApplicationError) -> Bool? {
    let organised = RunOfOrganiser(runID: runID, thirdParty: thirdParty)
    guard let row = try await database.row(organised) else { return nil }
    if row.organiser == thirdParty { return true }
    // Co-organisers have access while the run has an organiser and is not cancelled.
    return row.cancelledAt == nil && row.organiser != Self.nobody ? false : nil
  }

  /// Looks each runner up when the previous one is written, so that those who no longer share are
  /// left out (R21).
  private func write(
    _ delivery: RunFileDelivery, withHealth: Bool, to writer: BodyWriter
  ) async throws {
    let file = delivery.file
    try await writer.write(file.head)
    var last: Int32 = 0
    while last < .max, let runner = try await delivery.sharer(in: (last + 1)...Int32.max) {
      last = runner.number
      let samples = try await samples(of: runner, in: delivery.runID, withHealth: withHealth)
      guard !samples.isEmpty, try await delivery.record(samples, of: runner) else { continue }
      let name = runnerNames.opened(
        runner.sealedName, in: delivery.runID, of: runner.account, number: runner.number)
      let known = RunFile.Runner(number: runner.number, name: name)
      try await delivery.write(RunFileEncoder(file, of: known, samples), of: runner, to: writer)
    }
    // There are no further runners either for a company that may no longer read: its file is cut.
    guard try await isOrganiser(delivery.thirdParty, of: delivery.runID) == withHealth else {
      writer.abort()
      throw BodyWriter.Failure.aborted
    }
    try await writer.write(file.tail)
  }

  /// The data shared by a runner, by time.
  private func samples(
    of runner: SharerOfRun.Row, in runID: Int64, withHealth: Bool
  ) async throws(ApplicationError) -> [Sample] {
    let all = try await runData.samples(
      ofRun: runID, numbers: [runner.number], from: database)
    return (all[runner.number] ?? [])
      .filter { withHealth || $0.type == .position }
      .sorted { ($0.time, $0.type.rawValue) < ($1.time, $1.type.rawValue) }
  }
}
