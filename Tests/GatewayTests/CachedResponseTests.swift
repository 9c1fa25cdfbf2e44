import EventLoop
import Gateway
import HTTP
import HTTPFixture
import Operations
import Requirements
import Support
import Synchronization
import Testing
import Web

/// Counts the requests to a service.
private final class Asked: Sendable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}

/// A healthy service that responds with the number of its requests. It aborts the response to
/// `name=broken`, and resets POST requests without a response.
private final class BreakingService: Sendable {
  private final class Handler: RequestHandler {
    private let asked: Asked
    private var head = RequestHead(method: .get, target: Array("/".utf8))
    private var stream: (any ServerStream)?

    init(_ asked: Asked) { self.asked = asked }

    func received(head: RequestHead, on stream: any ServerStream) {
      self.head = head
      self.stream = stream
    }
    func received(body: Span<UInt8>) {}
    func receivedEnd() {
      guard let stream else { return }
      self.stream = nil
      if head.pathText == "/health" { return stream.send(head: ResponseHead(.ok), endStream: true) }
      if head.method == .post { return stream.reset() }
      let number = Array("\(asked.next())".utf8)
      let isBroken = head.query.map { $0.elementsEqual("name=broken".utf8) } ?? false
      let length = UInt64(isBroken ? 100 : number.count)
      stream.send(head: ResponseHead(.ok, contentLength: length), endStream: false)
      stream.send(body: number.span, endStream: !isBroken)
      if isBroken { stream.loop.schedule(after: .milliseconds(1)) { stream.reset() } }
    }
    func aborted(_ reason: StreamAbort) { stream = nil }
    func drained() {}
  }

  private let loop: EventLoop
  private let server: HTTPServer
  var address: SocketAddress { server.addresses[0] }

  private init(_ loop: EventLoop, _ server: HTTPServer) {
    self.loop = loop
    self.server = server
  }

  static func start() async throws -> BreakingService {
    let loop = try EventLoop.start(name: "breaking")
    let asked = Asked()
    let server = try await HTTPServer.start(
      [.tcp(host: "127.0.0.1", port: 0)], on: [loop], handlers: { _ in { Handler(asked) } })
    return BreakingService(loop, server)
  }

  func stop() async {
    await server.stop()
    loop.stop()
  }
}

@Suite("Cached responses for all clients")
struct CachedResponseTests {
  private static let list = "/t4r/active/list"
  private static let update = "/t4r/active/specUpdate"
  private static let run = #"{"runID":1}"#
  /// Long enough for any machine: cached responses do not expire by time in these tests.
  private static let ever = Duration.seconds(3600)

  /// Responds with the number of requests so far, followed by the requested number of spaces.
  private static func answer(_ request: Request, _ asked: Asked) throws(Problem) -> Response? {
    guard request.head.pathText != "/t4r/active/join" else { return nil }
    let number = asked.next()
    if request.query["name"] == "missing" { throw .notFound }
    let spaces = request.query["place"].flatMap { Int($0) } ?? 0
    return .json(Array("\(number)".utf8) + [UInt8](repeating: 0x20, count: spaces))
  }

  private func with(
    loops: Int = 1, keptFor: Duration = ever,
    _ body: (TestGateway, TestReplica) async throws -> Void
  ) async throws {
    let asked = Asked()
    let replica = try await TestReplica.start { (request) throws(Problem) in
      try Self.answer(request, asked)
    }
    let gateway = try await TestGateway.start(
      data4help: [replica.address], track4run: [replica.address], loops: loops, keptFor: keptFor)
    try await body(gateway, replica)
    await gateway.stop()
    await replica.stop()
  }

  @Test(
    "a second equal request receives the first one's response, without a replica",
    arguments: [HTTPClientSettings.Version.http1, .http2])
  func shared(_ version: HTTPClientSettings.Version) async throws {
    try await with { gateway, replica in
      let client = gateway.client(version)
      defer { client.shutDown() }
      var numbers: Set<String?> = []
      for _ in 0..<20 {
        let read = try await client.send(TestGateway.head(.get, Self.list))
        let polled = try await client.send(
          TestGateway.head(.post, Self.update, isJSON: true), body: Array(Self.run.utf8))
        #expect((read.head.status, read.text) == (.ok, "1"))
        #expect((polled.head.status, polled.text) == (.ok, "2"))
        for fields in [read.head.fields, polled.head.fields] {
          numbers.insert(fields[.requestID])
          #expect(fields[.contentType] == "application/json")
          #expect(fields[.xContentTypeOptions] == "nosniff")
          #expect(fields.count(of: .requestID) == 1)
          #expect(fields.count(of: .date) == 1)
        }
        // Like the response that was relayed.
        #expect(read.head.fields[.cacheControl] == nil)
        #expect(polled.head.fields[.cacheControl] == "no-store")
      }
      #expect(numbers.count == 40)
      #expect(replica.arrivals.count == 2)
      #expect(gateway.metrics.kept.value == 38)
      #expect(gateway.metrics.forwarded.value == 2)
    }
  }

  @Test("a cached response has a line in the access log, without attempts at a replica")
  func log() async throws {
    try await with { gateway, _ in
      _ = try await gateway.send(.get, Self.list)
      let id = try #require(try await gateway.send(.get, Self.list).head.fields[.requestID])
      let line = try await eventually("the line of the log") {
        gateway.log.lines.first { $0.contains(id) }
      }
      #expect(line.contains("\"endpoint\":\"listRuns\",\"status\":200"))
      #expect(line.contains("\"bytes\":1,\"attempts\":0}"))
    }
  }

  @Test("requests with a token in any place neither use nor fill the cache")
  func tokens() async throws {
    try await with { gateway, replica in
      let token = gateway.logIn()
      func ask() async throws {
        _ = try await gateway.send(.get, Self.list, token: token)
        _ = try await gateway.send(.get, Self.list, token: "wrong")
        _ = try await gateway.send(.get, "\(Self.list)?authToken=\(token)")
        _ = try await gateway.send(
          .post, Self.update, json: #"{"runID":1,"authToken":"\#(token)"}"#)
      }
      try await ask()
      try await ask()
      #expect(replica.arrivals.count == 8)
      _ = try await gateway.send(.get, Self.list)
      _ = try await gateway.send(.post, Self.update, json: Self.run)
      #expect(replica.arrivals.count == 10)
      try await ask()
      #expect(replica.arrivals.count == 14)
      #expect(gateway.metrics.kept.value == 0)
    }
  }

  @Test("other keys, HEAD, refusals and uncacheable responses are requested again")
  func others() async throws {
    try await with { gateway, replica in
      for _ in 0..<2 {
        let before = replica.arrivals.count
        _ = try await gateway.send(.head, Self.list)
        _ = try await gateway.send(.get, Self.list, fields: [("cache-control", "no-cache")])
        let missing = try await gateway.send(.get, "\(Self.list)?name=missing")
        #expect(missing.head.status == .notFound)
        let client = gateway.client()
        let large = try await client.send(
          TestGateway.head(.get, "\(Self.list)?place=\(CachedResponse.bodyBytesMax)"),
          bodyBytesMax: 2 * CachedResponse.bodyBytesMax)
        client.shutDown()
        #expect(large.body.count > CachedResponse.bodyBytesMax)
        #expect(replica.arrivals.count == before + 4)
      }
      let before = replica.arrivals.count
      for query in ["", "?name=a", "?name=b"] {
        _ = try await gateway.send(.get, Self.list + query)
      }
      _ = try await gateway.send(.get, Self.list, fields: [("accept", "application/json")])
      for body in [Self.run, #"{"runID":2}"#] {
        _ = try await gateway.send(.post, Self.update, json: body)
      }
      #expect(replica.arrivals.count == before + 6)
      #expect(gateway.metrics.kept.value == 0)
    }
  }

  @Test("every request is validated, also with cached responses")
  func checked() async throws {
    try await with { gateway, replica in
      for _ in 0..<2 {
        let query = try await gateway.send(.get, "\(Self.list)?state=none")
        #expect((query.head.status, query.field) == (.badRequest, "state"))
        let body = try await gateway.send(.post, Self.update, json: "{}")
        #expect((body.head.status, body.field) == (.badRequest, "runID"))
      }
      #expect(replica.arrivals.isEmpty)
    }
  }

  @Test("a cached response expires")
  func over() async throws {
    try await with(keptFor: .nanoseconds(1)) { gateway, replica in
      for number in 1...5 {
        let answer = try await gateway.send(.get, Self.list)
        #expect(answer.text == "\(number)")
      }
      #expect(replica.arrivals.count == 5)
    }
  }

  @Test("responses marked public are cached with their fields, others are not")
  func publicAnswers() async throws {
    let asked = Asked()
    let replica = try await TestReplica.start { (request) throws(Problem) in
      var response = Response.json(Array("\(asked.next())".utf8))
      let isPublic = request.query["name"] == "public"
      response.fields.append(
        .cacheControl, isPublic ? "public, max-age=86400" : "private, max-age=86400")
      return response
    }
    let gateway = try await TestGateway.start(
      data4help: [replica.address], track4run: [replica.address], keptFor: Self.ever)
    for _ in 0..<2 {
      let kept = try await gateway.send(.get, "/lookup/regions?name=public")
      #expect(kept.text == "1")
      #expect(kept.head.fields[.cacheControl] == "public, max-age=86400")
    }
    for number in 2...3 {
      let asked = try await gateway.send(.get, "/lookup/regions?name=private")
      #expect(asked.text == "\(number)")
    }
    await gateway.stop()
    await replica.stop()
  }

  @Test("after an answered change no loop returns an older response")
  func change() async throws {
    try await with(loops: 4) { gateway, _ in
      let token = gateway.logIn()
      var latest = 0
      for _ in 0..<50 {
        // Separate connections, to reach all loops.
        for _ in 0..<4 {
          latest = max(latest, try #require(Int(try await gateway.send(.get, Self.list).text)))
        }
        let join = try await gateway.send(
          .post, "/t4r/active/join", token: token, json: Self.run)
        #expect(join.head.status == .ok)
        let seen = try #require(Int(try await gateway.send(.get, Self.list).text))
        #expect(seen > latest)
      }
      #expect(gateway.metrics.kept.value > 0)
    }
  }

  @Test("reads, and requests refused by the gateway, do not invalidate the cache")
  func noChange() async throws {
    try await with { gateway, _ in
      #expect(try await gateway.send(.get, Self.list).text == "1")
      _ = try await gateway.send(.get, "/t4r/active/placings?runID=1")
      _ = try await gateway.send(.post, Self.update, json: Self.run)
      _ = try await gateway.send(.post, "/t4r/active/join", json: Self.run)
      _ = try await gateway.send(.post, "/auth/logout", token: gateway.logIn())
      #expect(try await gateway.send(.get, Self.list).text == "1")
    }
  }

  @Test("a change with an unknown outcome invalidates the cache too")
  func unknownChange() async throws {
    let service = try await BreakingService.start()
    let gateway = try await TestGateway.start(
      data4help: [service.address], track4run: [service.address], keptFor: Self.ever)
    #expect(try await gateway.send(.get, Self.list).text == "1")
    #expect(try await gateway.send(.get, Self.list).text == "1")
    let join = try await gateway.send(
      .post, "/t4r/active/join", token: gateway.logIn(), json: Self.run)
    #expect(join.head.status == .badGateway)
    #expect(try await gateway.send(.get, Self.list).text == "2")
    await gateway.stop()
    await service.stop()
  }

  @Test("an incomplete response reaches only the first client")
  func brokenOff() async throws {
    let service = try await BreakingService.start()
    let gateway = try await TestGateway.start(
      data4help: [service.address], track4run: [service.address], keptFor: Self.ever)
    for _ in 0..<3 {
      await #expect(throws: (any Error).self) {
        try await gateway.send(.get, "\(Self.list)?name=broken")
      }
    }
    #expect(gateway.metrics.kept.value == 0)
    #expect(try await gateway.send(.get, Self.list).text == "4")
    await gateway.stop()
    await service.stop()
  }

  @Test(
    "a large response is sent completely at each client's pace, except after a disconnect")
  func slowClients() async throws {
    let size = CachedResponse.bodyBytesMax - 1
    let target = "\(Self.list)?place=\(size)"
    try await with { gateway, replica in
      #expect(try await gateway.send(.get, target).body.count == size + 1)
      var waiting: [RawClient] = []
      for _ in 0..<20 {
        let client = try RawClient(gateway.address)
        client.send("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        waiting.append(client)
      }
      let leaving = try RawClient(gateway.address)
      leaving.send("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      #expect(await leaving.receiveFirst().contains(" 200 "))
      for client in waiting {
        let text = await client.receiveAll()
        #expect(text.hasPrefix("HTTP/1.1 200 "))
        #expect(text.utf8.count > size)
      }
      #expect(replica.arrivals.count == 1)
      #expect(gateway.metrics.kept.value == 21)
    }
  }
}
