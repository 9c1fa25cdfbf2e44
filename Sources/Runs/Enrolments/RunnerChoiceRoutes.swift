import Domain
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Web

/// Changes the choices made on joining: the name, whether spectators see health values, whether
/// spectators can find the runner (RUN-7).
struct RunnerChoiceRoutes: Sendable {
  private let effects: IdempotentEffects
  private let runnerNames: RunnerNames

  /// Routes of one loop.
  init(effects: IdempotentEffects, runnerNames: RunnerNames) {
    self.effects = effects
    self.runnerNames = runnerNames
  }

  /// The rows of the route table.
  var routes: [Route] { [EndpointRoutes().identified(.changeRunnerChoice, change)] }

  /// Live views notice the change by the changed row of the enrolment.
  ///
  /// - Throws: 400 for a body without a choice, 404 if the runner is not enrolled, 503.
  @Sendable private func change(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let payload: RunnerChoiceBody = try request.payload()
    guard !payload.isEmpty else {
      throw .invalid(
        "Give at least one of runnerName, showHealth, findable and findableByName.")
    }
    let names = runnerNames
    return try await effects.run(request, for: caller.account) {
      (transaction) throws(ApplicationError) in
      let statement = ChangeRunnerChoice(
        runID: payload.runID, runner: caller.account,
        changesName: payload.runnerName != .kept,
        sealedName: payload.runnerName.applied(to: nil).map {
          names.sealed($0, in: payload.runID, of: caller.account)
        }, showsHealth: payload.showsHealth, isFindable: payload.isFindable,
        isFindableByName: payload.isFindableByName)
      guard let row = try await transaction.runOne(statement) else { throw .notFound }
      let name = names.opened(
        row.sealedName, in: payload.runID, of: caller.account, number: row.number)
      return .message("Settings updated") { writer in
        writer.fieldIfPresent("runnerName", name)
        writer.field("showHealth", row.showsHealth)
        writer.field("findable", row.isFindable)
        writer.field("findableByName", row.isFindableByName)
      }
    }
  }
}

/// Changes a runner's choices for a run; no row if the runner is not enrolled.
struct ChangeRunnerChoice: Statement {
  struct Row: Sendable {
    let number: Int32
    let sealedName: [UInt8]?
    let showsHealth: Bool
    let isFindable: Bool
    let isFindableByName: Bool
  }
  static let sql: SQL<Self> = """
    UPDATE track4run.enrolments
       SET sealed_name = CASE WHEN \(\.changesName) THEN \(\.sealedName) ELSE sealed_name END,
           shows_health = coalesce(\(\.showsHealth), shows_health),
           is_findable = coalesce(\(\.isFindable), is_findable),
           is_findable_by_name = coalesce(\(\.isFindableByName), is_findable_by_name)
     WHERE run_id = \(\.runID)
       AND account_id = \(\.runner)
       AND left_at IS NULL
    RETURNING number, sealed_name, shows_health, is_findable, is_findable_by_name
    """
  static let columns = Columns(Row.init)
  let runID: Int64
  let runner: AccountID
  let changesName: Bool
  let sealedName: [UInt8]?
  let showsHealth: Bool?
  let isFindable: Bool?
  let isFindableByName: Bool?
}
