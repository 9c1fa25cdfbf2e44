import Accounts
import Cryptography
import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit

/// The dependencies of the larger parts of health records. One per event loop.
package struct HealthRecordsDependencies: Sendable {
  /// The loop that everything runs on.
  package let loop: EventLoop
  /// The clock and the randomness.
  package let environment: Environment
  /// The database of the data.
  package let database: Database
  /// The keys of accounts.
  package let accountKeys: AccountKeys
  /// The secret that server keys derive from.
  package let root: RootSecret
  /// Transactions, with an `Idempotency-Key` or without.
  package let effects: IdempotentEffects
  /// The time zone of the installation, which defines a day.
  package let zone: TimeZoneRules
  /// Writes notices to accounts.
  package let notices: Notices
  /// Notifies the recipients of data of changes to it.
  package let recipients: any DataRecipients
  /// Wakes the relay of the process.
  package let relayWakeUp: RelayWakeUpSignal
  /// The log.
  package let log: Log

  /// The dependencies of one loop.
  package init(
    loop: EventLoop, environment: Environment, database: Database, accountKeys: AccountKeys,
    root: RootSecret,
    effects: IdempotentEffects, zone: TimeZoneRules, notices: Notices,
    recipients: any DataRecipients, relayWakeUp: RelayWakeUpSignal, log: Log
  ) {
    self.loop = loop
    self.environment = environment
    self.database = database
    self.accountKeys = accountKeys
    self.root = root
    self.effects = effects
    self.zone = zone
    self.notices = notices
    self.recipients = recipients
    self.relayWakeUp = relayWakeUp
    self.log = log
  }
}
