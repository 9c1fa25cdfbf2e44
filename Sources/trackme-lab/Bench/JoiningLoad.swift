import EventLoop
import HTTP
import Time

/// The people of `trackme-lab bench joins`. Confined to its loop.
final class JoiningLoad {
  private let order: BenchJoins.Order
  private let loop: EventLoop
  private let done: (String) -> Void
  private var clients: [JoiningClient] = []
  private var next = 0
  private var answered = 0
  private var joined = 0
  private var refused = 0
  private var failed = 0
  private var begun = MonotonicInstant.zero
  /// The response times of successful joins, in milliseconds.
  private var waits: [Double] = []

  init(_ order: BenchJoins.Order, on loop: EventLoop, _ done: @escaping (String) -> Void) {
    self.order = order
    self.loop = loop
    self.done = done
  }

  /// Opens the connections; each sends the join requests of several people in turn.
  func start() {
    begun = loop.now
    for _ in 0..<min(order.connections, order.tokens.count) {
      let client = JoiningClient(order.port, order.runID, on: loop)
      clients.append(client)
      goOn(client)
    }
  }

  private func goOn(_ client: JoiningClient) {
    guard next < order.tokens.count else { return }
    let token = order.tokens[next]
    next += 1
    let sent = loop.now
    client.join(with: token) { [self] status in
      answered += 1
      switch status {
      case .ok:
        joined += 1
        waits.append((loop.now - sent) / .milliseconds(1))
      case .unauthorized: refused += 1
      default: failed += 1
      }
      if answered == order.tokens.count { return done(figures()) }
      goOn(client)
    }
  }

  private func figures() -> String {
    waits.sort()
    let middle = waits.isEmpty ? 0 : waits[waits.count / 2]
    return """
      {"joined":\(joined),"refused":\(refused),"failed":\(failed),\
      "seconds":\((loop.now - begun) / .seconds(1)),"p50":\(middle),"max":\(waits.last ?? 0)}
      """
  }
}

/// A connection that sends the join requests of several people in turn.
private final class JoiningClient: ResponseHandler {
  private let connection: ClientConnection
  private let port: UInt16
  private let body: [UInt8]
  private var status: HTTPStatus?
  private var done: ((HTTPStatus?) -> Void)?

  init(_ port: UInt16, _ runID: Int64, on loop: EventLoop) {
    self.port = port
    body = Array("{\"runID\":\(runID)}".utf8)
    var settings = HTTPClientSettings()
    settings.version = .http1
    connection = ClientConnection(
      to: .tcp(host: "127.0.0.1", port: port), on: loop, settings: settings)
  }

  /// Sends a join request; `done` receives the status, or nil without an answer.
  func join(with token: String, _ done: @escaping (HTTPStatus?) -> Void) {
    self.done = done
    status = nil
    var head = RequestHead(.post, "/t4r/active/join", authority: "localhost:\(port)")
    head.fields.append(.authorization, "Bearer \(token)")
    head.fields.append(.contentType, "application/json")
    head.contentLength = UInt64(body.count)
    head.hasBody = true
    let stream = connection.send(head, endStream: false, handler: self)
    let body = body
    stream.send(body: body.span, endStream: true)
  }

  func received(head: consuming ResponseHead) { status = head.status }
  func received(body: Span<UInt8>) {}
  func receivedEnd() { end(status) }
  func failed(_ failure: StreamFailure) { end(nil) }
  func drained() {}

  private func end(_ status: HTTPStatus?) {
    let done = done
    self.done = nil
    done?(status)
  }
}
