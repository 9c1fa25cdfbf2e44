import EventLoop
import Gateway
import HTTP
import HTTPFixture
import Requirements
import Support
import Testing
import Web

@Suite("Streams without authentication")
struct OpenStreamTests {
  /// A service whose streams send comments only.
  private static func replica(_ loop: EventLoop) async throws -> TestReplica {
    var settings = HTTPServerSettings()
    settings.http2 = .internal
    return try await TestReplica.start(settings: settings) { (_) throws(Problem) in
      .events { writer in
        while true {
          try await writer.comment()
          await withCheckedContinuation { continuation in
            loop.execute {
              _ = loop.schedule(after: .milliseconds(200)) { continuation.resume() }
            }
          }
        }
      }
    }
  }

  /// Opens a stream and returns its connection.
  private static func open(_ gateway: TestGateway) throws -> RawClient {
    let client = try RawClient(gateway.address)
    client.send("GET /t4r/active/stream?runID=1 HTTP/1.1\r\nHost: a\r\n\r\n")
    return client
  }

  @Test(
    "an address may open streams up to a limit, and another after one has ended",
    .tags(.GW_5))
  func byAddress() async throws {
    let loop = try EventLoop.start(name: "pauses")
    defer { loop.stop() }
    let replica = try await Self.replica(loop)
    let gateway = try await TestGateway.start(
      data4help: [replica.address], track4run: [replica.address], limits: RateLimits())
    var clients: [RawClient] = []
    for _ in 0..<OpenStreams.openByAddressMax { clients.append(try Self.open(gateway)) }
    for client in clients { #expect(await client.receiveFirst().contains(" 200 ")) }
    let refused = try Self.open(gateway)
    #expect(await refused.receiveFirst().contains(" 429 "))
    clients.removeLast()
    // The gateway detects the disconnect at its next write of the replica's output.
    try await eventually("another stream") {
      let client = try Self.open(gateway)
      return await client.receiveFirst().contains(" 200 ")
    }
    clients = []
    await gateway.stop()
    await replica.stop()
  }
}
