import EventLoop
import HTTP
import Operations
import Time

/// One request of a service, from its head to the end of the response.
// SAFETY: confined to the loop of its stream: the server calls it there, and its task prefers the
// loop as executor, which all its functions assert.
final class ServiceHandler: RequestHandler, @unchecked Sendable {
  private let service: Service
  private var stream: (any ServerStream)?
  private var request: Request?
  private var route: Route?
  private var method = HTTPMethod.get
  private var requestID = RequestID.random()
  private var started = MonotonicInstant.zero
  private var collected: [UInt8] = []
  private var reader: BodyReader?
  private var writer: BodyWriter?
  private var task: Task<Void, Never>?
  private var isOver = false
  /// The loop of the request, which outlives an aborted stream.
  private var loop: EventLoop?

  init(_ service: Service) { self.service = service }

  // MARK: From the server

  func received(head: RequestHead, on stream: any ServerStream) {
    self.stream = stream
    loop = stream.loop
    started = stream.loop.now
    method = head.method
    if let id = head.fields.withValue(.requestID, { RequestID($0) }) ?? nil {
      requestID = id
    }
    do throws(Problem) {
      try admit(head, stream)
    } catch {
      answer(error)
    }
  }

  private func admit(_ head: RequestHead, _ stream: any ServerStream) throws(Problem) {
    guard CanonicalPath.isCanonical(head.path) else {
      throw .malformed("The path is not in its normal form.")
    }
    try service.admit(head, stream.peer)
    let (route, parameters) = try findRoute(head)
    guard head.contentLength ?? 0 <= route.bodyBytesMax else { throw .tooLarge() }
    let query = try head.decodedQuery() ?? Query()
    self.route = route
    var request = Request(
      head: head, pathParameters: parameters, query: query, requestID: requestID,
      peer: stream.peer)
    if route.streamsBody {
      let reader = BodyReader(stream: stream, limit: route.bodyBytesMax)
      self.reader = reader
      request.body = .stream(reader)
      start(request, route)
    } else {
      self.request = request
    }
  }

  private func findRoute(_ head: RequestHead) throws(Problem) -> (Route, PathParameters) {
    switch service.router.match(head.method, head.path) {
    case .found(let route, let parameters): return (route, parameters)
    case .otherMethod(let allow): throw .methodNotAllowed(allow: allow)
    case .unknownPath: throw .notFound
    }
  }

  func received(body: Span<UInt8>) {
    if let reader { return reader.received(body) }
    guard request != nil, let route else { return }
    guard UInt64(collected.count + body.count) <= route.bodyBytesMax else {
      request = nil
      collected = []
      return answer(.tooLarge())
    }
    collected.append(copying: body)
  }

  func receivedEnd() {
    if let reader { return reader.receivedEnd() }
    guard var request, let route else { return }
    request.body = .bytes(collected)
    self.request = nil
    collected = []
    start(request, route)
  }

  func aborted(_ reason: StreamAbort) {
    request = nil
    collected = []
    reader?.fail(.aborted)
    writer?.abort()
    task?.cancel()
    if task == nil { finish(status: 499, isWhole: false) }
    stream = nil
  }

  func drained() { writer?.drained() }

  // MARK: The handler

  private func start(_ request: Request, _ route: Route) {
    guard let loop = stream?.loop else { return }
    task = Task(executorPreference: loop) { await self.run(request, route) }
  }

  private func run(_ request: Request, _ route: Route) async {
    do throws(Problem) {
      let response = try await route.handler(request)
      await send(response)
    } catch {
      answer(error)
    }
  }

  private func send(_ response: Response) async {
    guard let stream else { return finish(status: response.status.code, isWhole: false) }
    stream.loop.assertCurrent()
    var head = ResponseHead(response.status, fields: response.fields)
    head.number = requestID.digits
    switch response.body {
    case .bytes(let bytes):
      head.contentLength = response.status.hasNoBody ? nil : UInt64(bytes.count)
      stream.send(head: head, body: bytes.span)
      finish(status: response.status.code, isWhole: true)
    case .stream(let write):
      guard method != .head else {
        stream.send(head: head, endStream: true)
        return finish(status: response.status.code, isWhole: true)
      }
      stream.send(head: head, endStream: false)
      await send(write, on: stream, status: response.status.code)
    }
  }

  private func send(
    _ write: @Sendable (BodyWriter) async throws -> Void, on stream: any ServerStream,
    status: UInt16
  ) async {
    let writer = BodyWriter(stream: stream)
    self.writer = writer
    do {
      try await write(writer)
      self.stream?.sendEnd()
      finish(status: status, isWhole: self.stream != nil)
    } catch {
      if self.stream != nil, !(error is BodyWriter.Failure) {
        let log = service.log.following(requestID)
        if let cause = error as? any LogSafe & Error {
          log.failure("stream response failed", cause)
        } else {
          log.error("stream response failed", [.safe("cause", OperatorText("\(type(of: error))"))])
        }
      }
      self.stream?.reset()
      finish(status: status, isWhole: false)
    }
  }

  private func answer(_ problem: Problem) {
    if problem.status.code >= 500, problem.status != .unavailable {
      service.log.following(requestID).error(
        "handle request failed",
        [
          .number("status", problem.status.code),
          .safe("cause", OperatorText(problem.cause ?? "unknown")),
        ])
    }
    let (head, body) = problem.response(requestID: requestID)
    stream?.send(head: head, body: body.span)
    finish(status: problem.status.code, isWhole: stream != nil)
  }

  private func finish(status: UInt16, isWhole: Bool) {
    guard !isOver else { return }
    isOver = true
    let duration = loop.map { $0.now - started } ?? .zero
    service.exchanged(
      Service.Exchange(
        requestID: requestID, method: method, pattern: route?.pattern,
        status: HTTPStatus(Int(status)), duration: duration, isWhole: isWhole))
    stream = nil
    writer = nil
  }
}
