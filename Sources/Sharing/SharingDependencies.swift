import Accounts
import Cryptography
import Domain
import EventLoop
import HealthRecords
import Mail
import Operations
import Postgres
import ServiceKit

/// The dependencies of the larger parts of sharing. One per event loop.
package struct SharingDependencies: Sendable {
  /// The loop that everything runs on.
  package let loop: EventLoop
  /// The clock and the randomness.
  package let environment: Environment
  /// The database of the data.
  package let database: Database
  /// The database of the account keys, and of the checkpoints of the records of accesses.
  package let keysDatabase: Database
  /// The keys of accounts.
  package let accountKeys: AccountKeys
  /// The secret that server keys derive from.
  package let root: RootSecret
  /// Transactions, with an `Idempotency-Key` or without.
  package let effects: IdempotentEffects
  /// The locales of texts to accounts.
  package let locales: AccountLocales
  /// The time zone of the installation, which defines a day.
  package let zone: TimeZoneRules
  /// The queue of outgoing mail.
  package let mailQueue: MailQueue
  /// Writes notices to accounts.
  package let notices: Notices
  /// Appends events to the sequences of third parties.
  package let events: ThirdPartyEvents
  /// Seals the numbers of deleted accounts for Track4Run.
  package let deletedAccounts: DeletedAccountSeal
  /// Wakes the streams of the process.
  package let streamWakeUp: WakeUpSignal
  /// Wakes the relay of the process.
  package let relayWakeUp: RelayWakeUpSignal
  /// Revokes deliveries of ended requests.
  package let revocations: Revocations
  /// The fences of all loops of the process.
  package let fences: RevocationFences
  /// The fence of this loop.
  package let fence: LoopBound<RevocationFence>
  /// The turns of this loop's deliveries.
  package let turns: DeliveryTurns
  /// The slots of the process for open downloads.
  package let downloads: DownloadSlots
  /// The log.
  package let log: Log
  /// The metrics.
  package let metrics: Metrics

  /// The dependencies of one loop.
  package init(
    loop: EventLoop, environment: Environment, database: Database, keysDatabase: Database,
    accountKeys: AccountKeys, root: RootSecret, effects: IdempotentEffects, locales: AccountLocales,
    zone: TimeZoneRules, mailQueue: MailQueue, notices: Notices, events: ThirdPartyEvents,
    deletedAccounts: DeletedAccountSeal, streamWakeUp: WakeUpSignal, relayWakeUp: RelayWakeUpSignal,
    revocations: Revocations,
    fences: RevocationFences, fence: LoopBound<RevocationFence>, turns: DeliveryTurns,
    downloads: DownloadSlots, log: Log, metrics: Metrics
  ) {
    self.loop = loop
    self.environment = environment
    self.database = database
    self.keysDatabase = keysDatabase
    self.accountKeys = accountKeys
    self.root = root
    self.effects = effects
    self.locales = locales
    self.zone = zone
    self.mailQueue = mailQueue
    self.notices = notices
    self.events = events
    self.deletedAccounts = deletedAccounts
    self.streamWakeUp = streamWakeUp
    self.relayWakeUp = relayWakeUp
    self.revocations = revocations
    self.fences = fences
    self.fence = fence
    self.turns = turns
    self.downloads = downloads
    self.log = log
    self.metrics = metrics
  }
}
