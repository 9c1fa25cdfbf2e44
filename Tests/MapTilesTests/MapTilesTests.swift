import EventLoop
import MapTiles
import Operations
import Requirements
import ServiceKit
import Support
import Synchronization
import Testing
import Time
import Webhooks

@Suite("Map tiles", .tags(.UI_11))
struct MapTilesTests {
  /// A tile server whose outcomes a test chooses, and that counts.
  private final class Server: Sendable {
    struct State {
      var outcome: CallbackOutcome
      var urls: [String] = []
      var held: [CheckedContinuation<Void, Never>] = []
      var isHolding = false
    }
    let state: Mutex<State>
    private let passed = Mutex(Duration.zero)

    init(_ outcome: CallbackOutcome) { state = Mutex(State(outcome: outcome)) }

    var urls: [String] { state.withLock { $0.urls } }
    var heldCount: Int { state.withLock { $0.held.count } }

    /// Lets time pass.
    func wait(_ duration: Duration) { passed.withLock { $0 += duration } }

    private var environment: Environment {
      let start = MonotonicClock.now
      var environment = Environment.system
      environment.monotonicNow = { start + self.passed.withLock { $0 } }
      return environment
    }

    func answers(_ outcome: CallbackOutcome) { state.withLock { $0.outcome = outcome } }

    /// Holds each fetch until `release`.
    func hold() { state.withLock { $0.isHolding = true } }

    func release() {
      let held = state.withLock { state in
        state.isHolding = false
        defer { state.held = [] }
        return state.held
      }
      for each in held { each.resume() }
    }

    func tiles(bytesMax: Int = MapTiles.bytesMax) throws -> MapTiles {
      let server = try #require(TileServer("https://tile.example/{z}/{x}/{y}.png?key=k"))
      return MapTiles(server, environment: environment, bytesMax: bytesMax) { url in
        await withCheckedContinuation { continuation in
          let isHeld = self.state.withLock { state in
            state.urls.append(url.text)
            if state.isHolding { state.held.append(continuation) }
            return state.isHolding
          }
          if !isHeld { continuation.resume() }
        }
        return self.state.withLock { $0.outcome }
      }
    }
  }

  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  private static func answer(_ bytes: [UInt8], status: Int = 200) -> CallbackOutcome {
    .answered(status: status, body: bytes, retryAfter: 0)
  }

  private static func address(_ zoom: Int, _ column: Int, _ row: Int) throws -> TileAddress {
    try #require(TileAddress(zoom: zoom, column: column, row: row))
  }

  @Test("a tile is requested once, by zoom, column and row, and kept for a week")
  func kept() async throws {
    let server = Server(Self.answer(Self.png))
    let tiles = try server.tiles()
    let place = try Self.address(3, 5, 2)
    #expect(try await tiles.tile(at: place).bytes == Self.png)
    #expect(try await tiles.tile(at: place).mediaType == "image/png")
    #expect(server.urls == ["https://tile.example/3/5/2.png?key=k"])
    server.wait(MapTiles.keptFor)
    #expect(try await tiles.tile(at: place).bytes == Self.png)
    #expect(server.urls.count == 2)
  }

  @Test("simultaneous requests of a tile share one request to the server")
  func shared() async throws {
    let server = Server(Self.answer(Self.png))
    server.hold()
    let tiles = try server.tiles()
    let place = try Self.address(1, 0, 1)
    try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for _ in 0..<20 { group.addTask { try await tiles.tile(at: place).bytes } }
      try await eventually("the fetch") { server.heldCount == 1 }
      server.release()
      for try await bytes in group { #expect(bytes == Self.png) }
    }
    #expect(server.urls.count == 1)
  }

  @Test("more simultaneous tiles than the limit are 503")
  func many() async throws {
    let server = Server(Self.answer(Self.png))
    server.hold()
    let tiles = try server.tiles()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for column in 0..<MapTiles.fetchesMax {
        let place = try Self.address(10, column, 0)
        group.addTask { _ = try await tiles.tile(at: place) }
      }
      try await eventually("all fetches") { server.heldCount == MapTiles.fetchesMax }
      let error = await #expect(throws: ApplicationError.self) {
        try await tiles.tile(at: try Self.address(10, 500, 0))
      }
      #expect(error?.reason == .unavailable)
      server.release()
      try await group.waitForAll()
    }
    #expect(server.urls.count == MapTiles.fetchesMax)
  }

  @Test("while the server fails an old tile is served, and a new one is not requested")
  func failing() async throws {
    let server = Server(Self.answer(Self.png))
    let tiles = try server.tiles()
    let old = try Self.address(2, 1, 1)
    _ = try await tiles.tile(at: old)
    server.wait(MapTiles.keptFor)
    server.answers(.failed(.connection))
    #expect(try await tiles.tile(at: old).bytes == Self.png)
    let new = try Self.address(2, 3, 3)
    let paused = await #expect(throws: ApplicationError.self) { try await tiles.tile(at: new) }
    #expect(paused?.reason == .unavailable)
    #expect(server.urls.count == 2)
    server.wait(MapTiles.pauseAfterFailure)
    let failed = await #expect(throws: ApplicationError.self) { try await tiles.tile(at: new) }
    #expect(failed?.reason == .upstreamFailed)
    #expect(server.urls.count == 3)
  }

  @Test(
    "a tile that the server does not have is 404 for as long as a tile is kept",
    arguments: [204, 404, 410])
  func missing(_ status: Int) async throws {
    let server = Server(Self.answer([], status: status))
    let tiles = try server.tiles()
    let place = try Self.address(2, 0, 0)
    for _ in 0..<2 {
      let error = await #expect(throws: ApplicationError.self) { try await tiles.tile(at: place) }
      #expect(error?.reason == .notFound)
    }
    #expect(server.urls.count == 1)
  }

  @Test("a tile that the server can't deliver stops no other one, and is not requested at once")
  func unusable() async throws {
    for outcome in [Self.answer(Array("<html>".utf8)), Self.answer([], status: 400)] {
      let server = Server(outcome)
      let tiles = try server.tiles()
      let place = try Self.address(4, 0, 0)
      let failed = await #expect(throws: ApplicationError.self) { try await tiles.tile(at: place) }
      #expect(failed?.reason == .upstreamFailed)
      let again = await #expect(throws: ApplicationError.self) { try await tiles.tile(at: place) }
      #expect(again?.reason == .notFound)
      #expect(server.urls.count == 1)
      server.answers(Self.answer(Self.png))
      #expect(try await tiles.tile(at: try Self.address(4, 1, 0)).bytes == Self.png)
      server.wait(MapTiles.unusableKeptFor)
      #expect(try await tiles.tile(at: place).bytes == Self.png)
    }
  }

  @Test("a busy server is not asked before the time that it names")
  func busy() async throws {
    let server = Server(.answered(status: 429, body: [], retryAfter: 60))
    let tiles = try server.tiles()
    let place = try Self.address(4, 0, 0)
    let failed = await #expect(throws: ApplicationError.self) { try await tiles.tile(at: place) }
    #expect(failed?.reason == .upstreamFailed)
    server.wait(.seconds(59))
    let paused = await #expect(throws: ApplicationError.self) { try await tiles.tile(at: place) }
    #expect(paused?.reason == .unavailable)
    #expect(server.urls.count == 1)
    server.wait(.seconds(1))
    _ = await #expect(throws: ApplicationError.self) { try await tiles.tile(at: place) }
    #expect(server.urls.count == 2)
  }

  @Test(
    "only PNG, JPEG and WebP of a limited size are served",
    arguments: [
      (Array("<script>".utf8), nil), (Array("<svg/>".utf8), nil), ([], nil),
      (MapTilesTests.png, "image/png"), ([0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg"),
      (Array("RIFF....WEBPVP8 ".utf8), "image/webp"), (Array("RIFF....WAVE".utf8), nil),
      (MapTilesTests.png + [UInt8](repeating: 0, count: MapTiles.tileBytesMax), nil),
    ] as [([UInt8], String?)])
  func kinds(bytes: [UInt8], mediaType: String?) async throws {
    let server = Server(Self.answer(bytes))
    let tiles = try server.tiles()
    let place = try Self.address(0, 0, 0)
    guard let mediaType else {
      let error = await #expect(throws: ApplicationError.self) { try await tiles.tile(at: place) }
      #expect(error?.reason == .upstreamFailed)
      return
    }
    #expect(try await tiles.tile(at: place).mediaType == mediaType)
  }

  @Test("the memory of tiles is bounded, and those that are read again stay")
  func bounded() async throws {
    let tile = Self.png + [UInt8](repeating: 7, count: 1_000)
    let server = Server(Self.answer(tile))
    let tiles = try server.tiles(bytesMax: 20 * 1_400)
    let favourite = try Self.address(9, 300, 300)
    for column in 0..<100 {
      _ = try await tiles.tile(at: favourite)
      _ = try await tiles.tile(at: try Self.address(9, column, 0))
    }
    #expect(server.urls.filter { $0.contains("/300/300") }.count == 1)
    #expect(server.urls.count == 101)
    // The first ones were dropped, the last ones were not.
    _ = try await tiles.tile(at: try Self.address(9, 99, 0))
    #expect(server.urls.count == 101)
    _ = try await tiles.tile(at: try Self.address(9, 0, 0))
    #expect(server.urls.count == 102)
  }

  @Test("a place outside the world is not a tile")
  func places() {
    let outside = [(0, 1, 0), (3, 8, 0), (3, 0, 8), (20, 0, 0), (-1, 0, 0), (2, -1, 0)]
    for (zoom, column, row) in outside {
      #expect(TileAddress(zoom: zoom, column: column, row: row) == nil)
    }
    #expect(TileAddress(zoom: 19, column: 524_287, row: 524_287) != nil)
  }

  @Test("a tile server needs its three places, and the note on the rights in its tiles")
  func settings() throws {
    func configured(_ variables: [String: String]) throws -> TileServer? {
      let (settings, _) = try Settings.load(arguments: [], environment: variables) {
        (_) throws(SystemError) in nil
      }
      return try TileServer.configured(settings)
    }
    let address = "https://tile.example/{z}/{x}/{y}.png"
    #expect(try configured([:]) == nil)
    #expect(
      try configured(["TRACKME_TILES_URL": address, "TRACKME_TILES_ATTRIBUTION": "© Somebody"])
        != nil)
    for wrong in [
      ["TRACKME_TILES_URL": address], ["TRACKME_TILES_ATTRIBUTION": "© Somebody"],
      ["TRACKME_TILES_URL": "https://tile.example/{z}/{x}", "TRACKME_TILES_ATTRIBUTION": "©"],
    ] {
      #expect(throws: SettingsError.self) { try configured(wrong) }
    }
  }
}
