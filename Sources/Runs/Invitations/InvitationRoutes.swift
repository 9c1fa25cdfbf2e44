import Data4HelpSync
import Domain
import Postgres
import PublicAPI
import ServiceKit
import Web

/// Invitations to a run by mail from organisers and runners (RUN-10).
struct InvitationRoutes: Sendable {
  private let inviting: Inviting
  private let effects: IdempotentEffects
  private let data4help: Data4HelpClient
  private let runnerNames: RunnerNames

  /// Routes of one loop.
  init(
    _ inviting: Inviting, effects: IdempotentEffects, data4help: Data4HelpClient,
    runnerNames: RunnerNames
  ) {
    self.inviting = inviting
    self.effects = effects
    self.data4help = data4help
    self.runnerNames = runnerNames
  }

  /// The rows of the route table.
  var routes: [Route] {
    let routes = EndpointRoutes()
    return [
      routes.identified(.inviteAsOrganiser, inviteAsOrganiser),
      routes.identified(.inviteAsRunner, inviteAsRunner),
    ]
  }

  /// - Throws: 404 for another organiser's run, 409, 429, 503.
  @Sendable private func inviteAsOrganiser(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let payload: OrganiserInvitationBody = try request.payload()
    if let kept = try await effects.kept(for: request, of: caller.account) {
      return kept
    }
    let data4help = data4help.following(request)
    guard let name = try await data4help.companyName(of: caller.account) else {
      throw .unauthenticated()
    }
    let organised = RunOfOrganiser(runID: payload.runID, thirdParty: caller.account)
    let sender = Inviting.Sender(
      account: caller.account, name: name, addressesADayMax: Inviting.byOrganiserMax)
    defer { inviting.outbox.announce() }
    return try await effects.run(request, for: caller.account) {
      [inviting] (transaction) throws(ApplicationError) in
      guard let run = try await transaction.runOne(organised) else { throw .notFound }
      try await inviting.invite(Set(payload.addresses), to: run, by: sender, in: transaction)
      return .message("Action successful")
    }
  }

  /// - Throws: 404 if the runner is not enrolled, 409, 429, 503.
  @Sendable private func inviteAsRunner(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let payload: RunnerInvitationBody = try request.payload()
    let names = runnerNames
    defer { inviting.outbox.announce() }
    return try await effects.run(request, for: caller.account) {
      [inviting] (transaction) throws(ApplicationError) in
      let (enrolments, runs) = try await transaction.run(
        EnrolmentOfRunner(runID: payload.runID, runner: caller.account),
        RunByID(runID: payload.runID))
      guard let enrolment = enrolments.first, let run = runs.first else { throw .notFound }
      let name = names.opened(
        enrolment.sealedName, in: payload.runID, of: caller.account, number: enrolment.number)
      let sender = Inviting.Sender(
        account: caller.account, name: name ?? "Runner \(enrolment.number)",
        addressesADayMax: Inviting.byRunnerMax)
      try await inviting.invite(Set(payload.addresses), to: run, by: sender, in: transaction)
      return .message("Action successful")
    }
  }
}
