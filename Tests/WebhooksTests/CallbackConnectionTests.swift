import EventLoop
import Requirements
import Support
import Synchronization
import Testing
import Webhooks

@Suite("Connections of callbacks")
struct CallbackConnectionTests {
  /// A DNS zone in which `callback.test` resolves to a changeable address.
  private final class Zone: Sendable {
    private let address = Mutex("127.0.0.1")
    let port: UInt16

    init(port: UInt16) { self.port = port }

    var names: [String] { ["callback.test:\(port):\(address.withLock { $0 })"] }
    func move(to address: String) { self.address.withLock { $0 = address } }
  }

  /// A poster that may only connect to 127.0.0.1 and resolves names in this zone.
  private static func poster(
    _ zone: Zone, choosing choose: (inout CallbackPoster.Settings) -> Void = { _ in }
  ) throws -> CallbackPoster {
    let allowed = try #require(AddressRange("127.0.0.1/32"))
    var settings = CallbackPoster.Settings(addresses: CallbackAddresses(allowed: [allowed]))
    choose(&settings)
    return try CallbackPoster(settings) { zone.names }
  }

  private static func call(_ zone: Zone) throws -> CallbackCall {
    let url = try #require(CallbackURL("http://callback.test:\(zone.port)/"))
    return CallbackCall(url: url, headers: ["expect:"], body: [0x7B, 0x7D])
  }

  /// Keeps connections for longer than any test takes.
  private static func forADay(_ settings: inout CallbackPoster.Settings) {
    settings.idleSeconds = 86_400
    settings.connectionSeconds = 86_400
  }

  private static func call(at server: CallbackServer) throws -> CallbackCall {
    let url = try #require(CallbackURL("http://127.0.0.1:\(server.port)/"))
    return CallbackCall(url: url, headers: ["expect:"], body: [0x7B, 0x7D])
  }

  private static let taken = CallbackOutcome.answered(status: 204, body: [], retryAfter: 0)

  @Test("a call without a body is a GET, and reads as much as the settings permit")
  func getting() async throws {
    let text = String(repeating: "x", count: 300)
    let lines = Mutex<[String]>([])
    let listener = try LoopbackListener { connection in
      while let line = connection.readLine(), !line.isEmpty { lines.withLock { $0.append(line) } }
      connection.say("HTTP/1.1 200 OK\r\ncontent-length: 300\r\n\r\n\(text)")
    }
    defer { listener.stop() }
    let allowed = try #require(AddressRange("127.0.0.1/32"))
    var settings = CallbackPoster.Settings(addresses: CallbackAddresses(allowed: [allowed]))
    settings.answerBytesMax = 200
    let poster = try CallbackPoster(settings)
    defer { poster.stop() }
    let url = try #require(CallbackURL("http://127.0.0.1:\(listener.port)/1/2/3.png?a=b"))
    let outcome = await poster.post(CallbackCall(getting: url, headers: ["user-agent: TrackMe"]))
    let body = Array(text.utf8.prefix(200))
    #expect(outcome == .answered(status: 200, body: body, retryAfter: 0))
    let sent = lines.withLock { $0 }
    #expect(sent.first == "GET /1/2/3.png?a=b HTTP/1.1")
    #expect(sent.contains("user-agent: TrackMe"))
    #expect(!sent.contains { $0.lowercased().hasPrefix("content-") })
  }

  @Test("sequential calls share a connection")
  func kept() async throws {
    let server = try CallbackServer()
    defer { server.stop() }
    let zone = Zone(port: server.port)
    let poster = try Self.poster(zone, choosing: Self.forADay)
    defer { poster.stop() }
    for _ in 0..<5 { #expect(await poster.post(try Self.call(zone)) == Self.taken) }
    #expect((server.connections, server.calls) == (1, 5))
  }

  @Test("a connection that the endpoint has closed is replaced")
  func closed() async throws {
    let server = try CallbackServer()
    defer { server.stop() }
    server.closeAfterAnswers()
    let zone = Zone(port: server.port)
    let poster = try Self.poster(zone)
    defer { poster.stop() }
    for _ in 0..<3 { #expect(await poster.post(try Self.call(zone)) == Self.taken) }
    #expect((server.connections, server.calls) == (3, 3))
  }

  @Test("a host whose name now resolves to a private address is not connected to", .tags(.REQ_2))
  func changed() async throws {
    let server = try CallbackServer()
    let inside = try CallbackServer(host: 2, port: server.port)
    defer {
      server.stop()
      inside.stop()
    }
    server.closeAfterAnswers()
    let zone = Zone(port: server.port)
    let poster = try Self.poster(zone)
    defer { poster.stop() }
    #expect(await poster.post(try Self.call(zone)) == Self.taken)
    zone.move(to: "127.0.0.2")
    #expect(await poster.post(try Self.call(zone)) == .failed(.address))
    #expect((server.calls, inside.connections) == (1, 0))
    zone.move(to: "127.0.0.1")
    #expect(await poster.post(try Self.call(zone)) == Self.taken)
  }

  @Test("a reused connection outlives a DNS change by at most its maximum age", .tags(.REQ_2))
  func lifetime() async throws {
    let server = try CallbackServer()
    let inside = try CallbackServer(host: 2, port: server.port)
    defer {
      server.stop()
      inside.stop()
    }
    let zone = Zone(port: server.port)
    let poster = try Self.poster(zone) { $0.connectionSeconds = 1 }
    defer { poster.stop() }
    #expect(await poster.post(try Self.call(zone)) == Self.taken)
    zone.move(to: "127.0.0.2")
    var outcome = Self.taken
    try await eventually("the end of the connection") {
      outcome = await poster.post(try Self.call(zone))
      return outcome != Self.taken
    }
    #expect(outcome == .failed(.address))
    #expect((server.connections, inside.connections) == (1, 0))
  }

  @Test("a connection beyond its idle time is not reused")
  func rest() async throws {
    let server = try CallbackServer()
    defer { server.stop() }
    let zone = Zone(port: server.port)
    let poster = try Self.poster(zone) { $0.idleSeconds = 1 }
    defer { poster.stop() }
    #expect(await poster.post(try Self.call(zone)) == Self.taken)
    // libcurl counts whole seconds, and a pause of more than one second exceeds the limit.
    let loop = try EventLoop.start(name: "rest")
    defer { loop.stop() }
    await withCheckedContinuation { continuation in
      loop.execute {
        _ = loop.schedule(after: .milliseconds(2_100)) { continuation.resume() }
      }
    }
    #expect(await poster.post(try Self.call(zone)) == Self.taken)
    #expect((server.connections, server.calls) == (2, 2))
  }

  @Test("each port of a host has connections of its own")
  func ports() async throws {
    let (one, two) = (try CallbackServer(), try CallbackServer())
    defer { for server in [one, two] { server.stop() } }
    let poster = try Self.poster(Zone(port: one.port), choosing: Self.forADay)
    defer { poster.stop() }
    for _ in 0..<2 {
      for server in [one, two] {
        #expect(await poster.post(try Self.call(at: server)) == Self.taken)
      }
    }
    #expect((one.connections, one.calls) == (1, 2))
    #expect((two.connections, two.calls) == (1, 2))
  }

  @Test(
    "idle connections are kept up to the limit, and beyond it the oldest is closed",
    arguments: [(3, true), (2, false)])
  func resting(_ countMax: Int, _ areAllKept: Bool) async throws {
    let servers = try (0..<3).map { _ in try CallbackServer() }
    defer { for server in servers { server.stop() } }
    let poster = try Self.poster(Zone(port: servers[0].port)) { settings in
      Self.forADay(&settings)
      settings.restingMax = countMax
    }
    defer { poster.stop() }
    for _ in 0..<2 {
      for server in servers {
        #expect(await poster.post(try Self.call(at: server)) == Self.taken)
      }
    }
    #expect(servers.map(\.calls) == [2, 2, 2])
    // With room for two, libcurl decides which of several connections of one millisecond is the
    // oldest.
    #expect((servers.map(\.connections) == [1, 1, 1]) == areAllKept)
  }

  @Test("by default 256 connections are kept, for 30 s of idle time and at most a minute")
  func limits() {
    let settings = CallbackPoster.Settings(addresses: CallbackAddresses(allowed: []))
    #expect(settings.restingMax == 256)
    #expect((settings.idleSeconds, settings.connectionSeconds) == (30, 60))
  }
}
