import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// What stands here of an account that Data4Help has deleted goes, whether it ran, organised or
/// only asked (ACC-8).
///
/// A runner's enrolments go with the places, and what is stored of a run that is over stays under a
/// number that is no account's. An organiser's runs that have not begun are cancelled, and everyone
/// enrolled is told; the others stay without the organiser.
struct AccountDepartures: Sendable {
  private let world: World
  private let outbox: Outbox
  private let runData: RunData

  /// Departures from the data of these surroundings.
  init(_ surroundings: RunSurroundings) {
    world = surroundings.world
    outbox = surroundings.outbox
    runData = surroundings.runData
  }

  /// Removes what an account shared in runs, piece by piece: to be done before `erase`, whose
  /// transaction is short then.
  ///
  /// - Throws: 503 if the database is away.
  func removeData(of account: AccountID, from database: Database) async throws(ApplicationError) {
    var hasMore = true
    while hasMore {
      hasMore = try await database.transaction(retrying: .conflicts(times: 3)) {
        (transaction) throws(ApplicationError) in
        try await runData.eraseSome(of: account, in: transaction)
      }
    }
  }

  /// Removes what stands of an account; again it finds nothing. Each account has a transaction of
  /// its own: it holds the runner, then the runs, and who held two runners could wait in a circle.
  ///
  /// - Throws: 503 if the database is away.
  func erase(
    _ account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let now = world.now()
    try await transaction.run(
      HoldRunner(runner: account), HoldRunsOfAccount(account: account))
    // Before the enrolments forget whose they are.
    try await runData.eraseAll(of: account, in: transaction)
    try await transaction.run(
      RemoveEnrolments(runner: account, now: now), EndEnrolments(runner: account, now: now),
      HideRunner(runner: account), ForgetAnswersOfAccount(account: account),
      ForgetInvitationsBy(account: account), ForgetMadeRuns(organiser: account))
    try await eraseOrganiser(account, now: now, in: transaction)
  }

  private func eraseOrganiser(
    _ account: AccountID, now: WallTime, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let (_, cancelled, _) = try await transaction.run(
      StrikeOrganiserEverywhere(thirdParty: account),
      CancelRunsOf(organiser: account, now: now),
      HideOrganiser(organiser: account, name: CompanyName.ofDeletedAccounts))
    for run in cancelled {
      let runners = try await transaction.run(EnrolledRunners(runID: run.runID))
      let news = RunNews(run.runID, run.name, startsAt: run.startsAt)
      try await outbox.add(
        [
          news.order(.cancelled, to: runners.map(\.account)),
          .ends(runners.compactMap(\.requestID)),
        ], in: transaction)
    }
  }
}
