import Data4HelpSync
import Domain
import EventLoop
import JSON
import Operations
import Postgres
import PublicAPI
import ServiceKit
import Web

/// The operations of runners: join a run, leave it, list own runs (R44-R46, RUN-3, RUN-9).
struct JoiningRoutes: Sendable {
  private let enrolling: Enrolling
  private let results: RunnerResult
  private let database: Database
  private let effects: IdempotentEffects
  private let data4help: Data4HelpClient
  private let runnerNames: RunnerNames
  private let log: Log
  private let outbox: Outbox

  /// Routes of one loop; `results` decides which results remain after leaving.
  init(
    _ enrolling: Enrolling, results: RunnerResult, database: Database, effects: IdempotentEffects,
    data4help: Data4HelpClient, runnerNames: RunnerNames, log: Log
  ) {
    self.enrolling = enrolling
    self.results = results
    self.database = database
    self.effects = effects
    self.data4help = data4help
    self.runnerNames = runnerNames
    self.log = log
    outbox = enrolling.checkIns.outbox
  }

  /// The rows of the route table.
  var routes: [Route] {
    let routes = EndpointRoutes()
    return [
      routes.identified(.joinRun, join), routes.identified(.leaveRun, leave),
      routes.identified(.listJoinedRuns, list),
    ]
  }

  /// - Throws: 401 with the reason if this runner can't join, 503.
  @Sendable private func join(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let payload: JoinRunBody = try request.payload()
    if let kept = try await effects.kept(for: request, of: caller.account) {
      return kept
    }
    var choice = Enrolling.Choice()
    choice.sealedName = payload.runnerName.map {
      runnerNames.sealed($0, in: payload.runID, of: caller.account)
    }
    choice.showsHealth = payload.showsHealth
    choice.isFindable = payload.isFindable
    choice.isFindableByName = payload.isFindableByName
    choice.clausesVersion = payload.clausesVersion
    let warnings = await warnings(for: caller.account, following: request)
    defer { outbox.announce() }
    return try await effects.run(request, for: caller.account) {
      [enrolling] (transaction) throws(ApplicationError) in
      let outcome = try await enrolling.join(
        payload.runID, by: caller.account, choice, in: transaction)
      switch outcome {
      case .joined(let number):
        return .message("Run joined successfully") { writer in
          writer.field("number", number)
          writer.array("warnings") { for warning in warnings { warning.write(to: &$0) } }
        }
      case .refused(let refusal) where refusal.isOfClauses:
        throw .invalid(refusal, field: "clausesVersion")
      case .refused(let refusal):
        throw .wrongRunID(refusal.description)
      }
    }
  }

  /// The warnings for a runner; none if Data4Help can't be asked, which is logged and does not
  /// prevent joining.
  private func warnings(
    for runner: AccountID, following request: Request
  ) async -> [RunWarning] {
    do throws(ApplicationError) {
      return try await data4help.following(request).warnings(of: runner)
    } catch {
      log.following(request.requestID).failure(
        "look up warnings for runner failed", error, level: .warning,
        .number("account_id", runner.rawValue))
      return []
    }
  }

  /// - Throws: 404 if the runner isn't enrolled, 503.
  @Sendable private func leave(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let payload: LeaveRunBody = try request.payload()
    if let kept = try await effects.kept(for: request, of: caller.account) {
      return kept
    }
    let hasResult = try await results.isKept(in: payload.runID, of: caller.account)
    let result: Enrolling.KeptResult =
      hasResult ? payload.keepsName ? .named : .anonymous : .none
    defer { outbox.announce() }
    return try await effects.run(request, for: caller.account) {
      [enrolling] (transaction) throws(ApplicationError) in
      let outcome = try await enrolling.leave(
        payload.runID, by: caller.account, keeping: result, in: transaction)
      switch outcome {
      case .left:
        return .message("Action successful") { $0.field("resultKept", hasResult) }
      case .notEnrolled: throw .notFound
      }
    }
  }

  @Sendable private func list(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let page = try await RunListPage(
      of: RunsOfRunner(runner: caller.account), request.query, from: database)
    let named = page.runs.map { run in
      let name = runnerNames.opened(
        run.sealedName, in: run.runID, of: caller.account, number: run.number)
      return (run: run, runnerName: name)
    }
    let now = enrolling.environment.now()
    return .json { writer in
      writer.array("runs") { for (run, name) in named { run.write(name, to: &$0, now: now) } }
      page.writeNext(to: &writer)
    }
  }
}

extension JoinRefusal {
  fileprivate var isOfClauses: Bool { self == .clausesNotAccepted || self == .clausesChanged }
}

extension RunWarning {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object {
      $0.field("warning", rawValue)
      $0.field("detail", detail)
    }
  }
}
