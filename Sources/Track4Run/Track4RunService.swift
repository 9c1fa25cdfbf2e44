import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Privacy
import Services

/// The service of Track4Run as its main runs it.
package enum Track4RunService {
  /// Every statement, for the check against the schema.
  package static let statements: [any Statement.Type] =
    [PublishedRuns.self, RunsOfOrganiser.self, RunsOfRunner.self, Participants.self]
    + OrganisingStatements.all + EnrolmentStatements.all + IdempotentEffects.statements

  /// Adds the parts of the process, in the order of their start.
  ///
  /// - Throws: `StartError` when a setting, a key file or the time zone's file is missing.
  package static func assemble(_ process: ServiceProcess) throws(StartError) {
    let root = try process.settings.rootSecret()
    let secret = InternalSecret(root: root)
    let zone = try process.settings.timeZone()
    let lifecycle = process.lifecycle
    var surroundings: [ObjectIdentifier: RunSurroundings] = [:]
    for loop in process.loops {
      surroundings[ObjectIdentifier(loop)] = try process.read { (_) throws(SettingsError) in
        try RunSurroundings(process, root: root, secret: secret, zone: zone, on: loop)
      }
    }
    let listener = try process.read { (_) throws(SettingsError) in
      try ServiceListener(process, secret: secret)
    }
    if let first = process.loops.first, let here = surroundings[ObjectIdentifier(first)] {
      lifecycle.add(forgettingOldAnswers(here, on: first, log: process.log))
    }
    lifecycle.add(
      listener.component { [surroundings] loop in
        guard let here = surroundings[ObjectIdentifier(loop)] else { return [] }
        let runs = RunRoutes(
          database: here.database, endpoints: here.routes, world: here.world)
        return [.health(isReady: { lifecycle.isReady })] + runs.routes
          + OrganisingRoutes(here).routes + JoiningRoutes(here).routes
      })
  }

  private static let forgettingPause = Duration.seconds(3600)

  /// Forgets, once an hour, the answers that were kept for repetitions.
  private static func forgettingOldAnswers(
    _ here: RunSurroundings, on loop: EventLoop, log: Log
  ) -> LifecycleComponent {
    let work = RepeatingWork(on: loop) {
      do throws(Problem) { try await here.effects.forgetOldAnswers() } catch {
        log.warning("old answers could not be forgotten", [.number("status", error.status.code)])
      }
      return forgettingPause
    }
    return LifecycleComponent(
      "answers",
      start: { () throws(StartError) in loop.execute { work.start() } },
      stop: {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
          loop.begin {
            await work.stop()
            continuation.resume()
          }
        }
      })
  }
}

extension RunSurroundings {
  /// The surroundings of one loop of a process.
  ///
  /// - Throws: `SettingsError` when the addresses of the database or of Data4Help are missing.
  fileprivate init(
    _ process: ServiceProcess, root: RootSecret, secret: InternalSecret, zone: TimeZoneRules,
    on loop: EventLoop
  ) throws(SettingsError) {
    world = process.world
    database = try process.database(SettingTable.databaseURL, on: loop)
    effects = IdempotentEffects(database: database, root: root, world: process.world)
    self.zone = zone
    runnerNames = RunnerNames(root: root, on: loop)
    let addresses = try process.settings.value(SettingTable.data4helpAddresses)
    data4help = Data4HelpClient(
      InternalClient(replicas: addresses.map { SocketAddress($0) }, secret: secret, on: loop))
  }
}
