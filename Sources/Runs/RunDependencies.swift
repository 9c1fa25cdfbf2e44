import Cryptography
import Data4HelpSync
import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit
import Web

/// The values from which the routes of runs on one loop are created.
package struct RunDependencies: Sendable {
  /// Clock and randomness.
  package let environment: Environment
  /// The database, which names the loop.
  package let database: Database
  /// Transactions, with an `Idempotency-Key` or without.
  package let effects: IdempotentEffects
  /// The public URLs of runs.
  package let links: PublicLinks
  /// The names chosen by runners.
  package let runnerNames: RunnerNames
  /// The data shared by runners.
  package let runData: RunData
  /// The client of Data4Help.
  package let data4help: Data4HelpClient
  /// The log for the operator.
  package let log: Log
  private let downloads: DownloadSlots
  private let zone: TimeZoneRules
  private let checkIns: CheckIns
  private let inviting: Inviting

  /// Creates the values of the loop of this database, with keys that derive from the server's
  /// secret; `wakeUp` wakes the senders of the process, whose loops share the slots of `downloads`.
  /// Invited addresses are remembered for `keepInvitations`.
  package init(
    environment: Environment, zone: TimeZoneRules, database: Database, root: RootSecret,
    links: PublicLinks, keepInvitations: Duration = .seconds(400 * 86_400),
    data4help: Data4HelpClient, wakeUp: WakeUpSignal, downloads: DownloadSlots, log: Log,
    metrics: Metrics
  ) {
    self.environment = environment
    self.zone = zone
    self.database = database
    self.links = links
    self.data4help = data4help
    self.downloads = downloads
    self.log = log
    let loop = database.loop
    effects = IdempotentEffects(database: database, root: root, environment: environment)
    let unreadable = UnreadableRows(log: log, metrics: metrics, on: loop)
    runnerNames = RunnerNames(root: root, unreadable: unreadable, on: loop)
    runData = RunData(root: root, unreadable: unreadable, on: loop)
    let outbox = Outbox(root: root, environment: environment, wakeUp: wakeUp, on: loop)
    checkIns = CheckIns(root: root, environment: environment, outbox: outbox)
    inviting = Inviting(
      environment: environment, zone: zone, outbox: outbox,
      index: BlindIndex(.invitedAddress, root: root),
      links: links, keptFor: keepInvitations)
  }

  /// Deletes old answers kept for idempotency keys, and old invitations.
  ///
  /// - Throws: `unavailable` if the database is unreachable.
  package func deleteExpiredRows() async throws(ApplicationError) {
    try await effects.forgetOldAnswers()
    try await inviting.forget(in: database)
  }
}

// MARK: Routes

extension RunDependencies {
  /// The routes of a loop; `live` reads current runs.
  package func routes(live: @escaping RunPage.LiveReader) -> [Route] {
    organising() + enrolments() + pages(live: live)
  }

  /// The routes of organisers.
  private func organising() -> [Route] {
    let organising = RunOrganising(environment: environment, zone: zone, checkIns: checkIns)
    return OrganisingRoutes(
      organising, database: database, effects: effects, data4help: data4help,
      runnerNames: runnerNames
    ).routes
      + PathCheckRoutes(database: database, zone: zone).routes
      + CoOrganiserRoutes(
        organising, database: database, effects: effects, data4help: data4help
      ).routes
      + PictureRoutes(environment: environment, database: database).routes
      + RunDownloading(
        database: database, data4help: data4help, runnerNames: runnerNames, runData: runData,
        downloads: downloads
      ).routes
  }

  /// The routes of runners, and invitations.
  private func enrolments() -> [Route] {
    let enrolling = Enrolling(environment: environment, checkIns: checkIns)
    let results = RunnerResult(environment: environment, database: database, runData: runData)
    return JoiningRoutes(
      enrolling, results: results, database: database, effects: effects, data4help: data4help,
      runnerNames: runnerNames, log: log
    ).routes
      + RunnerTrackRoutes(database: database, runData: runData, runnerNames: runnerNames).routes
      + RunnerChoiceRoutes(effects: effects, runnerNames: runnerNames).routes
      + InvitationRoutes(
        inviting, effects: effects, data4help: data4help, runnerNames: runnerNames
      ).routes
  }

  /// The public list and pages; `live` reads current runs.
  private func pages(live: @escaping RunPage.LiveReader) -> [Route] {
    RunRoutes(
      database: database, endpoints: EndpointRoutes(), environment: environment, links: links,
      on: database.loop
    ).routes
      + PublicRunRoutes(environment: environment, database: database, links: links).routes
      + RunPageRoutes(
        environment: environment, database: database, zone: zone, links: links,
        runnerNames: runnerNames,
        live: live
      ).routes
  }
}
