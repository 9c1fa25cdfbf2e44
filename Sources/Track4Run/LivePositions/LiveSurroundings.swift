import EventLoop
import HTTP
import Operations
import Postgres
import Privacy
import Services

/// What the live part needs of its surroundings. One per event loop.
package struct LiveSurroundings: Sendable {
  /// The loop.
  let loop: EventLoop
  /// Time and chance.
  let world: World
  /// The data.
  let database: Database
  /// Transactions, with an `Idempotency-Key` or without.
  let effects: IdempotentEffects
  /// Makes routes of endpoints.
  let routes = EndpointRoutes()
  /// Where everybody finds what is shown of a run.
  let links: PublicLinks
  /// What runners call themselves.
  let runnerNames: RunnerNames
  /// What runners share in runs.
  package let runData: RunData
  /// Rows that are not as they were stored.
  let unreadable: UnreadableRows
  /// Whose account an email or fiscal code is.
  let find: RunnerSearch.Find
  /// Whose full name it is.
  let findNamed: RunnerSearch.FindNamed
  /// Where to say what an operator should know.
  let log: Log

  /// Surroundings of a loop whose database this is, with keys that derive from the server's secret.
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

  /// The same as the rest of the service has on this loop.
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
