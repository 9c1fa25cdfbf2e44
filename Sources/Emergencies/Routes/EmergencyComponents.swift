import Accounts
import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit
import Sharing
import Telephony
import Web
import Webhooks

/// AutomatedSOS on one loop: people are monitored, emergencies are detected as readings arrive,
/// hospitals are called. All loops of the process share the detectors.
package struct EmergencyComponents: Sendable {
  /// Judges uploads.
  package let watch: EmergencyWatch
  private let dependencies: EmergenciesDependencies
  /// Over the connections that are reserved for emergencies.
  private let reserved: EmergenciesDependencies
  private let settings: EmergencySettings
  private let mailing: AuthenticationSettings
  private let calling: EmergencyCalling
  private let activeCalls = ActiveCalls()
  private let poster: CallbackPoster

  /// The parts of one loop. Ordinary requests use the connections of `dependencies`, emergencies
  /// those of `reserved`. `mailing` has the sender and the links of mails. `voice` calls the
  /// emergency number, and `contactVoice`, if present, emergency contacts. While the database is
  /// unavailable, `poster` calls hospitals, and aborts are written to `journal`.
  package init(
    _ dependencies: EmergenciesDependencies, reserved: EmergenciesDependencies,
    _ settings: EmergencySettings,
    _ monitoring: Monitoring, _ copies: OfflineEmergencies, _ broadcaster: AlarmBroadcaster,
    mailing: AuthenticationSettings, voice: any EmergencyVoice,
    contactVoice: (any EmergencyVoice)? = nil, poster: CallbackPoster, journal: AbortJournal
  ) {
    self.poster = poster
    self.dependencies = dependencies
    self.reserved = reserved
    self.settings = settings
    self.mailing = mailing
    watch = EmergencyWatch(reserved, settings, monitoring, copies, broadcaster, journal)
    calling = EmergencyCalling(
      dependencies: reserved, store: watch.store,
      directory: AccountDirectory(
        database: reserved.database, accountKeys: reserved.accountKeys, root: reserved.root,
        log: reserved.log),
      mails: EmergencyMails(environment: reserved.environment, sender: mailing.sender),
      contactMails: ContactMails(
        environment: reserved.environment, root: reserved.root, mailQueue: reserved.mailQueue,
        log: reserved.log, mailing),
      accesses: AccessRecorder(root: dependencies.root), voice: voice,
      contactVoice: contactVoice, activeCalls: activeCalls)
  }

  /// The rows for the service's router.
  package var routes: [Route] {
    MonitoringRoutes(
      dependencies, settings,
      ContactMails(
        environment: dependencies.environment, root: dependencies.root,
        mailQueue: dependencies.mailQueue,
        log: dependencies.log, mailing)
    ).all
      + ContactRoutes(
        environment: dependencies.environment, database: dependencies.database,
        accountKeys: dependencies.accountKeys, root: dependencies.root,
        effects: dependencies.effects
      ).all
      + EmergencyRoutes(dependencies, reserved: reserved, watch, calling).all
      + HospitalRoutes(dependencies, reserved: reserved, calling).all
  }

  /// Returns whether a third party may answer emergencies: it was approved by the operator, or
  /// the installation admits all (SOS-12).
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  @Sendable package func mayAnswerEmergencies(
    _ account: AccountID
  ) async throws(ApplicationError) -> Bool {
    if settings.areAllAdmitted { return true }
    let row = try await dependencies.database.row(HospitalOf(account: account))
    return row.isAdmitted(settings)
  }

  /// Signals to all replicas that a person's birth date has changed, if the person is monitored.
  @Sendable package static func birthDateChanged(
    of account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    try await transaction.run(TouchMonitoredUser(account: account))
  }

  /// Whether a call could name a person without asking a database.
  package func knows(_ account: AccountID) -> Bool { watch.people.knows(account) }

  /// How many emergencies this process holds, to continue them while the database is unavailable.
  package var copyCount: Int { watch.copies.count }

  /// The worker that ends the stages of emergencies; for the loop.
  package func scheduler() -> EmergencyScheduler {
    EmergencyScheduler(
      loop: reserved.loop, environment: reserved.environment, database: reserved.database,
      log: reserved.log,
      watch.store, calling, watch.copies)
  }

  /// The scheduler of offline emergencies; for the loop.
  package func offlineScheduler() -> OfflineScheduler {
    OfflineScheduler(reserved, watch, calling, poster: poster)
  }

  /// The worker that synchronises the detectors with the database; for the loop.
  package func follower() -> MonitoringFollower { MonitoringFollower(reserved, watch, activeCalls) }

  /// The worker that reports silence; for the loop.
  package func silenceWatch() -> SilenceWatch {
    SilenceWatch(
      loop: dependencies.loop, environment: dependencies.environment,
      database: dependencies.database,
      notices: dependencies.notices, log: dependencies.log, watch.monitoring)
  }

  /// The worker that completes the records of ended emergencies; for the loop.
  package func records() -> EmergencyRecords { EmergencyRecords(dependencies) }

  /// The background workers in the order of their start; on one loop of a process. The monitored
  /// people are known when the first of them has started.
  package var workers: [LifecycleComponent] {
    let loop = dependencies.loop
    let follower = LoopBound(follower(), on: loop)
    let scheduler = LoopBound(scheduler(), on: loop)
    let offline = LoopBound(offlineScheduler(), on: loop)
    let silence = LoopBound(silenceWatch(), on: loop)
    let records = LoopBound(records(), on: loop)
    return [
      LifecycleComponent(
        "monitoring", start: { () throws(StartError) in try await follower.value.start() }
      ) {
        await follower.value.stop()
      },
      // Before the first call.
      LifecycleComponent(
        "journal of aborts", start: { () throws(StartError) in await offline.value.restore() }
      ) { [journal = watch.journal] in
        journal.close()
      },
      LifecycleComponent("emergencies", start: { () throws(StartError) in scheduler.value.start() })
      {
        await scheduler.value.stop()
      },
      LifecycleComponent(
        "offline emergencies", start: { () throws(StartError) in offline.value.start() }
      ) {
        await offline.value.stop()
      },
      LifecycleComponent("silence", start: { () throws(StartError) in silence.value.start() }) {
        await silence.value.stop()
      },
      LifecycleComponent(
        "emergency records", start: { () throws(StartError) in records.value.start() }
      ) {
        await records.value.stop()
      },
    ]
  }
}
