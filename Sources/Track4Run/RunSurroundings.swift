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
  /// Where Data4Help is asked.
  let data4help: Data4HelpClient
}
