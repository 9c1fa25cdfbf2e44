import Gateway
import HTTP
import HTTPFixture
import Requirements
import Testing
import Web

/// An HTTP/2 client that grants windows only on request.
private final class GrantingClient {
  struct Frame {
    let kind: UInt8
    let flags: UInt8
    let stream: UInt32
    let payload: [UInt8]
  }

  private let raw: RawClient
  private var received: [UInt8] = []

  init(_ address: SocketAddress) throws {
    raw = try RawClient(address)
    raw.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    send(4, [0, 4, 0, 0, 0, 0])
    grant(0x00F0_0000)
  }

  func send(_ kind: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8]) {
    raw.send(
      [UInt8(payload.count >> 16), UInt8(payload.count >> 8 & 255), UInt8(payload.count & 255)]
        + [kind, flags] + Self.number(stream) + payload)
  }

  func get(_ target: String, token: String? = nil, stream: UInt32) {
    var lines = [(":method", "GET"), (":scheme", "http"), (":path", target), (":authority", "a")]
    if let token { lines.append(("authorization", "Bearer \(token)")) }
    // Literal fields without indexing (RFC 7541, section 6.2.2).
    let block = lines.flatMap { name, value in
      [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + value.utf8
    }
    send(1, flags: 5, stream: stream, block)
  }

  func grant(_ bytes: UInt32, stream: UInt32 = 0) { send(8, stream: stream, Self.number(bytes)) }

  func ping() { send(6, [UInt8](repeating: 0, count: 8)) }

  /// Reads the next frame; nil at the end.
  func next() async -> Frame? {
    while true {
      let length = received.prefix(3).reduce(0) { $0 << 8 | Int($1) }
      if received.count >= 9, received.count >= 9 + length {
        defer { received.removeFirst(9 + length) }
        return Frame(
          kind: received[3], flags: received[4],
          stream: received[5..<9].reduce(0) { $0 << 8 | UInt32($1) },
          payload: Array(received[9..<(9 + length)]))
      }
      guard let more = await raw.receive() else { return nil }
      received += more
    }
  }

  /// Reads the body of a response, and grants windows for all of it.
  func body(of stream: UInt32) async throws -> [UInt8] {
    grant(0x00F0_0000, stream: stream)
    var body: [UInt8] = []
    while true {
      let frame = try #require(await next())
      // No stream is reset, and no data exceeds the windows.
      try #require(frame.kind != 3 && frame.kind != 7)
      guard frame.kind == 0 else { continue }
      try #require(frame.stream == stream)
      body += frame.payload
      if frame.flags & 1 != 0 { return body }
    }
  }

  private static func number(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(value >> $0 & 255) }
  }
}

@Suite("Responses that a client does not read", .tags(.GW_5))
struct UntakenAnswerTests {
  /// A connection to a gateway whose replica has a response of 300 kB.
  private func with(
    write: Duration = .seconds(600), _ test: (TestGateway, GrantingClient) async throws -> Void
  ) async throws {
    let replica = try await TestReplica.start { (request) throws(Problem) in
      guard request.head.pathText == "/data/stats" else { return nil }
      return Response(contentType: "application/json", bytes: Self.relayed)
    }
    var settings = HTTPServerSettings()
    settings.timeouts.write = write
    // Otherwise the PINGs of a test would end its connection as a flood.
    settings.http2.flood.idleFramesBurst = .infinity
    let gateway = try await TestGateway.start(data4help: [replica.address], settings: settings)
    try await test(gateway, try GrantingClient(gateway.address))
    await gateway.stop()
    await replica.stop()
  }

  private static let relayed = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

  @Test("of a hundred buffered local responses, one that is read arrives completely")
  func own() async throws {
    try await with { gateway, client in
      for number in 0..<UInt32(100) { client.get("/openapi.json", stream: 2 * number + 1) }
      let whole = try await gateway.send(.get, "/openapi.json").body
      #expect(whole.count > 100_000)
      for stream: UInt32 in [199, 1, 101] {
        let isWhole = try await client.body(of: stream) == whole
        #expect(isWhole)
      }
    }
  }

  @Test("of a hundred buffered responses of a replica, one that is read arrives completely")
  func relayed() async throws {
    try await with { gateway, client in
      let token = gateway.logIn()
      for number in 0..<UInt32(100) {
        client.get("/data/stats", token: token, stream: 2 * number + 1)
      }
      for stream: UInt32 in [199, 1, 101] {
        let isWhole = try await client.body(of: stream) == Self.relayed
        #expect(isWhole)
      }
    }
  }

  @Test("a connection that reads nothing is closed after its time-out, even if it sends PINGs")
  func closed() async throws {
    try await with(write: .seconds(1)) { gateway, client in
      let token = gateway.logIn()
      client.get("/openapi.json", stream: 1)
      client.get("/data/stats", token: token, stream: 3)
      // Each PING is acknowledged until the connection ends, so the test waits for the
      // acknowledgements.
      var code: UInt8?
      while let frame = await client.next() {
        if frame.kind == 7 { code = frame.payload[7] }
        if frame.kind == 6 || frame.kind == 4 { client.ping() }
      }
      #expect(code == 11)
    }
  }
}
