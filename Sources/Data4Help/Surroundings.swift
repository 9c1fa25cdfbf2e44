import Delivery
import Domain
import EventLoop
import Operations
import Postgres
import Privacy
import Services

/// The dependencies of every part of Data4Help. One per event loop.
package struct Surroundings: Sendable {
  /// The loop that everything runs on.
  package let loop: EventLoop
  /// The clock and the randomness.
  package let world: World
  /// The database of the data.
  package private(set) var database: Database
  /// The database of the account keys, and of the anchors of the records of accesses.
  package private(set) var keysDatabase: Database
  /// The keys of accounts.
  package private(set) var accountKeys: AccountKeys
  /// The secret that server keys derive from.
  package let root: RootSecret
  /// Transactions, with an `Idempotency-Key` or without.
  package private(set) var effects: IdempotentEffects
  /// Makes routes of endpoints.
  package let routes: EndpointRoutes
  /// The installed time zones.
  package let timeZones: TimeZones
  /// The queue of outgoing mail.
  package let mails: MailQueue
  /// Writes notices to accounts.
  package private(set) var notices: Notices
  /// Appends events to the sequences of third parties.
  package private(set) var events: ThirdPartyEvents
  /// Seals the numbers of deleted accounts for Track4Run.
  let deletedAccounts: DeletedAccountSeal
  /// Wakes the streams of the process.
  let streamBell: Bell
  /// Wakes the relay of the process.
  package let relayBell: RelayBell
  /// Recalls deliveries of ended requests.
  let recalls: Recalls
  /// The fences of all loops of the process.
  let fences: DeliveryFences
  /// The fence of this loop.
  package let fence: LoopBound<DeliveryFence>
  /// The log.
  package let log: Log
  /// The metrics.
  package let metrics: Metrics

  /// The surroundings of one loop; the bells are those of the process.
  package init(
    loop: EventLoop, world: World, database: Database, keysDatabase: Database,
    masterKeys: MasterKeyRing, root: RootSecret, timeZones: TimeZones,
    mailBell: Bell = Bell(), streamBell: Bell = Bell(),
    relayBell: RelayBell = RelayBell(), recallBell: RecallBell = RecallBell(),
    fences: DeliveryFences = DeliveryFences(), log: Log, metrics: Metrics = Metrics()
  ) {
    self.loop = loop
    self.world = world
    self.database = database
    self.keysDatabase = keysDatabase
    self.accountKeys = AccountKeys(
      database: keysDatabase, masterKeys: masterKeys, world: world, on: loop, log: log,
      metrics: metrics)
    self.root = root
    self.effects = IdempotentEffects(database: database, root: root, world: world)
    self.routes = EndpointRoutes()
    self.timeZones = timeZones
    self.mails = MailQueue(root: root, bell: mailBell, on: loop)
    self.notices = Notices(accountKeys: accountKeys, world: world, bell: streamBell)
    self.events = ThirdPartyEvents(world: world, bell: streamBell, notices: notices)
    self.deletedAccounts = DeletedAccountSeal(root: root, world: world, on: loop)
    self.streamBell = streamBell
    self.relayBell = relayBell
    self.fences = fences
    fence = fences.add(on: loop)
    recalls = Recalls(database, world: world, on: loop, bell: recallBell)
    self.log = log
    self.metrics = metrics
  }

  /// The same surroundings over other, reserved connections to the same databases, so that ordinary
  /// load can't delay their users (decision 0022).
  package func over(_ database: Database, keys: Database) -> Surroundings {
    var reserved = self
    reserved.database = database
    reserved.keysDatabase = keys
    reserved.accountKeys = accountKeys.over(keys)
    reserved.effects = IdempotentEffects(database: database, root: root, world: world)
    reserved.notices = Notices(accountKeys: reserved.accountKeys, world: world, bell: streamBell)
    reserved.events = ThirdPartyEvents(world: world, bell: streamBell, notices: reserved.notices)
    return reserved
  }

  /// The time zone of the installation, which defines a day.
  package var zone: TimeZoneRules { timeZones.standard }

  /// The present calendar day.
  var today: CalendarDate { zone.day(of: world.now().timestamp) }
}
