import Accounts
import Cryptography
import Domain
import Emergencies
import EventLoop
import HealthRecords
import Operations
import ServiceKit
import Sharing
import Telephony
import Webhooks

/// The parts that all loops of a Data4Help process share. Only the composition of the service holds
/// them; a component gets those it uses.
package struct ProcessParts: Sendable {
  let settings: LoopSettings
  let environment: Environment
  let log: Log
  let metrics: Metrics
  let root: RootSecret
  let masterKeys: MasterKeyRing
  let timeZones: TimeZones
  let passwords: PasswordPool
  let counting: BlockingPool
  let callbacks: CallbackPoster
  let push: PushSender
  let payments: PaymentTerms
  let personNoise: PersonNoise
  let noise: ReleaseNoise
  let voices: EmergencyVoices
  let journal: AbortJournal
  let fences: RevocationFences
  let copies: OfflineEmergencies
  let monitoring: Monitoring
  let broadcaster = AlarmBroadcaster()
  let mailWakeUp = WakeUpSignal()
  let streamWakeUp = WakeUpSignal()
  let pushWakeUp = WakeUpSignal()
  let relayWakeUp = RelayWakeUpSignal()
  let recentAccounts = RecentAccounts()
  let revocationWakeUp = WakeUpSignal()
  let importWakeUp = WakeUpSignal()
  let exportSlots = ExportSlots()
  let downloads = DownloadSlots()

  /// The parts of one process: `passwords` hashes, `counting` counts groups, `callbacks` calls
  /// third parties, `push` sends to browsers, `journal` stores aborts while the database is
  /// unavailable, and `copiesMax` is the largest number of emergencies that the process continues
  /// meanwhile.
  package init(
    _ settings: LoopSettings, environment: Environment, log: Log, metrics: Metrics = Metrics(),
    root: RootSecret, masterKeys: MasterKeyRing, timeZones: TimeZones, passwords: PasswordPool,
    counting: BlockingPool, callbacks: CallbackPoster, push: PushSender, payments: PaymentTerms,
    personNoise: PersonNoise, noise: ReleaseNoise, voices: EmergencyVoices, journal: AbortJournal,
    fences: RevocationFences, copiesMax: Int = OfflineEmergencies.countMax
  ) {
    self.settings = settings
    self.environment = environment
    self.log = log
    self.metrics = metrics
    self.root = root
    self.masterKeys = masterKeys
    self.timeZones = timeZones
    self.passwords = passwords
    self.counting = counting
    self.callbacks = callbacks
    self.push = push
    self.payments = payments
    self.personNoise = personNoise
    self.noise = noise
    self.voices = voices
    self.journal = journal
    self.fences = fences
    copies = OfflineEmergencies(countMax: copiesMax)
    monitoring = Monitoring(settings.emergencies)
  }
}
