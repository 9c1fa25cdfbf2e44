import Accounts
import Cryptography
import Domain
import Emergencies
import EventLoop
import GroupStatistics
import HTTP
import InternalAPI
import Mail
import Operations
import Postgres
import ServiceKit
import Sharing
import Telephony
import Web
import Webhooks

/// The service of Data4Help, as its main program runs it.
package enum Data4HelpService {
  /// Adds the components of the process in start order: background work, then the listener, so that
  /// stopping refuses requests first.
  ///
  /// - Throws: `StartError` when a setting or a file is missing or wrong.
  package static func assemble(_ process: ServiceProcess) throws(StartError) {
    let settings = try process.read { (settings) throws(SettingsError) in
      try Data4HelpSettings(settings)
    }
    let connections = try InnerConnections(process)
    let parts = try Self.parts(process, settings)
    var routesByLoop: [ObjectIdentifier: [Route]] = [:]
    var streams: [LoopBound<EventRoutes>] = []
    let all = try process.loops.map { (loop) throws(StartError) in
      Data4HelpLoop(
        loop, parts, databases: try databases(process, on: loop),
        reserved: try databases(process, on: loop, readers: 1, keyWriters: 1),
        track4run: try track4run(process, parts.root, connections, on: loop))
    }
    // Reports of keys begin before all work that uses them, and end after it.
    process.lifecycle.add(try all[0].keyChecks(process).component(process, blocking: true))
    process.lifecycle.add(
      try all[0].masterKeyReload(process, all.map(\.dependencies.accounts.accountKeys)))
    process.lifecycle.add(
      try RootSecretReload.component(
        of: process, parts.root, in: all[0].dependencies.sharing.database))
    process.lifecycle.add(all[0].ledger)
    for (loop, components) in zip(process.loops, all) {
      routesByLoop[ObjectIdentifier(loop)] = components.routes
      streams.append(LoopBound(components.events, on: loop))
      process.lifecycle.add(components.keyForgetting)
      if loop === process.loops[0] {
        let workers = components.workers(
          mail: try mailTransport(settings), mailStopMax: settings.stopWithin * 0.4)
        for component in workers { process.lifecycle.add(component) }
      }
    }
    let listener = try ServiceListener(
      process, secret: InternalSecret(root: parts.root), connections)
    let lifecycle = process.lifecycle
    lifecycle.add(
      listener.component { [routesByLoop] loop in
        [.health(isReady: { lifecycle.isReady })] + (routesByLoop[ObjectIdentifier(loop)] ?? [])
      })
    // After the listener, so that streams end before it waits for open requests.
    lifecycle.add(
      LifecycleComponent("streams", start: { () throws(StartError) in }) { [streams] in
        for stream in streams { await end(stream) }
      })
  }

  /// The parts of all loops, from the settings and files of the process.
  private static func parts(
    _ process: ServiceProcess, _ settings: Data4HelpSettings
  ) throws(StartError) -> ProcessParts {
    let root = try process.settings.rootSecret()
    let masterKeys = try process.settings.masterKeys()
    let pushKey = try process.settings.pushKey()
    let timeZones = try process.settings.timeZones(log: process.log)
    let payments = try PaymentTerms(
      settings.payments,
      returnURL: "\(settings.loops.authentication.publicURL)/app/payments")
    do throws(SystemError) {
      return ProcessParts(
        settings.loops, environment: process.environment, log: process.log,
        metrics: process.metrics,
        root: root, masterKeys: masterKeys, timeZones: timeZones,
        passwords: try PasswordPool(cores: process.loops.count),
        counting: try BlockingPool(name: "groups", threads: 1, queueMax: 64),
        callbacks: try CallbackPoster(settings.callbacks),
        push: try PushSender(
          settings.callbacks, key: pushKey,
          contact: "mailto:\(settings.loops.authentication.sender.text)"),
        payments: payments,
        personNoise: PersonNoise(root: root),
        noise: ReleaseNoise(randomBytes: process.environment.randomBytes),
        voices: try EmergencyVoices(settings.voice, settings.state, log: process.log),
        journal: try AbortJournal(directory: settings.state.file("aborts"), log: process.log),
        fences: RevocationFences(isWatched: true))
    } catch {
      throw StartError("The threads for hashing, counting and calls can't be started", error)
    }
  }

  /// The databases of one loop; `readers` and `keyWriters` override the usual numbers of
  /// connections.
  private static func databases(
    _ process: ServiceProcess, on loop: EventLoop, readers: Int? = nil, keyWriters: Int? = nil
  ) throws(StartError) -> DatabasePair {
    try process.read { (_) throws(SettingsError) in
      DatabasePair(
        data: try process.database(SettingTable.databaseURL, on: loop, readers: readers),
        keys: try process.database(
          SettingTable.keysDatabaseURL, on: loop, readers: readers, writers: keyWriters))
    }
  }

  private static func track4run(
    _ process: ServiceProcess, _ root: RootSecret, _ connections: InnerConnections,
    on loop: EventLoop
  ) throws(StartError) -> InternalClient {
    let addresses = try process.read { (settings) throws(SettingsError) in
      try settings.value(SettingTable.track4runAddresses).map { SocketAddress($0) }
    }
    return InternalClient(
      replicas: addresses, over: try connections.link(to: .track4run, at: addresses),
      secret: InternalSecret(root: root), on: loop)
  }

  private static func mailTransport(
    _ settings: Data4HelpSettings
  ) throws(StartError) -> any MailTransport {
    do throws(SystemError) {
      guard let url = settings.smtpURL else {
        return try MailFolder(path: settings.state.file("mail"))
      }
      return try SMTPTransport(SMTPTransport.Settings(url: url))
    } catch {
      throw StartError("The threads for mail can't be started", error)
    }
  }

  private static func end(_ streams: LoopBound<EventRoutes>) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      streams.loop.begin {
        await streams.value.stop()
        continuation.resume()
      }
    }
  }
}
