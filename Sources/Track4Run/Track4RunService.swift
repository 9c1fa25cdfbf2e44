import Cryptography
import Data4HelpSync
import Domain
import EventLoop
import HTTP
import InternalAPI
import LiveRuns
import MapTiles
import Operations
import Postgres
import Runs
import ServiceKit

/// The service of Track4Run, as its main runs it.
package enum Track4RunService {
  /// All statements, for the schema check.
  package static let statements: [any Statement.Type] =
    [SharedTime.self] + SyncStatements.all + RunStatements.all + LiveStatements.all
    + IdempotentEffects.statements

  /// Adds the parts of the process, in the order of their start.
  ///
  /// - Throws: `StartError` if a setting, a key file or the time zone's file is missing.
  package static func assemble(_ process: ServiceProcess) throws(StartError) {
    let root = try process.settings.rootSecret()
    let connections = try InnerConnections(process)
    let addresses = try process.read { (settings) throws(SettingsError) in
      try settings.value(SettingTable.data4helpAddresses).map { SocketAddress($0) }
    }
    let fetching = try TileFetching(
      process.settings, environment: process.environment, log: process.log,
      metrics: process.metrics)
    let secret = InternalSecret(root: root)
    let clock = SharedClock(process.environment)
    let common = RunCommon(
      root: root, secret: secret,
      data4help: (addresses, try connections.link(to: .data4help, at: addresses)),
      zone: try process.settings.timeZone(), wakeUp: WakeUpSignal(),
      environment: clock.environment, metrics: process.metrics)
    var all: [ObjectIdentifier: RunDependencies] = [:]
    for loop in process.loops {
      all[ObjectIdentifier(loop)] = try process.read { (_) throws(SettingsError) in
        try dependencies(process, common, on: loop)
      }
    }
    let listener = try ServiceListener(process, secret: secret, connections)
    guard let first = process.loops.first, let here = all[ObjectIdentifier(first)] else { return }
    let lifecycle = process.lifecycle
    let keys = try KeyChecks(
      process.settings, root: root, in: here.database, now: common.environment.now)
    lifecycle.add(keys.component(process, blocking: false))
    lifecycle.add(
      try RootSecretReload.component(of: process, root, in: here.database))
    lifecycle.add(clock.following(here.database, process))
    lifecycle.add(forgettingOldAnswers(here, on: first))
    let live = LiveParts(
      process.loops.compactMap { loop in all[ObjectIdentifier(loop)].map(liveDependencies) },
      metrics: process.metrics)
    lifecycle.add(
      try process.read { (_) throws(SettingsError) in
        try leaderTasks(process, common, here.database, live, on: first)
      })
    lifecycle.add(live.following)
    if let fetching { lifecycle.add(fetching.component) }
    let tiles = TileRoutes(fetching?.tiles)
    lifecycle.add(
      listener.component { [all] loop in
        guard let here = all[ObjectIdentifier(loop)] else { return [] }
        return [.health(isReady: { lifecycle.isReady })]
          + here.routes(live: live.pages(on: loop)) + live.routes(on: loop) + tiles.routes
      })
    lifecycle.add(live.streams)
  }

  /// The values of one loop.
  private static func dependencies(
    _ process: ServiceProcess, _ common: RunCommon, on loop: EventLoop
  ) throws(SettingsError) -> RunDependencies {
    RunDependencies(
      environment: common.environment, zone: common.zone,
      database: try process.database(SettingTable.databaseURL, on: loop), root: common.root,
      links: PublicLinks(publicURL: try process.settings.value(SettingTable.publicURL)),
      keepInvitations: try process.settings.value(SettingTable.keepInvitations),
      data4help: Data4HelpClient(
        InternalClient(
          replicas: common.data4help.addresses, over: common.data4help.link,
          secret: common.secret, on: loop)),
      wakeUp: common.wakeUp, downloads: common.downloads, log: process.log,
      metrics: common.metrics)
  }

  /// The values of the live part of one loop, which searches for accounts at Data4Help.
  private static func liveDependencies(_ runs: RunDependencies) -> LiveDependencies {
    let data4help = runs.data4help
    return LiveDependencies(
      environment: runs.environment, database: runs.database, effects: runs.effects,
      links: runs.links,
      runnerNames: runs.runnerNames, runData: runs.runData,
      find: { (known, request) throws(ApplicationError) in
        try await data4help.following(request).account(of: known)
      },
      findNamed: { (name, accounts, request) throws(ApplicationError) in
        try await data4help.following(request).people(named: name, among: accounts)
      }, log: runs.log)
  }

  /// The tasks of one process of all replicas.
  private static func leaderTasks(
    _ process: ServiceProcess, _ common: RunCommon, _ database: Database, _ live: LiveParts,
    on loop: EventLoop
  ) throws(SettingsError) -> LifecycleComponent {
    let tasks = LoopBound(
      LeaderTasks(
        environment: common.environment, database: database, root: common.root, zone: common.zone,
        opensBefore: try process.settings.value(SettingTable.checkinOpens),
        addresses: common.data4help.addresses, over: common.data4help.link, wakeUp: common.wakeUp,
        log: process.log, metrics: process.metrics,
        lostSignals: { live.lostSignals() }, on: loop),
      on: loop)
    return LifecycleComponent(
      "data4help",
      start: { () throws(StartError) in loop.execute { tasks.value.start() } },
      stop: {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
          loop.begin {
            await tasks.value.stop()
            continuation.resume()
          }
        }
      })
  }

  private static let forgettingPause = Duration.seconds(3600)

  /// Deletes old answers kept for idempotency keys, and old invitations, once an hour.
  private static func forgettingOldAnswers(
    _ here: RunDependencies, on loop: EventLoop
  ) -> LifecycleComponent {
    let work = PeriodicTask(on: loop) {
      do throws(ApplicationError) {
        try await here.deleteExpiredRows()
      } catch {
        here.log.failure("delete expired rows failed", error, level: .warning)
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
  /// The replicas of Data4Help.
  let data4help: (addresses: [SocketAddress], link: InnerLink)
  let zone: TimeZoneRules
  let wakeUp: WakeUpSignal
  let environment: Environment
  let metrics: Metrics
  /// Slots for files of runs.
  let downloads = DownloadSlots()
}
