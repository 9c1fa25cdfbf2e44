import Cryptography
import Domain
import EventLoop
import Gateway
import HTTP
import Operations
import PublicAPI
import Support
import Synchronization
import Testing
import Time

/// Sessions created by a test, instead of those in the database.
final class TestSessions: SessionSource {
  private let answers = Mutex<[TokenHash: SessionLookup]>([:])
  private let asked = Mutex(0)
  let isLoaded = true

  /// The number of look-ups.
  var lookupCount: Int { asked.withLock { $0 } }

  func give(_ token: TokenHash, _ answer: SessionLookup) { answers.withLock { $0[token] = answer } }

  func lookUp(
    _ token: TokenHash, for asker: EventLoop, _ found: @escaping (SessionLookup) -> Void
  ) {
    asked.withLock { $0 += 1 }
    let answer = answers.withLock { $0[token] } ?? .absent
    let bound = LoopBound(found, on: asker)
    asker.execute { bound.value(answer) }
  }
}

/// A gateway on real sockets, with the replicas of a test.
struct TestGateway {
  let loops: [EventLoop]
  let server: HTTPServer
  let gateway: GatewayLoops
  let parts: GatewayParts
  let root: RootSecret
  let sessions: SessionTable
  let source: TestSessions
  let metrics: GatewayMetrics
  let log: LogRecorder
  var address: SocketAddress { server.addresses[0] }

  /// Limits under which a request waits for its replica longer than any test takes.
  static var patient: ReplicaLimits {
    var limits = ReplicaLimits()
    limits.waitMax = .seconds(600)
    return limits
  }

  static func start(
    data4help: [SocketAddress], track4run: [SocketAddress] = [], limits: RateLimits? = nil,
    tls: TLSContext? = nil, loops loopCount: Int = 1,
    settings: HTTPServerSettings = HTTPServerSettings(),
    idle: Duration = .seconds(86_400), source: (any SessionSource)? = nil,
    sessions: SessionTable? = nil, root: RootSecret = .random(),
    at address: SocketAddress = .tcp(host: "127.0.0.1", port: 0),
    replicaLimits: ReplicaLimits = TestGateway.patient, keptFor: Duration? = nil,
    pages: PageAnswers? = nil, demandsTLS: Bool = true
  ) async throws -> TestGateway {
    let registry = Metrics()
    let metrics = GatewayMetrics(registry)
    let own = TestSessions()
    let sessions = sessions ?? SessionTable(idle: idle)
    let log = LogRecorder()
    let endpoints = PublicAPI.endpoints.map { endpoint in
      guard let keptFor, endpoint.keptFor != nil else { return endpoint }
      return endpoint.kept(for: keptFor)
    }
    let parts = GatewayParts(
      plans: EndpointPlans(endpoints, metrics: registry),
      tokens: TokenAuthority(root: root), sessions: sessions, source: source ?? own,
      limits: limits, secret: InternalSecret(root: root),
      localAnswers: LocalAnswers(publicURL: "https://localhost:8443"), metrics: metrics,
      log: Log(process: "gateway", sink: log.sink), environment: .system, data4help: data4help,
      track4run: track4run, replicaLimits: replicaLimits, pages: pages, demandsTLS: demandsTLS)
    var loops: [EventLoop] = []
    for index in 0..<loopCount { loops.append(try EventLoop.start(name: "gate\(index)")) }
    let gateway = GatewayLoops(parts)
    await gateway.start(on: loops)
    let server = try await HTTPServer.start(
      [HTTPListener(address, tls: tls)], on: loops, settings: settings, handlers: gateway.handlers)
    return TestGateway(
      loops: loops, server: server, gateway: gateway, parts: parts, root: root,
      sessions: sessions, source: own, metrics: metrics, log: log)
  }

  func stop() async {
    await server.stop()
    await gateway.stop()
    for loop in loops { loop.stop() }
  }

  /// The head of a request to this gateway.
  static func head(
    _ method: HTTPMethod, _ target: String, token: String? = nil, isJSON: Bool = false,
    fields: [(String, String)] = []
  ) -> RequestHead {
    var head = RequestHead(method, target, authority: "trackme.example")
    if let token { head.fields.append(.authorization, "Bearer \(token)") }
    if isJSON { head.fields.append(.contentType, "application/json") }
    for (name, value) in fields { head.fields.append(name, value) }
    return head
  }

  /// Adds a session for an account of this kind to the gateway's memory; returns its token.
  func logIn(account: Int64 = 7, _ kind: AccountKind = .singleUser) -> String {
    let token = parts.tokens.issue(.session)
    sessions.insert(token.hash, Self.session(account, kind))
    return token.text
  }

  /// Waits for a response's line in the access log, which is written later than the response.
  func untilLogged(_ response: HTTPClientResponse) async throws {
    let id = try #require(response.head.fields[.requestID])
    try await eventually("the line of the access log") { log.lines.contains { $0.contains(id) } }
  }

  /// The token of a session that the gateway must look up in the test's sessions.
  func unknownLogIn(account: Int64 = 7) -> String {
    let token = parts.tokens.issue(.session)
    source.give(token.hash, .open(Self.session(account)))
    return token.text
  }

  /// Returns when the first loop has received a request with such a token, and continued it with
  /// the session.
  func untilLookedUp() async throws {
    try await eventually("a look-up", every: .milliseconds(5)) { source.lookupCount > 0 }
    // The loop took the session before this task.
    await Task(executorPreference: loops[0]) {}.value
  }

  static func session(
    _ account: Int64, _ kind: AccountKind = .singleUser, expiresIn: Duration = .seconds(3600)
  ) -> Session {
    let now = Environment.system.now()
    return Session(
      account: AccountID(rawValue: account), kind: kind, expiresAt: now + expiresIn,
      lastUsedAt: now)
  }

  func client(_ version: HTTPClientSettings.Version = .http1) -> HTTPClient {
    var settings = HTTPClientSettings()
    settings.version = version
    return HTTPClient(to: address, on: loops[0], settings: settings)
  }

  /// Sends one request on a separate connection.
  func send(
    _ method: HTTPMethod, _ target: String, token: String? = nil, json: String? = nil,
    fields: [(String, String)] = []
  ) async throws -> HTTPClientResponse {
    let head = Self.head(method, target, token: token, isJSON: json != nil, fields: fields)
    let client = client()
    defer { client.shutDown() }
    return try await client.send(head, body: Array((json ?? "").utf8))
  }
}

extension HTTPClientResponse {
  var text: String { String(decoding: body, as: UTF8.self) }
  /// A problem's member `error`, extracted from its text.
  var error: String? { member("error") }
  /// A problem's member `field`.
  var field: String? { member("field") }

  func member(_ name: String) -> String? {
    guard let start = text.firstRange(of: "\"\(name)\":\"") else { return nil }
    return String(text[start.upperBound...].prefix { $0 != "\"" })
  }
}
