import Accounts
import Cryptography
import Domain
import Emergencies
import EventLoop
import GroupStatistics
import HealthRecords
import Mail
import Operations
import Postgres
import ServiceKit
import Sharing

/// The dependencies of the modules on one loop, over one pair of databases. Only the composition of
/// the service holds them all.
package struct LoopDependencies: Sendable {
  /// Those of accounts.
  package let accounts: AccountsDependencies
  /// Those of health records.
  package let healthRecords: HealthRecordsDependencies
  /// Those of sharing.
  package let sharing: SharingDependencies
  /// Those of group statistics.
  package let groupStatistics: GroupStatisticsDependencies
  /// Those of emergencies.
  package let emergencies: EmergenciesDependencies

  private init(_ sharing: SharingDependencies) {
    self.sharing = sharing
    accounts = AccountsDependencies(
      loop: sharing.loop, environment: sharing.environment, database: sharing.database,
      accountKeys: sharing.accountKeys, root: sharing.root, effects: sharing.effects,
      locales: sharing.locales, zone: sharing.zone, mailQueue: sharing.mailQueue,
      notices: sharing.notices, log: sharing.log, metrics: sharing.metrics)
    healthRecords = HealthRecordsDependencies(
      loop: sharing.loop, environment: sharing.environment, database: sharing.database,
      accountKeys: sharing.accountKeys, root: sharing.root, effects: sharing.effects,
      zone: sharing.zone, notices: sharing.notices, recipients: sharing.events,
      relayWakeUp: sharing.relayWakeUp, log: sharing.log)
    groupStatistics = GroupStatisticsDependencies(
      loop: sharing.loop, environment: sharing.environment, database: sharing.database,
      accountKeys: sharing.accountKeys, root: sharing.root, effects: sharing.effects,
      zone: sharing.zone, log: sharing.log, metrics: sharing.metrics)
    emergencies = EmergenciesDependencies(
      loop: sharing.loop, environment: sharing.environment, database: sharing.database,
      accountKeys: sharing.accountKeys, root: sharing.root, effects: sharing.effects,
      locales: sharing.locales, zone: sharing.zone, mailQueue: sharing.mailQueue,
      notices: sharing.notices, events: sharing.events, log: sharing.log, metrics: sharing.metrics)
  }

  /// The dependencies of one loop; the signals are those of the process.
  init(
    loop: EventLoop, environment: Environment, database: Database, keysDatabase: Database,
    masterKeys: MasterKeyRing, root: RootSecret, timeZones: TimeZones, mailWakeUp: WakeUpSignal,
    streamWakeUp: WakeUpSignal, pushWakeUp: WakeUpSignal, relayWakeUp: RelayWakeUpSignal,
    revocationWakeUp: WakeUpSignal,
    fences: RevocationFences, downloads: DownloadSlots,
    log: Log, metrics: Metrics
  ) {
    let accountKeys = AccountKeys(
      database: keysDatabase, masterKeys: masterKeys, environment: environment, on: loop, log: log,
      metrics: metrics)
    let notices = Notices(
      accountKeys: accountKeys, environment: environment, wakeUp: streamWakeUp,
      pushWakeUp: pushWakeUp)
    self.init(
      SharingDependencies(
        loop: loop, environment: environment, database: database, keysDatabase: keysDatabase,
        accountKeys: accountKeys, root: root,
        effects: IdempotentEffects(database: database, root: root, environment: environment),
        locales: AccountLocales(timeZones: timeZones), zone: timeZones.standard,
        mailQueue: MailQueue(root: root, wakeUp: mailWakeUp, on: loop), notices: notices,
        events: ThirdPartyEvents(environment: environment, wakeUp: streamWakeUp, notices: notices),
        deletedAccounts: DeletedAccountSeal(root: root, environment: environment, on: loop),
        streamWakeUp: streamWakeUp, relayWakeUp: relayWakeUp,
        revocations: Revocations(
          database, environment: environment, on: loop, wakeUp: revocationWakeUp),
        fences: fences,
        fence: fences.add(on: loop), turns: DeliveryTurns(on: loop), downloads: downloads,
        log: log, metrics: metrics))
  }

  /// The same dependencies over other, reserved connections to the same databases, so that ordinary
  /// load can't delay their users (decision 0022).
  func over(_ database: Database, keys: Database) -> LoopDependencies {
    let accountKeys = sharing.accountKeys.over(keys)
    let notices = Notices(
      accountKeys: accountKeys, environment: sharing.environment, wakeUp: sharing.streamWakeUp,
      pushWakeUp: sharing.notices.pushWakeUp)
    return LoopDependencies(
      SharingDependencies(
        loop: sharing.loop, environment: sharing.environment, database: database,
        keysDatabase: keys,
        accountKeys: accountKeys, root: sharing.root,
        effects: IdempotentEffects(
          database: database, root: sharing.root, environment: sharing.environment),
        locales: sharing.locales, zone: sharing.zone, mailQueue: sharing.mailQueue,
        notices: notices,
        events: ThirdPartyEvents(
          environment: sharing.environment, wakeUp: sharing.streamWakeUp, notices: notices),
        deletedAccounts: sharing.deletedAccounts, streamWakeUp: sharing.streamWakeUp,
        relayWakeUp: sharing.relayWakeUp, revocations: sharing.revocations, fences: sharing.fences,
        fence: sharing.fence, turns: sharing.turns, downloads: sharing.downloads,
        log: sharing.log, metrics: sharing.metrics))
  }

  /// The accounts of this database.
  package var directory: AccountDirectory {
    AccountDirectory(
      database: accounts.database, accountKeys: accounts.accountKeys, root: accounts.root,
      log: accounts.log)
  }

  /// The requests that notices are about.
  package var noticeRequests: NoticeRequests {
    NoticeRequests(
      environment: sharing.environment, database: sharing.database, log: sharing.log,
      directory: directory)
  }

  /// The messages to hospitals in sequences.
  func emergencyDeliveries(_ settings: EmergencySettings) -> EmergencyDeliveries {
    EmergencyDeliveries(
      database: emergencies.database, accountKeys: emergencies.accountKeys, settings)
  }
}
