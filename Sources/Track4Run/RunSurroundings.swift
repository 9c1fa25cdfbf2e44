import Domain
import EventLoop
import Operations
import Postgres
import Privacy
import Services

/// The dependencies of all parts of Track4Run. One per event loop.
struct RunSurroundings: Sendable {
  /// Clock and randomness.
  let world: World
  /// The database.
  let database: Database
  /// Transactions, with an `Idempotency-Key` or without.
  let effects: IdempotentEffects
  /// Makes routes of endpoints.
  let routes = EndpointRoutes()
  /// The time zone that delimits days.
  let zone: TimeZoneRules
  /// The names chosen by runners.
  let runnerNames: RunnerNames
  /// The cache of course previews.
  let previews: LoopBound<CoursePreviews>
  /// The public URLs of runs.
  let links: PublicLinks
  /// The data shared by runners.
  let runData: RunData
  /// Reports unreadable rows.
  let unreadable: UnreadableRows
  /// The blind index of invited addresses.
  let invitedAddresses: BlindIndex
  /// The client of Data4Help.
  var data4help: Data4HelpClient
  /// The orders to Data4Help.
  let outbox: Outbox
  /// The check-ins of runs.
  let checkIns: CheckIns
  /// The log for the operator.
  let log: Log
  /// The metrics of the synchronisation with Data4Help.
  let metrics: OutboxMetrics

  /// Creates the dependencies of one loop; the bell is that of the process.
  init(
    world: World, database: Database, root: RootSecret, zone: TimeZoneRules, links: PublicLinks,
    data4help: Data4HelpClient, bell: Bell, log: Log, metrics: Metrics, on loop: EventLoop
  ) {
    self.world = world
    self.database = database
    effects = IdempotentEffects(database: database, root: root, world: world)
    self.zone = zone
    previews = LoopBound(CoursePreviews(), on: loop)
    self.links = links
    unreadable = UnreadableRows(log: log, metrics: metrics, on: loop)
    runnerNames = RunnerNames(root: root, unreadable: unreadable, on: loop)
    runData = RunData(root: root, unreadable: unreadable, on: loop)
    invitedAddresses = BlindIndex(.invitedAddress, root: root)
    self.data4help = data4help
    outbox = Outbox(root: root, world: world, bell: bell, on: loop)
    checkIns = CheckIns(root: root, world: world, outbox: outbox)
    self.log = log
    self.metrics = OutboxMetrics(metrics)
  }
}
