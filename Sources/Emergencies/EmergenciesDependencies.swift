import Accounts
import Cryptography
import Domain
import EventLoop
import Mail
import Operations
import Postgres
import ServiceKit
import Sharing

/// The dependencies of the larger parts of emergencies. One per event loop, and one over the
/// connections that are reserved for emergencies.
package struct EmergenciesDependencies: Sendable {
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
  /// The log.
  package let log: Log
  /// The metrics.
  package let metrics: Metrics

  /// The dependencies of one loop.
  package init(
    loop: EventLoop, environment: Environment, database: Database, accountKeys: AccountKeys,
    root: RootSecret,
    effects: IdempotentEffects, locales: AccountLocales, zone: TimeZoneRules, mailQueue: MailQueue,
    notices: Notices, events: ThirdPartyEvents, log: Log, metrics: Metrics
  ) {
    self.loop = loop
    self.environment = environment
    self.database = database
    self.accountKeys = accountKeys
    self.root = root
    self.effects = effects
    self.locales = locales
    self.zone = zone
    self.mailQueue = mailQueue
    self.notices = notices
    self.events = events
    self.log = log
    self.metrics = metrics
  }

  /// The present calendar day.
  var today: CalendarDate { zone.day(of: environment.now()) }
}
