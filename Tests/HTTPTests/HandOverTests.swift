import CLinux
import EventLoop
import HTTP
import HTTPFixture
import Operations
import Requirements
import Support
import Testing
import Web

@Suite("A server that ends while another one takes its place", .tags(.OPS_4))
struct HandOverTests {
  private static let hello = Route(.get, "/hello") { (_) throws(Problem) in
    Response(contentType: "text/plain", bytes: Array("hello".utf8))
  }
  private static let request = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"

  /// A server on copies of listening sockets, as another process has them.
  private func server(
    on sockets: [Int32], at address: SocketAddress, loops count: Int
  ) async throws -> TestServer {
    var loops: [EventLoop] = []
    for index in 0..<count { loops.append(try EventLoop.start(name: "shared\(index)")) }
    var listener = HTTPListener(address)
    listener.shared = sockets.map { dup($0) }
    let service = Service(Router([Self.hello]), log: .none)
    return TestServer(
      loops: loops,
      server: try await HTTPServer.start([listener], on: loops, handlers: service.handlers))
  }

  @Test(
    "shared sockets keep accepting when one of two servers stops, whatever their numbers of loops",
    arguments: [(1, 1), (1, 2), (2, 2), (3, 2)])
  func shared(_ socketCount: Int, _ loopCount: Int) async throws {
    let (sockets, address) = try Listening.open(
      .tcp(host: "127.0.0.1", port: 0), count: socketCount)
    defer { for socket in sockets { close(socket) } }
    let former = try await server(on: sockets, at: address, loops: loopCount)
    let next = try await server(on: sockets, at: address, loops: loopCount)
    await former.stop()
    for _ in 0..<20 {
      let client = try RawClient(address)
      client.send(Self.request)
      #expect(await client.receive(until: "hello").hasSuffix("hello"))
    }
    await next.stop()
  }

  /// A server that, once it stops, closes an idle connection after this time.
  private func server(lastRequest: Duration) async throws -> TestServer {
    var settings = HTTPServerSettings()
    settings.timeouts.lastRequest = lastRequest
    settings.timeouts.drain = .seconds(3600)
    return try await TestServer.start([Self.hello], settings: settings)
  }

  @Test(
    "a stopping server answers the last request of an idle connection, and closes it",
    .timeLimit(.minutes(5)))
  func lastRequest() async throws {
    let server = try await server(lastRequest: .seconds(3600))
    let used = try RawClient(server.address)
    used.send(Self.request)
    _ = await used.receive(until: "hello")
    let fresh = try RawClient(server.address)
    try await eventually("two connections") { await server.server.connectionCount() == 2 }
    async let stopped: Void = server.server.stop()
    for client in [used, fresh] {
      // A request may arrive before the server stops.
      try await eventually("the last answer") {
        client.send(Self.request)
        return await client.receive(until: "hello").contains("connection: close\r\n")
      }
      #expect(await client.receive() == nil)
    }
    await stopped
    for loop in server.loops { loop.stop() }
  }

  @Test(
    "a stopping server closes a connection whose client sends nothing in time",
    .timeLimit(.minutes(5)))
  func noLastRequest() async throws {
    let server = try await server(lastRequest: .milliseconds(50))
    let silent = try RawClient(server.address)
    try await eventually("the connection") { await server.server.connectionCount() == 1 }
    async let stopped: Void = server.server.stop()
    #expect(await silent.receive() == nil)
    await stopped
    for loop in server.loops { loop.stop() }
  }

  @Test("a client opens another connection after GOAWAY, and the former request completes")
  func goAway() async throws {
    let gate = AsyncStream<Void>.makeStream()
    let begun = AsyncStream<Void>.makeStream()
    let slow = Route(.get, "/slow") { (_) throws(Problem) in
      begun.continuation.yield()
      for await _ in gate.stream { break }
      return Response(contentType: "text/plain", bytes: Array("done".utf8))
    }
    let former = try await TestServer.start([slow])
    let client = HTTPClient(to: former.address, on: former.loops[0])
    async let answer = client.send(RequestHead(.get, "/slow", authority: "a"))
    for await _ in begun.stream { break }
    async let stopped: Void = former.server.stop()
    // The next request needs a connection of its own, which the stopping server refuses.
    var refusal: HTTPClientError?
    while refusal == nil {
      do throws(HTTPClientError) {
        _ = try await client.send(RequestHead(.get, "/absent", authority: "a"))
      } catch {
        refusal = error
      }
    }
    guard case .failed(let failure) = refusal else {
      Issue.record("\(String(describing: refusal))")
      return
    }
    #expect(failure.cause == .connectFailed && failure.progress == .unprocessed)
    gate.continuation.yield()
    #expect(try await answer.body == Array("done".utf8))
    await stopped
    for loop in former.loops { loop.stop() }
  }
}
