import Domain
import EventLoop
import Operations
import Postgres
import Privacy
import Services

/// What every part of Track4Run needs of its surroundings. One per event loop.
struct RunSurroundings: Sendable {
  /// Time and chance.
  let world: World
  /// The data.
  let database: Database
  /// Transactions, with an `Idempotency-Key` or without.
  let effects: IdempotentEffects
  /// Makes routes of endpoints.
  let routes = EndpointRoutes()
  /// What a day is.
  let zone: TimeZoneRules
  /// What runners call themselves.
  let runnerNames: RunnerNames
  /// The previews of courses that were drawn lately.
  let previews: LoopBound<CoursePreviews>
  /// Where everybody finds what is shown of a run.
  let links: PublicLinks
  /// What runners share in runs.
  let runData: RunData
  /// Rows that are not as they were stored.
  let unreadable: UnreadableRows
  /// How the addresses that were invited stand in the database.
  let invitedAddresses: BlindIndex
  /// Where Data4Help is asked.
  var data4help: Data4HelpClient
  /// What Data4Help is to do.
  let outbox: Outbox
  /// The check-ins of runs.
  let checkIns: CheckIns
  /// Where to say what an operator should know.
  let log: Log
  /// Where to count what an operator should know.
  let metrics: OutboxMetrics

  /// The surroundings of one loop; the bell is that of the process.
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
