// MapTiles: the background of maps. Tiles are fetched from the operator's tile server and kept in
// bounded memory, so that the tile server never learns who looks at which place. Without a tile
// server there are none.

import EventLoop
import Operations
import ServiceKit
import Synchronization
import Time
import Webhooks

/// The tiles of maps, shared by all loops of a process.
package final class MapTiles: Sendable {
  /// Requests the URL of a tile.
  package typealias Fetch = @Sendable (CallbackURL) async -> CallbackOutcome

  /// The most bytes of a tile; usual ones have a tenth of it.
  package static let tileBytesMax = 256 << 10
  /// The most bytes of all kept tiles.
  package static let bytesMax = 64 << 20
  /// How long a tile is served without another request (OpenStreetMap's tile usage policy demands
  /// at least seven days).
  package static let keptFor = Duration.seconds(7 * 86_400)
  /// The most simultaneous requests to the tile server.
  package static let fetchesMax = 32
  /// The most requests of clients that wait for the same fetches.
  package static let waitersMax = 4_000
  /// How long no tile is requested after the server failed, if it asks for no longer pause.
  package static let pauseAfterFailure = Duration.seconds(5)
  /// The longest pause that the server can ask for.
  private static let pauseMax = Duration.seconds(3600)
  /// How long a single tile that the server can't deliver is not requested again.
  package static let unusableKeptFor = Duration.seconds(60)

  private typealias Waiter = CheckedContinuation<Result<MapTile, ApplicationError>, Never>

  private struct State {
    var kept: TileCache
    var pending: [TileAddress: [Waiter]] = [:]
    var waiterCount = 0
    var pausedUntil: MonotonicInstant?
    /// The next time at which a failure is logged.
    var quietUntil: MonotonicInstant?
  }

  /// What an answer of the server means.
  private enum Judgement {
    /// A tile; nil if the server has none.
    case tile(MapTile?)
    /// This tile can't be delivered; others may be.
    case unusable(StaticString)
    /// The server fails, or refuses this program.
    case failed(StaticString, pause: Duration)
  }

  /// How a request proceeds.
  private enum Turn {
    /// With a known result.
    case answer(Result<MapTile, ApplicationError>)
    /// By waiting for the fetch of another request.
    case wait
    /// By a fetch; the old tile is served if that fails.
    case fetch(old: MapTile?)
  }

  private let server: TileServer
  private let fetch: Fetch
  private let environment: Environment
  private let log: Log
  private let fetched: Counter
  private let state: Mutex<State>

  /// Tiles of this server, requested by `fetch`.
  package init(
    _ server: TileServer, environment: Environment, log: Log = .none,
    metrics: Metrics = Metrics(), bytesMax: Int = MapTiles.bytesMax, fetch: @escaping Fetch
  ) {
    self.server = server
    self.fetch = fetch
    self.environment = environment
    self.log = log
    fetched = metrics.counter(
      "trackme_track4run_tiles_fetched_total", "Map tiles requested from the tile server.")
    state = Mutex(State(kept: TileCache(bytesMax: bytesMax)))
  }

  /// A tile, kept or fetched. Simultaneous requests of one tile share one fetch.
  ///
  /// - Throws: 404 if the server has no such tile, 502 for an unusable one, 503 while the server
  ///   fails or too many tiles are requested.
  package func tile(at address: TileAddress) async throws(ApplicationError) -> MapTile {
    switch state.withLock({ turn(of: address, &$0) }) {
    case .answer(let result): return try result.get()
    case .wait: return try await waitForFetch(of: address).get()
    case .fetch(let old):
      let outcome = await request(address)
      let (result, waiters) = state.withLock { finish(address, outcome, old: old, &$0) }
      for waiter in waiters { waiter.resume(returning: result) }
      return try result.get()
    }
  }

  private func turn(of address: TileAddress, _ state: inout State) -> Turn {
    let now = environment.monotonicNow()
    let entry = state.kept.entry(of: address)
    if let entry, now < entry.keptUntil { return .answer(Self.result(entry)) }
    if state.pending[address] != nil { return .wait }
    let isPaused = state.pausedUntil.map { now < $0 } ?? false
    guard !isPaused, state.pending.count < Self.fetchesMax else {
      return .answer(entry.map(Self.result) ?? .failure(.unavailable(retryAfter: 5)))
    }
    state.pending[address] = []
    return .fetch(old: entry?.tile)
  }

  private func waitForFetch(of address: TileAddress) async -> Result<MapTile, ApplicationError> {
    await withCheckedContinuation { (waiter: Waiter) in
      let known = state.withLock { state -> Result<MapTile, ApplicationError>? in
        guard state.pending[address] != nil, state.waiterCount < Self.waitersMax else {
          // The fetch ended in between, or too many wait.
          return state.kept.entry(of: address).map(Self.result)
            ?? .failure(.unavailable(retryAfter: 1))
        }
        state.pending[address]?.append(waiter)
        state.waiterCount += 1
        return nil
      }
      if let known { waiter.resume(returning: known) }
    }
  }

  private static func result(_ entry: TileCache.Entry) -> Result<MapTile, ApplicationError> {
    entry.tile.map { .success($0) } ?? .failure(.notFound("The tile server has no such tile."))
  }

  private func request(_ address: TileAddress) async -> CallbackOutcome {
    guard let url = server.url(of: address) else { return .failed(.name) }
    fetched.increment()
    return await fetch(url)
  }

  /// Stores the outcome of a fetch, and returns it with the requests that wait for it.
  private func finish(
    _ address: TileAddress, _ outcome: CallbackOutcome, old: MapTile?, _ state: inout State
  ) -> (Result<MapTile, ApplicationError>, [Waiter]) {
    let waiters = state.pending.removeValue(forKey: address) ?? []
    state.waiterCount -= waiters.count
    let now = environment.monotonicNow()
    let problem: StaticString
    switch Self.judge(outcome) {
    case .tile(let tile):
      let entry = TileCache.Entry(tile: tile, keptUntil: now + Self.keptFor)
      state.kept.keep(entry, of: address)
      return (Self.result(entry), waiters)
    case .unusable(let cause):
      problem = cause
      let entry = TileCache.Entry(tile: old, keptUntil: now + Self.unusableKeptFor)
      state.kept.keep(entry, of: address)
    case .failed(let cause, let pause):
      problem = cause
      state.pausedUntil = max(state.pausedUntil ?? now, now + pause)
    }
    if state.quietUntil.map({ $0 <= now }) ?? true {
      state.quietUntil = now + Self.pauseAfterFailure
      log.warning("fetch map tile failed", [.constant("cause", problem)])
    }
    let failure = ApplicationError(.upstreamFailed, cause: "The tile server: \(problem).")
    return (old.map { .success($0) } ?? .failure(failure), waiters)
  }

  /// A client can request any tile: an answer that may concern that tile alone must not stop the
  /// requests of all others.
  private static func judge(_ outcome: CallbackOutcome) -> Judgement {
    switch outcome {
    case .answered(200, let bytes, _):
      if bytes.count < tileBytesMax, let tile = MapTile(bytes) { return .tile(tile) }
      return .unusable("no picture, or too large")
    // Some servers answer 204 for a tile without content.
    case .answered(204, _, _), .answered(404, _, _), .answered(410, _, _): return .tile(nil)
    case .answered(400, _, _): return .unusable("refused tile")
    case .answered(_, _, let retryAfter):
      let asked = min(Duration.seconds(retryAfter), pauseMax)
      return .failed("refused by the server", pause: max(pauseAfterFailure, asked))
    case .failed: return .failed("no answer", pause: pauseAfterFailure)
    }
  }
}
