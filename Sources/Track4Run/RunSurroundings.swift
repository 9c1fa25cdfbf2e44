import Domain
import EventLoop
import Postgres
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
  /// Where everybody finds what is shown of a run.
  let links: PublicLinks
  /// What runners share in runs.
  let runData: RunData
  /// Where Data4Help is asked.
  let data4help: Data4HelpClient
}
