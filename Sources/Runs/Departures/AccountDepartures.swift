import Data4HelpSync
import Domain
import EventLoop
import Postgres
import ServiceKit
import Time

/// Erases the data of an account that Data4Help has deleted, whether it ran, organised or only sent
/// requests (ACC-8).
///
/// The runner's enrolments end and free their places. Stored data of finished runs stays under a
/// number that belongs to no account. The organiser's runs that have not begun are cancelled, and
/// their enrolled runners are notified; the other runs stay without an organiser.
package struct AccountDepartures: Sendable {
  private let environment: Environment
  private let outbox: Outbox
  private let runData: RunData

  /// Creates departures that add notifications to this outbox.
  package init(environment: Environment, outbox: Outbox, runData: RunData) {
    self.environment = environment
    self.outbox = outbox
    self.runData = runData
  }

  /// Removes the data that an account shared in runs, in batches. Called before `erase`, which
  /// keeps the transaction of `erase` short.
  ///
  /// - Throws: `unavailable` if the database is unreachable.
  func removeData(of account: AccountID, from database: Database) async throws(ApplicationError) {
    var hasMore = true
    while hasMore {
      hasMore = try await database.transaction(retrying: .conflicts(times: 3)) {
        (transaction) throws(ApplicationError) in
        try await runData.eraseSome(of: account, in: transaction)
      }
    }
  }

  /// Removes the remaining data of an account; a repetition finds nothing.
  ///
  /// Each account has its own transaction, which locks the runner and then the runs: a transaction
  /// that locked two runners could cause a deadlock.
  ///
  /// - Throws: `unavailable` if the database is unreachable.
  func erase(
    _ account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let now = environment.now()
    try await transaction.run(
      HoldRunner(runner: account), HoldRunsOfAccount(account: account))
    // Before the enrolments lose their account.
    try await runData.eraseAll(of: account, in: transaction)
    try await transaction.run(
      RemoveEnrolments(runner: account, now: now), EndEnrolments(runner: account, now: now),
      HideRunner(runner: account), ForgetAnswersOfAccount(account: account),
      ForgetInvitationsBy(account: account), ForgetMadeRuns(organiser: account))
    try await eraseOrganiser(account, now: now, in: transaction)
  }

  private func eraseOrganiser(
    _ account: AccountID, now: Instant, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let (_, cancelled, _) = try await transaction.run(
      StrikeOrganiserEverywhere(thirdParty: account),
      CancelRunsOf(organiser: account, now: now),
      HideOrganiser(organiser: account, name: CompanyName.ofDeletedAccounts))
    for run in cancelled {
      let runners = try await transaction.run(EnrolledRunners(runID: run.runID))
      let notification = RunNotification(run.runID, run.name, startsAt: run.startsAt)
      try await outbox.add(
        [
          notification.order(.cancelled, to: runners.map(\.account)),
          .ends(runners.compactMap(\.requestID)),
        ], in: transaction)
    }
  }
}
