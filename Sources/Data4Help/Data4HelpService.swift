import Delivery
import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Privacy
import Services

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
    let common = try Data4HelpCommon(process, settings)
    var routesByLoop: [ObjectIdentifier: [Route]] = [:]
    var streams: [LoopBound<EventRoutes>] = []
    for loop in process.loops {
      let parts = try Data4HelpLoop(loop, process, common)
      routesByLoop[ObjectIdentifier(loop)] = parts.routes
      streams.append(LoopBound(parts.events, on: loop))
      if loop === process.loops[0] {
        process.lifecycle.add(try parts.keyChecks(process).component(process, blocking: true))
        process.lifecycle.add(parts.ledger)
      }
      process.lifecycle.add(parts.keyForgetting)
      if loop === process.loops[0] {
        for component in try parts.workers() { process.lifecycle.add(component) }
      }
    }
    let listener = try process.read { (_) throws(SettingsError) in
      try ServiceListener(process, secret: InternalSecret(root: common.root))
    }
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

  private static func end(_ streams: LoopBound<EventRoutes>) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      streams.loop.begin {
        await streams.value.stop()
        continuation.resume()
      }
    }
  }
}

/// The state that all loops of one process share.
struct Data4HelpCommon: Sendable {
  let settings: Data4HelpSettings
  let root: RootSecret
  let masterKeys: MasterKeyRing
  let timeZones: TimeZones
  let passwords: PasswordPool
  let counting: BlockingPool
  let callbacks: CallbackPoster
  let payments: PaymentTerms
  let mailBell = Bell()
  let streamBell = Bell()
  let relayBell = RelayBell()
  let recallBell = RecallBell()
  let fences = DeliveryFences(isWatched: true)
  let importBell = Bell()
  let exportPlaces = ExportPlaces()
  let monitoring: Monitoring
  let voices: EmergencyVoices
  let held = HeldEmergencies()
  let herald = AlarmHerald()
  let journal: AbortJournal

  init(_ process: ServiceProcess, _ settings: Data4HelpSettings) throws(StartError) {
    self.settings = settings
    root = try process.settings.rootSecret()
    masterKeys = try process.settings.masterKeys()
    timeZones = try process.settings.timeZones(log: process.log)
    monitoring = Monitoring(settings.emergencies)
    do throws(SystemError) {
      voices = try EmergencyVoices(settings.voice, settings.state, log: process.log)
      passwords = try PasswordPool(cores: process.loops.count)
      counting = try BlockingPool(name: "groups", threads: 1, queueMax: 64)
      callbacks = try CallbackPoster(settings.callbacks)
      journal = try AbortJournal(directory: settings.state.file("aborts"), log: process.log)
    } catch {
      throw StartError("The threads for hashing, counting and calls can't be started", error)
    }
    payments = try PaymentTerms(
      settings.payments, returnURL: settings.authentication.publicURL)
  }
}

/// The components of one loop of the process.
struct Data4HelpLoop: Sendable {
  private let surroundings: Surroundings
  private let common: Data4HelpCommon
  private let samples: SampleStore
  /// The surroundings over the connections that are reserved for emergencies.
  private let reserved: Surroundings
  private let groupRequests: GroupRequests
  private let track4run: InternalClient
  private let emergencies: Emergencies
  /// The streams of this loop.
  let events: EventRoutes

  init(
    _ loop: EventLoop, _ process: ServiceProcess, _ common: Data4HelpCommon
  ) throws(StartError) {
    let databases = try process.read { (_) throws(SettingsError) in
      (
        data: try process.database(SettingTable.databaseURL, on: loop),
        keys: try process.database(SettingTable.keysDatabaseURL, on: loop)
      )
    }
    self.common = common
    track4run = try process.read { (settings) throws(SettingsError) in
      InternalClient(
        replicas: try settings.value(SettingTable.track4runAddresses).map { SocketAddress($0) },
        secret: InternalSecret(root: common.root), on: loop)
    }
    let surroundings = Surroundings(
      loop: loop, world: process.world, database: databases.data, keysDatabase: databases.keys,
      masterKeys: common.masterKeys, root: common.root, timeZones: common.timeZones,
      mailBell: common.mailBell, streamBell: common.streamBell, relayBell: common.relayBell,
      recallBell: common.recallBell, fences: common.fences, log: process.log,
      metrics: process.metrics)
    self.surroundings = surroundings
    let reserved = try Self.reserved(surroundings, process)
    self.reserved = reserved
    samples = SampleStore(surroundings)
    groupRequests = GroupRequests(
      surroundings, threads: common.counting, seasoningDays: common.settings.groupSeasoningDays,
      personNoise: PersonNoise(root: common.root),
      noise: ReleaseNoise(randomBytes: process.world.randomBytes))
    events = EventRoutes(
      surroundings, reserved: reserved, common.settings.emergencies, samples: samples,
      herald: common.herald)
    emergencies = Emergencies(
      surroundings, reserved: reserved, common.settings.emergencies, common.monitoring,
      common.held, common.herald, mailing: common.settings.authentication,
      voice: common.voices.number, contactVoice: common.voices.contacts,
      poster: common.callbacks, journal: common.journal)
  }

  /// The surroundings of emergencies, over connections that nothing else uses.
  private static func reserved(
    _ surroundings: Surroundings, _ process: ServiceProcess
  ) throws(StartError) -> Surroundings {
    let loop = surroundings.loop
    let databases = try process.read { (_) throws(SettingsError) in
      (
        data: try process.database(SettingTable.databaseURL, on: loop, readers: 1),
        keys: try process.database(
          SettingTable.keysDatabaseURL, on: loop, readers: 1, writers: 1)
      )
    }
    return surroundings.over(databases.data, keys: databases.keys)
  }

  /// The routes of all components.
  var routes: [Route] {
    let directory = AccountDirectory(surroundings)
    let authentication = AuthenticationRoutes(
      surroundings: surroundings, settings: common.settings.authentication,
      passwords: common.passwords)
    let requests = SingleRequestRoutes(
      surroundings, directory: directory, samples: samples, groups: groupRequests,
      answerWithinSeconds: common.settings.answerWithinSeconds,
      settings: common.settings.authentication, payments: common.payments)
    let parts =
      authentication.routes
      + SingleUserRoutes(authentication).all
      + ThirdPartyRoutes(authentication).all
      + ConsentRoutes(surroundings).all
      + PreconfirmedRoutes(surroundings, directory: directory).all
      + LookupRoutes(surroundings, directory: directory).all
      + DeletionRoutes(authentication).all
      + ProgramKeyRoutes(surroundings, common.settings.authentication).routes
      + PairingRoutes(surroundings, common.settings.authentication).routes
      + DeviceRoutes(surroundings).routes
      + HealthDataRoutes(surroundings, samples: samples, watch: emergencies.watch).routes
      + ComparisonRoutes(surroundings, groups: groupRequests).all
      + CollectionRoutes(surroundings, samples: samples).routes
      + ImportRoutes(surroundings, bell: common.importBell).routes
      + emergencies.routes
      + requests.all
      + events.all
      + NoticeRoutes(surroundings).all
      + CallbackRoutes(
        surroundings, poster: common.callbacks, settings: common.settings.authentication
      ).all
      + AccessRoutes(surroundings, directory: directory).all
      + InternalRoutes(
        surroundings, directory: directory, settings: common.settings.authentication
      ).all
      + events.track4runRoutes
    return parts
      + ExportRoutes(
        surroundings, samples: samples, answers: parts + Track4RunAnswers(track4run).routes,
        places: common.exportPlaces
      ).all
  }

  /// The comparison of the key files with both databases.
  func keyChecks(_ process: ServiceProcess) throws(StartError) -> KeyChecks {
    try KeyChecks(
      process.settings, root: common.root, in: surroundings.database,
      masterKeys: (common.masterKeys, surroundings.keysDatabase), now: process.world.now)
  }

  /// Replays the ledger of deleted accounts before anything else of this process runs.
  var ledger: LifecycleComponent {
    let worker = DeletionWorker(surroundings)
    return LifecycleComponent(
      "ledger",
      start: { () throws(StartError) in try await worker.replayBeforeServing() })
  }

  /// Drops from this loop's cache the keys that other processes destroyed.
  var keyForgetting: LifecycleComponent {
    LifecycleComponent(
      "destroyed keys", repeating: KeyForgetting(surroundings).work, on: surroundings.loop)
  }

  /// The background work; it runs on the first loop of a process only.
  func workers() throws(StartError) -> [LifecycleComponent] {
    let accounts = AuthenticationWorkers(
      surroundings: surroundings, settings: common.settings.authentication,
      transport: try mailTransport(), mailStopMax: common.settings.stopWithin * 0.4)
    let requests = SingleRequestWorkers(surroundings)
    let groups = GroupWorkers(surroundings, groupRequests)
    let forgetting = forgettingOldAnswers
    let deletions = DeletionWorker(surroundings).work
    let noticeMails = sendingNotices
    let companyNames = CompanyNameIndexing(surroundings).work
    let callbacks = callbackDelivery(isOfEmergencies: false)
    let hospitals = callbackDelivery(isOfEmergencies: true)
    let watch = LoopBound(RecallWatch(surroundings), on: surroundings.loop)
    let imports = ImportWorker(surroundings, samples: samples, bell: common.importBell)
    return [
      // First, so that it stops last: it follows recalls until the last delivery has ended.
      LifecycleComponent("recalls", start: { () throws(StartError) in watch.value.start() }) {
        await watch.value.stop()
      },
      LifecycleComponent("answers", start: { () throws(StartError) in forgetting.start() }) {
        await forgetting.stop()
      },
      LifecycleComponent("deletions", start: { () throws(StartError) in deletions.start() }) {
        await deletions.stop()
      },
      LifecycleComponent("accounts", start: { () throws(StartError) in accounts.start() }) {
        await accounts.stop()
      },
      LifecycleComponent("requests", start: { () throws(StartError) in requests.start() }) {
        await requests.stop()
      },
      LifecycleComponent("groups", start: { () throws(StartError) in groups.start() }) {
        await groups.stop()
      },
      LifecycleComponent("notices", start: { () throws(StartError) in noticeMails.start() }) {
        await noticeMails.stop()
      },
      LifecycleComponent("company names", repeating: companyNames, on: surroundings.loop),
      LifecycleComponent("callbacks", start: { () throws(StartError) in callbacks.value.start() }) {
        await callbacks.value.stop()
      },
      LifecycleComponent(
        "callbacks of emergencies", start: { () throws(StartError) in hospitals.value.start() }
      ) {
        await hospitals.value.stop()
      },
      LifecycleComponent("imports", start: { () throws(StartError) in imports.start() }) {
        await imports.stop()
      },
    ] + emergencies.workers
  }

  /// The worker that calls third parties, or that which calls the recipients of emergencies.
  private func callbackDelivery(isOfEmergencies: Bool) -> LoopBound<CallbackDelivery> {
    let surroundings = isOfEmergencies ? reserved : surroundings
    return LoopBound(
      CallbackDelivery(
        surroundings, common.settings.emergencies, isOfEmergencies: isOfEmergencies,
        samples: isOfEmergencies ? SampleStore(reserved) : samples, poster: common.callbacks,
        settings: common.settings.authentication), on: surroundings.loop)
  }

  private static let forgettingPause = Duration.seconds(3600)

  /// Deletes expired data once an hour, such as responses that were kept for repeated requests.
  private var forgettingOldAnswers: RepeatingWork {
    let (effects, log) = (surroundings.effects, surroundings.log)
    return RepeatingWork(on: surroundings.loop) { [surroundings] in
      do throws(ApplicationError) {
        try await effects.forgetOldAnswers()
        try await CallbackDelivery.forgetOldCalls(of: surroundings)
        try await surroundings.recalls.forget()
        try await Track4RunForgetting.forget(of: surroundings)
        try await Track4RunForgetting.forgetRuns(of: surroundings)
        try await ContactQuestions.forget(of: surroundings)
      } catch {
        log.failure("delete expired data failed", error, level: .warning)
      }
      return Self.forgettingPause
    }
  }

  private static let noticePause = Duration.seconds(5)

  /// Mails the notices that no stream has delivered.
  private var sendingNotices: RepeatingWork {
    let mails = NoticeMails(surroundings, common.settings.authentication)
    let log = surroundings.log
    return RepeatingWork(on: surroundings.loop) {
      do throws(ApplicationError) { _ = try await mails.send() } catch {
        log.failure("mail notices failed", error, level: .warning)
      }
      return Self.noticePause
    }
  }

  private func mailTransport() throws(StartError) -> any MailTransport {
    do throws(SystemError) {
      guard let url = common.settings.smtpURL else {
        return try MailFolder(path: common.settings.state.file("mail"))
      }
      return try SMTPTransport(SMTPTransport.Settings(url: url))
    } catch {
      throw StartError("The threads for mail can't be started", error)
    }
  }
}
