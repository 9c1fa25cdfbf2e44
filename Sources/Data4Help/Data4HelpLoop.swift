import Accounts
import Domain
import Emergencies
import EventLoop
import GroupStatistics
import HealthRecords
import InternalAPI
import Mail
import Operations
import Postgres
import ServiceKit
import Sharing
import Telephony
import Web
import Webhooks

/// The two databases, over connections of one loop.
package struct DatabasePair: Sendable {
  let data: Database
  let keys: Database

  /// The databases of the service's data and of the keys of accounts.
  package init(data: Database, keys: Database) {
    self.data = data
    self.keys = keys
  }
}

/// The components of one loop of the process.
package struct Data4HelpLoop: Sendable {
  /// The dependencies over the ordinary connections.
  package let dependencies: LoopDependencies
  /// The dependencies over the connections that are reserved for emergencies.
  package let reserved: LoopDependencies
  /// The health data, over the ordinary connections.
  package let samples: SampleStore
  /// The requests of groups.
  package let groupRequests: GroupRequests
  /// AutomatedSOS.
  package let emergencies: EmergencyComponents
  /// The streams of this loop.
  package let events: EventRoutes
  private let parts: ProcessParts
  private let reservedSamples: SampleStore
  private let track4run: InternalClient

  /// The components over `databases`; only emergencies use the connections of `reservedDatabases`
  /// to the same databases (decision 0022).
  package init(
    _ loop: EventLoop, _ parts: ProcessParts, databases: DatabasePair,
    reserved reservedDatabases: DatabasePair, track4run: InternalClient
  ) {
    self.parts = parts
    self.track4run = track4run
    let dependencies = LoopDependencies(
      loop: loop, environment: parts.environment, database: databases.data,
      keysDatabase: databases.keys,
      masterKeys: parts.masterKeys, root: parts.root, timeZones: parts.timeZones,
      mailWakeUp: parts.mailWakeUp, streamWakeUp: parts.streamWakeUp,
      pushWakeUp: parts.pushWakeUp,
      relayWakeUp: parts.relayWakeUp,
      revocationWakeUp: parts.revocationWakeUp, fences: parts.fences, downloads: parts.downloads,
      log: parts.log, metrics: parts.metrics
    )
    self.dependencies = dependencies
    let reserved = dependencies.over(reservedDatabases.data, keys: reservedDatabases.keys)
    self.reserved = reserved
    samples = SampleStore(
      dependencies.healthRecords, recent: parts.recentAccounts,
      bytesMax: parts.settings.accountBytesMax)
    reservedSamples = SampleStore(reserved.healthRecords, recent: parts.recentAccounts)
    groupRequests = GroupRequests(
      dependencies.groupStatistics, threads: parts.counting,
      seasoningDays: parts.settings.groupSeasoningDays, personNoise: parts.personNoise,
      noise: parts.noise)
    let settings = parts.settings.emergencies
    let events = EventRoutes(
      dependencies.sharing, reserved: reserved.sharing, samples: samples,
      reservedSamples: reservedSamples, requests: reserved.noticeRequests,
      emergencies: dependencies.emergencyDeliveries(settings),
      reservedEmergencies: reserved.emergencyDeliveries(settings))
    self.events = events
    parts.broadcaster.subscribe { account, name, data in events.publishAlarm(account, name, data) }
    emergencies = EmergencyComponents(
      dependencies.emergencies, reserved: reserved.emergencies, settings, parts.monitoring,
      parts.copies, parts.broadcaster, mailing: parts.settings.authentication,
      voice: parts.voices.number, contactVoice: parts.voices.contacts,
      poster: parts.callbacks, journal: parts.journal)
  }

  /// The routes of all components.
  package var routes: [Route] {
    let routes =
      accountRoutes + healthRoutes + emergencies.routes + requestRoutes + events.all
      + InternalRoutes(
        dependencies.sharing, directory: dependencies.directory,
        settings: parts.settings.authentication
      ).all
      + events.track4runRoutes
    let (accounts, zone) = (dependencies.accounts, dependencies.accounts.zone)
    return routes
      + ExportRoutes(
        environment: accounts.environment, database: accounts.database,
        accountKeys: accounts.accountKeys,
        zone: zone, metrics: accounts.metrics, samples: samples,
        answers: routes + Track4RunAnswers(track4run).routes, slots: parts.exportSlots
      ).all
  }

  private var accountRoutes: [Route] {
    let accounts = dependencies.accounts
    let (environment, database, keys) = (
      accounts.environment, accounts.database, accounts.accountKeys
    )
    let security = SecurityNotices(accounts, parts.settings.authentication)
    let authentication = AuthenticationRoutes(
      dependencies: accounts, settings: parts.settings.authentication,
      passwords: parts.passwords, mayAnswerEmergencies: emergencies.mayAnswerEmergencies)
    return authentication.routes
      + SingleUserRoutes(
        authentication, recipients: dependencies.sharing.events,
        birthDateChanged: EmergencyComponents.birthDateChanged
      ).all
      + ThirdPartyRoutes(authentication).all
      + ConsentRoutes(database: database).all
      + LookupRoutes(
        database: database, root: accounts.root, log: accounts.log,
        directory: dependencies.directory
      ).all
      + DeletionRoutes(authentication, AccountDeletion(dependencies.sharing)).all
      + ProgramKeyRoutes(
        environment: environment, database: database, accountKeys: keys, root: accounts.root,
        security: security
      ).routes
      + PairingRoutes(
        loop: accounts.loop, environment: environment, database: database, accountKeys: keys,
        root: accounts.root, security: security
      ).routes
      + DeviceRoutes(
        environment: environment, database: database, accountKeys: keys, effects: accounts.effects
      ).routes
      + NoticeRoutes(accounts, requests: dependencies.noticeRequests).all
      + PushRoutes(accounts, sender: parts.push).all
  }

  private var healthRoutes: [Route] {
    let health = dependencies.healthRecords
    return HealthDataRoutes(health, samples: samples, observer: emergencies.watch).routes
      + ComparisonRoutes(
        environment: health.environment, database: health.database, accountKeys: health.accountKeys,
        zone: health.zone, groups: groupRequests
      ).all
      + CollectionRoutes(health, samples: samples).routes
      + ImportRoutes(
        environment: health.environment, database: health.database, accountKeys: health.accountKeys,
        effects: health.effects, log: health.log, wakeUp: parts.importWakeUp
      ).routes
  }

  private var requestRoutes: [Route] {
    let sharing = dependencies.sharing
    let (environment, database) = (sharing.environment, sharing.database)
    return SingleRequestRoutes(
      sharing, directory: dependencies.directory, samples: samples, groups: groupRequests,
      answerWithinSeconds: parts.settings.answerWithinSeconds,
      settings: parts.settings.authentication, payments: parts.payments
    ).all
      + GroupRequestRoutes(groupRequests, prices: parts.payments.prices).all
      + TrustedThirdPartyRoutes(
        environment: environment, database: database, effects: sharing.effects,
        directory: dependencies.directory
      ).all
      + CallbackRoutes(
        environment: environment, database: database, accountKeys: sharing.accountKeys,
        effects: sharing.effects, events: sharing.events,
        security: SecurityNotices(dependencies.accounts, parts.settings.authentication),
        poster: parts.callbacks
      ).all
      + AccessRoutes(
        database: database, zone: sharing.zone, directory: dependencies.directory,
        emergencies: EmergenciesOfAccesses(
          database: database, accountKeys: sharing.accountKeys)
      ).all
  }

  /// The comparison of the key files with both databases.
  func keyChecks(_ process: ServiceProcess) throws(StartError) -> KeyChecks {
    try KeyChecks(
      process.settings, root: parts.root, in: dependencies.sharing.database,
      masterKeys: (parts.masterKeys, dependencies.sharing.keysDatabase),
      pushKey: parts.push.key,
      now: process.environment.now)
  }

  /// The following of the file of the master keys, for the keys of all loops of the process.
  func masterKeyReload(
    _ process: ServiceProcess, _ keys: [AccountKeys]
  ) throws(StartError) -> LifecycleComponent {
    let sharing = dependencies.sharing
    let reload = MasterKeyReload(
      file: try MasterKeyFile(process.settings), keys: keys, checks: try keyChecks(process),
      database: sharing.keysDatabase)
    return reload.follower(of: parts.masterKeys, on: sharing.loop, log: sharing.log).component
  }

  /// Replays the ledger of deleted accounts before anything else of this process runs.
  var ledger: LifecycleComponent {
    let worker = DeletionWorker(dependencies.sharing)
    return LifecycleComponent(
      "ledger",
      start: { () throws(StartError) in try await worker.replayBeforeServing() })
  }

  /// Drops from this loop's cache the keys that other processes destroyed.
  package var keyForgetting: LifecycleComponent {
    let sharing = dependencies.sharing
    let forgetting = KeyForgetting(
      loop: sharing.loop, environment: sharing.environment, keysDatabase: sharing.keysDatabase,
      accountKeys: sharing.accountKeys, log: sharing.log)
    return LifecycleComponent("destroyed keys", repeating: forgetting.work, on: sharing.loop)
  }

  /// The worker that sends mails and sweeps accounts; a stop waits `mailStopMax` for mails that a
  /// server has received and not yet answered.
  package func accountWorkers(
    mail transport: any MailTransport, mailStopMax: Duration
  ) -> AuthenticationWorkers {
    AuthenticationWorkers(
      dependencies: dependencies.accounts, settings: parts.settings.authentication,
      transport: transport, mailStopMax: mailStopMax, fence: dependencies.sharing.fence)
  }

  /// The background work of single requests.
  package var requestWorkers: SingleRequestWorkers { SingleRequestWorkers(dependencies.sharing) }

  /// The background work of group requests.
  package var groupWorkers: GroupWorkers {
    GroupWorkers(dependencies.groupStatistics, groupRequests)
  }

  /// The background work; it runs on the first loop of a process only.
  package func workers(
    mail: any MailTransport, mailStopMax: Duration
  ) -> [LifecycleComponent] {
    let (sharing, loop) = (dependencies.sharing, dependencies.sharing.loop)
    let accounts = accountWorkers(mail: mail, mailStopMax: mailStopMax)
    let requests = requestWorkers
    let groups = groupWorkers
    let forgetting = forgettingOldAnswers
    let deletions = DeletionWorker(sharing).work
    let noticeMails = sendingNotices
    let push = pushWorker
    let companyNames = CompanyNameIndexing(
      loop: loop, database: sharing.database, accountKeys: sharing.accountKeys, root: sharing.root,
      log: sharing.log
    ).work
    let callbacks = callbackDelivery(isOfEmergencies: false)
    let hospitals = callbackDelivery(isOfEmergencies: true)
    let watch = LoopBound(
      RevocationWatch(
        loop: loop, database: sharing.database, revocations: sharing.revocations,
        fences: sharing.fences,
        log: sharing.log), on: loop)
    let imports = ImportWorker(
      dependencies.healthRecords, samples: samples, keptFor: parts.settings.keepImports,
      wakeUp: parts.importWakeUp)
    return [
      // First, so that it stops last: it follows revocations until the last delivery has ended.
      LifecycleComponent("revocations", start: { () throws(StartError) in watch.value.start() }) {
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
      LifecycleComponent("push", start: { () throws(StartError) in push.value.start() }) {
        await push.value.stop()
      },
      LifecycleComponent("company names", repeating: companyNames, on: loop),
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

  /// The worker that sends push messages.
  package var pushWorker: LoopBound<PushWorker> {
    LoopBound(
      PushWorker(
        dependencies.accounts, requests: dependencies.noticeRequests, sender: parts.push,
        wakeUp: parts.pushWakeUp),
      on: dependencies.sharing.loop)
  }

  /// The worker that calls third parties, or that which calls the recipients of emergencies.
  package func callbackDelivery(isOfEmergencies: Bool) -> LoopBound<CallbackDelivery> {
    let dependencies = isOfEmergencies ? reserved : dependencies
    return LoopBound(
      CallbackDelivery(
        dependencies.sharing,
        emergencies: dependencies.emergencyDeliveries(parts.settings.emergencies),
        isOfEmergencies: isOfEmergencies, samples: isOfEmergencies ? reservedSamples : samples,
        poster: parts.callbacks, settings: parts.settings.authentication),
      on: dependencies.sharing.loop)
  }

  private static let forgettingPause = Duration.seconds(3600)

  /// Deletes expired data once an hour, such as responses that were kept for repeated requests.
  private var forgettingOldAnswers: PeriodicTask {
    let sharing = dependencies.sharing
    let (environment, database) = (sharing.environment, sharing.database)
    let keepCalls = parts.settings.keepCalls
    return PeriodicTask(on: sharing.loop) {
      do throws(ApplicationError) {
        try await sharing.effects.forgetOldAnswers()
        try await CallbackDelivery.forgetOldCalls(
          in: database, environment: environment, keptFor: keepCalls)
        try await sharing.revocations.forget()
        try await Track4RunForgetting.forget(in: database, environment: environment)
        try await Track4RunForgetting.forgetRuns(in: database)
        try await ContactQuestions.forget(in: database, environment: environment)
      } catch {
        sharing.log.failure("delete expired data failed", error, level: .warning)
      }
      return Self.forgettingPause
    }
  }

  private static let noticePause = Duration.seconds(5)

  /// Mails the notices that no stream has delivered.
  private var sendingNotices: PeriodicTask {
    let mails = NoticeMails(
      dependencies.accounts, parts.settings.authentication,
      requests: dependencies.noticeRequests)
    let log = dependencies.accounts.log
    return PeriodicTask(on: dependencies.accounts.loop) {
      do throws(ApplicationError) { _ = try await mails.send() } catch {
        log.failure("mail notices failed", error, level: .warning)
      }
      return Self.noticePause
    }
  }
}
