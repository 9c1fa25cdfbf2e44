import EventLoop
import HTTP
import Operations
import Postgres
import Privacy
import Services

/// The dependencies of the live part. One per event loop.
package struct LiveSurroundings: Sendable {
  /// The loop.
  let loop: EventLoop
  /// Clock and randomness.
  let world: World
  /// The database.
  let database: Database
  /// Transactions, with an `Idempotency-Key` or without.
  let effects: IdempotentEffects
  /// Makes routes of endpoints.
  let routes = EndpointRoutes()
  /// The public URLs of runs.
  let links: PublicLinks
  /// The names chosen by runners.
  let runnerNames: RunnerNames
  /// The data shared by runners.
  package let runData: RunData
  /// Reports unreadable rows.
  let unreadable: UnreadableRows
  /// Finds the account of an email or fiscal code.
  let find: RunnerSearch.Find
  /// Finds the accounts with a full name.
  let findNamed: RunnerSearch.FindNamed
  /// The log for the operator.
  let log: Log

  /// The dependencies of a loop with this database, with keys that derive from the server's secret.
  package init(
    world: World, database: Database, root: RootSecret, links: PublicLinks, log: Log,
    metrics: Metrics = Metrics(), on loop: EventLoop, find: @escaping RunnerSearch.Find,
    findNamed: @escaping RunnerSearch.FindNamed
  ) {
    self.loop = loop
    self.world = world
    self.database = database
    effects = IdempotentEffects(database: database, root: root, world: world)
    self.links = links
    unreadable = UnreadableRows(log: log, metrics: metrics, on: loop)
    runnerNames = RunnerNames(root: root, unreadable: unreadable, on: loop)
    runData = RunData(root: root, unreadable: unreadable, on: loop)
    self.find = find
    self.findNamed = findNamed
    self.log = log
  }

  /// Shares the dependencies of the rest of the service on this loop.
  init(_ surroundings: RunSurroundings, log: Log, on loop: EventLoop) {
    self.loop = loop
    world = surroundings.world
    database = surroundings.database
    effects = surroundings.effects
    links = surroundings.links
    runnerNames = surroundings.runnerNames
    runData = surroundings.runData
    unreadable = surroundings.unreadable
    let data4help = surroundings.data4help
    find = { (known) throws(ApplicationError) in try await data4help.account(of: known) }
    findNamed = { (name, accounts) throws(ApplicationError) in
      try await data4help.people(named: name, among: accounts)
    }
    self.log = log
  }
}
