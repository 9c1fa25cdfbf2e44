import EventLoop
import Operations
import Postgres
import Runs
import ServiceKit

/// The values from which `LiveParts` creates the live part of one loop; `find` and `findNamed`
/// search for accounts at Data4Help.
package struct LiveDependencies: Sendable {
  let environment: Environment
  /// The database, which names the loop.
  let database: Database
  let effects: IdempotentEffects
  let links: PublicLinks
  let runnerNames: RunnerNames
  let runData: RunData
  let find: RunnerSearch.Find
  let findNamed: RunnerSearch.FindNamed
  let log: Log

  /// Collects the values of the loop of this database.
  package init(
    environment: Environment, database: Database, effects: IdempotentEffects, links: PublicLinks,
    runnerNames: RunnerNames, runData: RunData, find: @escaping RunnerSearch.Find,
    findNamed: @escaping RunnerSearch.FindNamed, log: Log
  ) {
    self.environment = environment
    self.database = database
    self.effects = effects
    self.links = links
    self.runnerNames = runnerNames
    self.runData = runData
    self.find = find
    self.findNamed = findNamed
    self.log = log
  }
}
