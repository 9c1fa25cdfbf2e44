import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Privacy
import Services

/// The service of Track4Run, as its main runs it.
package enum Track4RunService {
  /// All statements, for the schema check.
  package static let statements: [any Statement.Type] =
    [
      PublishedRuns.self, RunsOfOrganiser.self, RunsOfRunner.self, Participants.self,
      SharedTime.self,
    ]
    + OrganisingStatements.all + MovingStatements.all + EnrolmentStatements.all
    + RunDataStatements.all + EraseStatements.all + LiveStatements.all + PublicRunStatements.all
    + IdempotentEffects.statements
    + OutboxStatements.all + DutyStatements.all + CheckInStatements.all + StartStatements.all
    + FollowingStatements.all + AsideStatements.all + DepartureStatements.all
    + InvitationStatements.all + ResultStatements.all + ClausesStatements.all

  /// Adds the parts of the process, in the order of their start.
  ///
  /// - Throws: `StartError` if a setting, a key file or the time zone's file is missing.
  package static func assemble(_ process: ServiceProcess) throws(StartError) {
    let root = try process.settings.rootSecret()
    let secret = InternalSecret(root: root)
    let zone = try process.settings.timeZone()
    let lifecycle = process.lifecycle
    let clock = SharedClock(process.world)
    let common = RunCommon(
      root: root, secret: secret, zone: zone, bell: Bell(), world: clock.world,
      metrics: process.metrics)
    var surroundings: [ObjectIdentifier: RunSurroundings] = [:]
    for loop in process.loops {
      surroundings[ObjectIdentifier(loop)] = try process.read { (_) throws(SettingsError) in
        try RunSurroundings(process, common, on: loop)
      }
    }
    let listener = try process.read { (_) throws(SettingsError) in
      try ServiceListener(process, secret: secret)
    }
    guard let first = process.loops.first, let here = surroundings[ObjectIdentifier(first)]
    else { return }
    let keys = try KeyChecks(process.settings, root: root, in: here.database, now: common.world.now)
    lifecycle.add(keys.component(process, blocking: false))
    lifecycle.add(clock.following(here.database, process))
    lifecycle.add(forgettingOldAnswers(here, on: first, log: process.log))
    let live = LiveParts(
      process.loops.compactMap { loop in
        surroundings[ObjectIdentifier(loop)].map {
          LiveSurroundings($0, log: process.log, on: loop)
        }
      }, metrics: process.metrics)
    lifecycle.add(
      try process.read { (_) throws(SettingsError) in
        try conversation(process, common, here.database, live, on: first)
      })
    lifecycle.add(live.following)
    lifecycle.add(
      listener.component { [surroundings] loop in
        guard let here = surroundings[ObjectIdentifier(loop)] else { return [] }
        let runs = RunRoutes(
          database: here.database, endpoints: here.routes, world: here.world,
          links: here.links, on: loop)
        return [.health(isReady: { lifecycle.isReady })] + runs.routes
          + OrganisingRoutes(here).routes + PathCheckRoutes(here).routes
          + CoOrganiserRoutes(here).routes
          + JoiningRoutes(here).routes + RunnerChoiceRoutes(here).routes
          + InvitationRoutes(here).routes
          + PublicRunRoutes(here).routes + PictureRoutes(here).routes
          + RunPageRoutes(here, live: live.frames(on: loop)).routes + live.routes(on: loop)
          + RunDownloading(here).routes
      })
    lifecycle.add(live.streams)
  }

  /// The synchronisation with Data4Help, in one process of all replicas.
  private static func conversation(
    _ process: ServiceProcess, _ common: RunCommon, _ database: Database, _ live: LiveParts,
    on loop: EventLoop
  ) throws(SettingsError) -> LifecycleComponent {
    let duty = LoopBound(
      Data4HelpDuty(
        world: common.world, database: database, root: common.root, zone: common.zone,
        publicURL: try process.settings.value(SettingTable.publicURL),
        opensBefore: try process.settings.value(SettingTable.checkinOpens),
        addresses: try process.settings.value(SettingTable.data4helpAddresses).map {
          SocketAddress($0)
        }, bell: common.bell, log: process.log, metrics: process.metrics,
        lostSignals: { live.lostSignals() }, on: loop),
      on: loop)
    return LifecycleComponent(
      "data4help",
      start: { () throws(StartError) in loop.execute { duty.value.start() } },
      stop: {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
          loop.begin {
            await duty.value.stop()
            continuation.resume()
          }
        }
      })
  }

  private static let forgettingPause = Duration.seconds(3600)

  /// Deletes old answers kept for idempotency keys, and old invitations, once an hour.
  private static func forgettingOldAnswers(
    _ here: RunSurroundings, on loop: EventLoop, log: Log
  ) -> LifecycleComponent {
    let work = RepeatingWork(on: loop) {
      do throws(ApplicationError) {
        try await here.effects.forgetOldAnswers()
        try await Inviting.forget(in: here)
      } catch {
        log.failure("delete expired rows failed", error, level: .warning)
      }
      return forgettingPause
    }
    return LifecycleComponent("answers", repeating: work, on: loop)
  }
}

/// Values shared by the loops of one process.
private struct RunCommon {
  let root: RootSecret
  let secret: InternalSecret
  let zone: TimeZoneRules
  let bell: Bell
  let world: World
  let metrics: Metrics
}

extension RunSurroundings {
  /// The dependencies of one loop of a process.
  ///
  /// - Throws: `SettingsError` if the addresses of the database or of Data4Help are missing.
  fileprivate init(
    _ process: ServiceProcess, _ common: RunCommon, on loop: EventLoop
  ) throws(SettingsError) {
    let addresses = try process.settings.value(SettingTable.data4helpAddresses)
    self.init(
      world: common.world,
      database: try process.database(SettingTable.databaseURL, on: loop), root: common.root,
      zone: common.zone,
      links: PublicLinks(publicURL: try process.settings.value(SettingTable.publicURL)),
      data4help: Data4HelpClient(
        InternalClient(
          replicas: addresses.map { SocketAddress($0) }, secret: common.secret, on: loop)),
      bell: common.bell, log: process.log, metrics: common.metrics, on: loop)
  }
}
