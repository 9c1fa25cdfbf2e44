import Data4HelpSync
import Domain
import EventLoop
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Web

/// The operations of organisers: create, publish, change and cancel runs, list them and their
/// runners (R36-R38, RUN-1, RUN-2, RUN-9).
struct OrganisingRoutes: Sendable {
  private let organising: RunOrganising
  private let database: Database
  private let effects: IdempotentEffects
  private let data4help: Data4HelpClient
  private let runnerNames: RunnerNames
  private let outbox: Outbox

  /// Routes of one loop.
  init(
    _ organising: RunOrganising, database: Database, effects: IdempotentEffects,
    data4help: Data4HelpClient, runnerNames: RunnerNames
  ) {
    self.organising = organising
    self.database = database
    self.effects = effects
    self.data4help = data4help
    self.runnerNames = runnerNames
    outbox = organising.checkIns.outbox
  }

  /// The rows of the route table.
  var routes: [Route] {
    let routes = EndpointRoutes()
    return [
      routes.identified(.createRun, create), routes.identified(.giveRunPath, publish),
      routes.identified(.updateRun, update), routes.identified(.cancelRun, cancel),
      routes.identified(.listOwnRuns, list),
      routes.identified(.listParticipants, participants),
    ]
  }

  /// - Throws: 400 for terms that RUN-1 refuses, 401 for a deleted company, 503.
  @Sendable private func create(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let payload: CreateRunBody = try request.payload()
    if let kept = try await effects.kept(for: request, of: caller.account) {
      return kept
    }
    let terms = try payload.terms(now: organising.now)
    let data4help = data4help.following(request)
    guard let name = try await data4help.companyName(of: caller.account) else {
      throw .unauthenticated("Wrong credentials")
    }
    defer { outbox.announce() }
    return try await effects.run(request, for: caller.account) {
      [organising] (transaction) throws(ApplicationError) in
      let runID = try await organising.create(
        terms, by: caller.account, named: name, in: transaction)
      return .message("Info set successfully") { $0.field("runID", runID) }
    }
  }

  /// - Throws: 401 for an impossible path and for another organiser's run, 409, 503.
  @Sendable private func publish(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    var request = request
    request.body = .bytes(try await request.collectedBody())
    let payload = try RunPathBody(of: request)
    // The run in the query is part of the request that an idempotency key covers.
    if let named = request.query["runID"] { request.body = .bytes(request.body.bytes + named.utf8) }
    let path: RunPath
    do throws(RunPathError) { path = try RunPath(payload.points) } catch {
      throw .invalidPath(error.description)
    }
    defer { outbox.announce() }
    return try await effects.run(request, for: caller.account) {
      [organising] (transaction) throws(ApplicationError) in
      let outcome = try await organising.publish(
        payload.runID, along: path, by: caller.account, in: transaction)
      let code = try outcome.code()
      return .message("Run created successfully") { $0.field("code", code) }
    }
  }

  /// - Throws: 400 for terms that RUN-1 refuses, 404 for another organiser's run, 409, 503.
  @Sendable private func update(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let payload: UpdateRunBody = try request.payload()
    defer { outbox.announce() }
    return try await effects.run(request, for: caller.account) {
      [organising] (transaction) throws(ApplicationError) in
      let outcome = try await organising.change(
        payload.runID, by: payload.changes, for: caller.account, in: transaction)
      let removed = try outcome.removed()
      return .message("Run updated successfully") { $0.field("removed", removed) }
    }
  }

  /// - Throws: 404 for another organiser's run, 409, 503.
  @Sendable private func cancel(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let payload: RunBody = try request.payload()
    defer { outbox.announce() }
    return try await effects.run(request, for: caller.account) {
      [organising] (transaction) throws(ApplicationError) in
      let outcome = try await organising.cancel(
        payload.runID, by: caller.account, in: transaction)
      try outcome.check()
      return .message("Action successful")
    }
  }

  @Sendable private func list(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let now = organising.environment.now()
    var statement = RunsOfOrganiser(thirdParty: caller.account)
    statement.namePattern = request.query["name"].map(RunRoutes.pattern)
    switch request.query["when"] {
    case "past": statement.endsUntil = now
    case "present": (statement.startsUntil, statement.endsAfter) = (now, now)
    case "future": statement.startsAfter = now
    default: break
    }
    let page = try await RunListPage(of: statement, request.query, from: database)
    let names = try await database.rows(
      NamesOfCoOrganisers(runIDs: page.runs.map(\.runID)))
    let others = Dictionary(grouping: names, by: \.runID).mapValues { $0.map(\.name) }
    return .json { writer in
      writer.array("runs") { writer in
        for run in page.runs {
          run.write(
            to: &writer, for: caller.account, along: others[run.runID] ?? [], now: now)
        }
      }
      page.writeNext(to: &writer)
    }
  }

  /// Data4Help records the access to names and emails before returning them.
  ///
  /// - Throws: 400 for an invalid cursor, 404 for another organiser's run, 503.
  @Sendable private func participants(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    guard let runID = request.query["runID"].flatMap({ Int64($0) }) else { throw .notFound }
    let limit = request.query.pageLimit
    var below = Int32.max
    if let text = request.query["cursor"] {
      guard let number = Int32(text), number > 0 else { throw RunCursor.wrong }
      below = number
    }
    let organised = RunOfOrganiser(runID: runID, thirdParty: caller.account)
    guard let run = try await database.row(organised) else { throw .notFound }
    let rows = try await database.rows(
      Participants(runID: runID, below: below, limit: Int64(limit) + 1))
    // A check-in names one company: co-organisers do not see names.
    let accepted = rows.prefix(Int(limit)).compactMap(\.acceptedRequest)
    let known =
      run.organiser == caller.account
      ? try await data4help.following(request).runners(accepted, askedBy: caller.account) : [:]
    let page = rows.prefix(Int(limit)).map { row in
      let name = runnerNames.opened(
        row.sealedName, in: runID, of: row.account, number: row.number)
      return (row: row, name: name, identity: row.acceptedRequest.flatMap { known[$0] })
    }
    return .json { writer in
      writer.array("participants") { writer in
        for (row, name, identity) in page { row.write(name, identity, to: &writer) }
      }
      if rows.count > page.count, let last = page.last?.row {
        writer.field("next", last.number.description)
      }
    }
  }
}

// MARK: Outcomes as errors of the contract

extension ApplicationError {
  /// A run that is unknown, another organiser's, or closed to the caller now.
  package static func wrongRunID(_ detail: String) -> Self {
    .unauthenticated(ErrorAnswer.wrongRunID.error, detail: detail)
  }

  /// A path that violates RUN-1.
  static func invalidPath(_ detail: String) -> Self {
    .unauthenticated(ErrorAnswer.invalidPath.error, detail: detail)
  }
}

extension PublishOutcome {
  /// The code of a published run.
  ///
  /// - Throws: `unauthenticated` for another organiser's run or a path of another run, `conflict`.
  func code() throws(ApplicationError) -> String {
    switch self {
    case .published(let code): return code
    case .unknown: throw .wrongRunID("You do not organise this run.")
    case .refused(let refusal): throw .conflict(refusal.description)
    case .notPublished(.alongAnother):
      throw .invalidPath(PublicationRefusal.alongAnother.description)
    case .notPublished(.tooManyThatDay):
      throw .conflict(PublicationRefusal.tooManyThatDay.description)
    }
  }
}
