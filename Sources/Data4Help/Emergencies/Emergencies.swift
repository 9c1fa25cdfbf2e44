import Delivery
import Domain
import EventLoop
import HTTP
import Operations
import Services

/// AutomatedSOS on one loop: people are monitored, emergencies are detected as readings arrive,
/// hospitals are called. All loops of the process share the detectors.
package struct Emergencies: Sendable {
  /// Judges uploads.
  package let watch: EmergencyWatch
  private let surroundings: Surroundings
  /// The surroundings with connections reserved for emergencies.
  private let reserved: Surroundings
  private let settings: EmergencySettings
  private let mailing: AuthenticationSettings
  private let calling: EmergencyCalling
  private let underWay = CallsUnderWay()
  private let poster: CallbackPoster

  /// The parts of one loop. Ordinary requests use the connections of `surroundings`, emergencies
  /// those of `reserved`. `mailing` has the sender and the links of mails. `voice` calls the
  /// emergency number, and `contactVoice`, if present, emergency contacts. While the database is
  /// unavailable, `poster` calls hospitals, and aborts are written to `journal`.
  package init(
    _ surroundings: Surroundings, reserved: Surroundings, _ settings: EmergencySettings,
    _ monitoring: Monitoring, _ held: HeldEmergencies, _ herald: AlarmHerald,
    mailing: AuthenticationSettings, voice: any EmergencyVoice,
    contactVoice: (any EmergencyVoice)? = nil, poster: CallbackPoster, journal: AbortJournal
  ) {
    self.poster = poster
    self.surroundings = surroundings
    self.reserved = reserved
    self.settings = settings
    self.mailing = mailing
    watch = EmergencyWatch(reserved, settings, monitoring, held, herald, journal)
    calling = EmergencyCalling(
      surroundings: reserved, store: watch.store, directory: AccountDirectory(reserved),
      mails: EmergencyMails(surroundings: reserved, sender: mailing.sender),
      contactMails: ContactMails(reserved, mailing),
      accesses: AccessRecorder(root: surroundings.root), voice: voice,
      contactVoice: contactVoice, underWay: underWay)
  }

  /// The rows for the service's router.
  package var routes: [Route] {
    MonitoringRoutes(surroundings, settings, ContactMails(surroundings, mailing)).all
      + ContactRoutes(surroundings).all
      + EmergencyRoutes(surroundings, reserved: reserved, watch, calling).all
      + HospitalRoutes(surroundings, reserved: reserved, calling).all
  }

  /// Whether a call could name a person without asking a database.
  package func knows(_ account: AccountID) -> Bool { watch.people.knows(account) }

  /// How many emergencies this process holds, to continue them while the database is unavailable.
  package var heldCount: Int { watch.held.count }

  /// The worker that ends the stages of emergencies; for the loop.
  package func clock() -> EmergencyClock {
    EmergencyClock(reserved, watch.store, calling, watch.held)
  }

  /// The clock of offline emergencies; for the loop.
  package func aloneClock() -> AloneClock {
    AloneClock(reserved, watch, calling, poster: poster)
  }

  /// The worker that synchronises the detectors with the database; for the loop.
  package func follower() -> MonitoringFollower { MonitoringFollower(reserved, watch, underWay) }

  /// The worker that reports silence; for the loop.
  package func silenceWatch() -> SilenceWatch { SilenceWatch(surroundings, watch.monitoring) }

  /// The worker that completes the records of ended emergencies; for the loop.
  package func records() -> EmergencyRecords { EmergencyRecords(surroundings) }

  /// The background workers in the order of their start; on one loop of a process. The monitored
  /// people are known when the first of them has started.
  package var workers: [LifecycleComponent] {
    let loop = surroundings.loop
    let follower = LoopBound(follower(), on: loop)
    let clock = LoopBound(clock(), on: loop)
    let alone = LoopBound(aloneClock(), on: loop)
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
        "journal of aborts", start: { () throws(StartError) in await alone.value.restore() }
      ) { [journal = watch.journal] in
        journal.close()
      },
      LifecycleComponent("emergencies", start: { () throws(StartError) in clock.value.start() }) {
        await clock.value.stop()
      },
      LifecycleComponent(
        "emergencies alone", start: { () throws(StartError) in alone.value.start() }
      ) {
        await alone.value.stop()
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
