import Gateway
import HTTP
import HTTPFixture
import Requirements
import Support
import Testing
import Web

@Suite("Event streams while the gateway stops", .tags(.OPS_4))
struct StoppingTests {
  private static let target = "/t4r/active/stream?runID=1"

  /// An event, and no end.
  private static var endless: Response {
    .events { writer in
      try await writer.write(Array("data: 1\n\n".utf8))
      for await _ in AsyncStream<Void>.makeStream().stream {}
    }
  }

  @Test("open streams end whole, new ones are refused with 503, other requests are served")
  func open() async throws {
    let replica = try await TestReplica.start { (request) throws(Problem) in
      request.head.pathText == "/t4r/active/stream" ? Self.endless : nil
    }
    let gateway = try await TestGateway.start(
      data4help: [replica.address], track4run: [replica.address])
    let client = try RawClient(gateway.address)
    client.send("GET \(Self.target) HTTP/1.1\r\nHost: a\r\n\r\n")
    let begun = await client.receive(until: "data: 1\n\n")
    #expect(begun.hasPrefix("HTTP/1.1 200 "))
    await gateway.gateway.endStreams()
    // The last chunk: the client tells this end from a lost connection.
    #expect(await client.receive(until: "0\r\n\r\n").hasSuffix("0\r\n\r\n"))
    let refused = try await gateway.send(.get, Self.target)
    #expect(refused.head.status == .unavailable)
    #expect(refused.error == "Unavailable")
    #expect(refused.head.fields[.retryAfter] == "1")
    #expect(replica.arrivals.count == 1)
    let other = try await gateway.send(.get, "/auth/me", token: gateway.logIn())
    #expect(other.head.status == .ok)
    await gateway.stop()
    await replica.stop()
  }

  @Test(
    "a response that begins after the stop arrives whole, an error with its body",
    arguments: [HTTPClientSettings.Version.http1, .http2], [true, false])
  func late(_ version: HTTPClientSettings.Version, _ isError: Bool) async throws {
    let gate = AsyncStream<Void>.makeStream()
    let replica = try await TestReplica.start { (_) throws(Problem) in
      for await _ in gate.stream { break }
      if isError { throw Problem(.conflict, "Wrong state", detail: "Not now.") }
      return Self.endless
    }
    let gateway = try await TestGateway.start(
      data4help: [replica.address], track4run: [replica.address])
    let client = gateway.client(version)
    async let answer = client.send(TestGateway.head(.get, Self.target))
    try await eventually("the request") { replica.arrivals.count == 1 }
    await gateway.gateway.endStreams()
    gate.continuation.yield()
    // A broken response would be an error here.
    let response = try await answer
    #expect(response.head.status == (isError ? .conflict : .ok))
    #expect(response.member("detail") == (isError ? "Not now." : nil))
    client.shutDown()
    await gateway.stop()
    await replica.stop()
  }
}
