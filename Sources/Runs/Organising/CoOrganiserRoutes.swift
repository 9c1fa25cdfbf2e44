import Data4HelpSync
import Domain
import Postgres
import PublicAPI
import ServiceKit
import Web

/// Adds and removes co-organisers of a run (RUN-2).
struct CoOrganiserRoutes: Sendable {
  private let organising: RunOrganising
  private let database: Database
  private let effects: IdempotentEffects
  private let data4help: Data4HelpClient
  private let outbox: Outbox

  /// Routes of one loop.
  init(
    _ organising: RunOrganising, database: Database, effects: IdempotentEffects,
    data4help: Data4HelpClient
  ) {
    self.organising = organising
    self.database = database
    self.effects = effects
    self.data4help = data4help
    outbox = organising.checkIns.outbox
  }

  /// The rows of the route table.
  var routes: [Route] { [EndpointRoutes().identified(.setCoOrganiser, set)] }

  private static let unknownCompany = ApplicationError(
    .notFound, detail: "No company has this email.")

  /// - Throws: 404 for another organiser's run and for an email without a company, 409, 503.
  @Sendable private func set(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let payload: CoOrganiserBody = try request.payload()
    if let kept = try await effects.kept(for: request, of: caller.account) {
      return kept
    }
    let organised = RunOfOrganiser(runID: payload.runID, thirdParty: caller.account)
    guard let run = try await database.row(organised) else { throw .notFound }
    // Only the organiser who created the run learns which emails belong to companies.
    let isOwner = run.organiser == caller.account
    guard isOwner || !payload.isAllowed else { throw .notFound }
    let data4help = data4help.following(request)
    guard let company = try await data4help.company(of: payload.email) else {
      throw isOwner ? Self.unknownCompany : .notFound
    }
    defer { outbox.announce() }
    return try await effects.run(request, for: caller.account) {
      [organising, outbox] (transaction) throws(ApplicationError) in
      let outcome = try await organising.setCoOrganiser(
        company.account, named: company.name, of: payload.runID, allowed: payload.isAllowed,
        by: caller.account, in: transaction)
      let (run, isNew) = try outcome.result()
      if isNew {
        let event =
          payload.isAllowed ? RunNotification.Event.coOrganiserNamed : .coOrganiserStruckOff
        try await outbox.add(
          [RunNotification(run).order(event, to: [company.account])], in: transaction)
      }
      return .message("Action successful")
    }
  }
}
