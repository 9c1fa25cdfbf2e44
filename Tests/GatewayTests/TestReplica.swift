import EventLoop
import HTTP
import Operations
import Synchronization
import Web

/// A service behind the gateway, on its own loop, that records its requests.
final class TestReplica: Sendable {
  /// A received request.
  struct Arrival: Sendable {
    var method: String
    var target: String
    var fields: HTTPFields
    var body: String
  }

  let name: String
  let loop: EventLoop
  let server: HTTPServer
  private let seen: Arrivals
  var address: SocketAddress { server.addresses[0] }
  var arrivals: [Arrival] { seen.all }
  /// The internal secret of the latest health check.
  var checkedWith: String? { seen.check }

  private final class Arrivals: Sendable {
    private let list = Mutex<[Arrival]>([])
    private let latestCheck = Mutex<String?>(nil)
    var check: String? { latestCheck.withLock { $0 } }
    func checked(_ head: borrowing RequestHead) {
      let secret = head.fields[.internalSecret]
      latestCheck.withLock { $0 = secret }
    }
    var all: [Arrival] { list.withLock { $0 } }
    func append(_ arrival: Arrival) { list.withLock { $0.append(arrival) } }
  }

  private init(_ name: String, _ loop: EventLoop, _ server: HTTPServer, _ seen: Arrivals) {
    self.name = name
    self.loop = loop
    self.server = server
    self.seen = seen
  }

  /// The settings of a service, whose only client is the gateway.
  static var serviceSettings: HTTPServerSettings {
    var settings = HTTPServerSettings()
    settings.http2 = .service
    return settings
  }

  /// Answers every endpoint of `paths` with 200 and its own name, unless `more` returns a response.
  static func start(
    _ name: String = "one", at address: SocketAddress = .tcp(host: "127.0.0.1", port: 0),
    settings: HTTPServerSettings = TestReplica.serviceSettings,
    answer: @escaping @Sendable (Request) async throws(Problem) -> Response? = {
      (_) throws(Problem) in nil
    }
  ) async throws -> TestReplica {
    let seen = Arrivals()
    let handler: Route.Handler = { (request) throws(Problem) in
      var body: [UInt8] = []
      if case .bytes(let bytes) = request.body { body = bytes }
      var fields = request.head.fields
      if let trace = request.head.trace { fields.append(trace) }
      seen.append(
        Arrival(
          method: request.head.method.text,
          target: String(decoding: request.head.target, as: UTF8.self),
          fields: fields, body: String(decoding: body, as: UTF8.self)))
      if let response = try await answer(request) { return response }
      return .json(Array("{\"replica\":\"\(name)\"}".utf8))
    }
    let paths: [(HTTPMethod, String)] = [
      (.get, "/data/stats"), (.get, "/data/series"), (.get, "/data/quota"), (.get, "/auth/me"),
      (.post, "/auth/login"), (.post, "/auth/logout"), (.post, "/data/upload"),
      (.post, "/settings/single/info"), (.post, "/settings/tp/info"),
      (.post, "/settings/single/status"),
      (.post, "/auth/reg/single"), (.get, "/auth/activ"), (.post, "/req/tp/sendSingle"),
      (.get, "/req/tp/list"), (.delete, "/devices/{deviceID}"),
      (.get, "/t4r/active/stream"), (.post, "/sos/abort"), (.post, "/sos/enable"),
      (.get, "/t4r/active/list"), (.get, "/lookup/regions"),
      (.get, "/t4r/active/placings"), (.post, "/t4r/active/specUpdate"),
      (.post, "/t4r/active/join"),
    ]
    var routes = paths.map { Route($0.0, $0.1, handler: handler) }
    routes.append(
      Route(.post, "/data/import", bodyBytesMax: 1 << 40, streamsBody: true, handler: handler))
    routes.append(
      Route(.get, "/health") { (request) throws(Problem) in
        seen.checked(request.head)
        return .json(Array("{}".utf8))
      })
    let loop = try EventLoop.start(name: name)
    var settings = settings
    settings.timeouts.drain = .zero
    let server = try await HTTPServer.start(
      [address], on: [loop], settings: settings,
      handlers: Service(Router(routes), log: .none).handlers)
    return TestReplica(name, loop, server, seen)
  }

  func stop() async {
    await server.stop()
    loop.stop()
  }
}

/// A healthy service that resets every request before its response begins.
final class ResettingReplica: Sendable {
  private final class Handler: RequestHandler {
    private let called: @Sendable () -> Void
    init(_ called: @escaping @Sendable () -> Void) { self.called = called }

    func received(head: RequestHead, on stream: any ServerStream) {
      if head.pathText == "/health" { return stream.send(head: ResponseHead(.ok), endStream: true) }
      called()
      stream.reset()
    }
    func received(body: Span<UInt8>) {}
    func receivedEnd() {}
    func aborted(_ reason: StreamAbort) {}
    func drained() {}
  }

  private let loop: EventLoop
  private let server: HTTPServer
  var address: SocketAddress { server.addresses[0] }

  private init(_ loop: EventLoop, _ server: HTTPServer) {
    self.loop = loop
    self.server = server
  }

  static func start(_ called: @escaping @Sendable () -> Void) async throws -> ResettingReplica {
    let loop = try EventLoop.start(name: "reset")
    let server = try await HTTPServer.start(
      [.tcp(host: "127.0.0.1", port: 0)], on: [loop], handlers: { _ in { Handler(called) } })
    return ResettingReplica(loop, server)
  }

  func stop() async {
    await server.stop()
    loop.stop()
  }
}
