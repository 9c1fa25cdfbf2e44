import Domain
import EventLoop
import HTTP
import JSON
import Operations
import Privacy
import PublicAPI

/// One request on its way through the phases, from its head to the end of its answer. Everything
/// happens on its connection's loop, without waiting: where a phase has to wait (for the body, for
/// a token that is looked up, for a replica), the exchange goes on when it is called again.
final class GatewayExchange: RequestHandler {
  /// What is awaited.
  enum Stage {
    /// The rest of a body that is collected.
    case collecting
    /// The database's word on a token.
    case identifying
    /// A replica that takes requests.
    case waiting
    /// The answer's head.
    case forwarded
    /// The answer's end.
    case relaying
    case over
  }

  let context: LoopContext
  var stage = Stage.collecting
  var stream: (any ServerStream)?
  /// What the client asked for; once the request is admitted, what a replica is asked for.
  var head = GatewayExchange.noHead
  var plan: EndpointPlan?
  var identity: (session: Session, token: TokenHash)?
  let requestID: RequestID
  let requestDigits: [UInt8]
  private let started: MonotonicInstant
  private var method = HTTPMethod.get
  private var query: Query?
  private var showsToken = false
  private var violation: Problem?

  // The body.
  private var treatment = BodyPhase.Treatment.ignore
  /// What was collected, or what is kept of a stream in case it has to be sent again.
  var body: [UInt8] = []
  var isBodyKept = true
  var isBodyEnded = false
  var isBodyPaused = false
  private var bodyReceived: UInt64 = 0

  // The way to a replica and back.
  var attempt: UpstreamAttempt?
  var attempts = 0
  var tried: UInt64 = 0
  var waitingSince: MonotonicInstant?
  var status: UInt16 = 0
  var answerLength: UInt64?
  var answerBytes: UInt64 = 0
  var isAnswerPaused = false
  var isAnswerEnded = false

  /// Bytes of a streamed body that are kept, so that it can be sent again when the first replica
  /// was lost before it took more.
  private static let streamKeptMax = 64 * 1024
  private static let noHead = RequestHead(method: .get, target: [])

  init(_ context: LoopContext) {
    self.context = context
    requestID = context.nextRequestID()
    requestDigits = requestID.digits
    started = context.loop.now
  }

  var isStreaming: Bool {
    if case .stream = treatment { return true }
    return false
  }

  var isRepeatable: Bool {
    plan?.isRepeatable(hasKey: head.fields.contains(.idempotencyKey)) ?? false
  }

  /// What the answer is, beside what its author says.
  var nature: RelayPhase.Nature {
    RelayPhase.Nature(
      isSecure: stream?.isSecure ?? false,
      isPersonal: showsToken || plan?.isPersonal ?? false, requestID: requestDigits)
  }

  // MARK: From the server

  func received(head: consuming RequestHead, on stream: any ServerStream) {
    self.stream = stream
    self.head = head
    method = self.head.method
    attemptPhase { () throws(Problem) in try begin(stream) }
  }

  func received(body part: Span<UInt8>) {
    guard stage != .over else { return }
    switch treatment {
    case .ignore: break
    case .collect:
      guard stage == .collecting else { return }
      guard body.count + part.count <= BodyPhase.collectedBytesMax else {
        return refuse(BodyPhase.tooLarge(UInt64(BodyPhase.collectedBytesMax)))
      }
      body.append(copying: part)
    case .stream(let bytesMax):
      bodyReceived += UInt64(part.count)
      guard bodyReceived <= bytesMax else {
        attempt?.cancel()
        attempt = nil
        return stage == .relaying ? breakOff() : refuse(BodyPhase.tooLarge(bytesMax))
      }
      pass(part)
    }
  }

  func receivedEnd() {
    guard stage != .over else { return }
    isBodyEnded = true
    if isStreaming {
      attempt?.stream?.send(body: [UInt8]().span, endStream: true)
    } else if stage == .collecting, treatment == .collect {
      attemptPhase { () throws(Problem) in try bodyIsComplete() }
    }
  }

  func aborted(_ reason: StreamAbort) {
    guard stage != .over else { return }
    context.parts.metrics.abandoned.increment()
    attempt?.cancel()
    finish(status: status == 0 ? 499 : status, isWhole: false)
  }

  // MARK: The phases

  /// Runs phases; what they refuse is answered.
  private func attemptPhase(_ phases: () throws(Problem) -> Void) {
    do throws(Problem) {
      try phases()
    } catch {
      refuse(error)
    }
  }

  private func begin(_ stream: any ServerStream) throws(Problem) {
    guard try isToBeForwarded(stream) else { return }
    switch treatment {
    case .ignore: try identify(bodyToken: nil)
    case .collect: if !head.hasBody { try bodyIsComplete() }
    case .stream:
      if head.hasBody {
        pauseBody()
      } else {
        isBodyEnded = true
        violation = .malformed("Send the file as the body.")
      }
      try identify(bodyToken: nil)
    }
  }

  /// What can be said by the head alone; false if that was the answer.
  private func isToBeForwarded(_ stream: any ServerStream) throws(Problem) -> Bool {
    // Held by nobody else when the head becomes the service's.
    let head = head
    let route = try self.route(head, stream.peer)
    guard case .plan(let plan) = route else {
      if case .options(let allow) = route { answerOptions(allow) }
      return false
    }
    self.plan = plan
    query = try head.decodedQuery()
    showsToken = QueryToken.stands(in: query)
    guard head.fields.count(of: .idempotencyKey) < 2 else {
      throw .malformed("Send one Idempotency-Key.", field: "Idempotency-Key")
    }
    guard plan.endpoint.service != .gateway else {
      try answerItself(plan.endpoint, head)
      return false
    }
    treatment = try BodyPhase.begin(head, for: plan)
    return true
  }

  /// Path, route and admission by address; who asks for what is not there is counted too.
  private func route(_ head: RequestHead, _ peer: PeerAddress) throws(Problem) -> RoutePhase.Route {
    let parts = context.parts
    var rate = Endpoint.Rate.ordinary
    let found: Result<RoutePhase.Route, Problem>
    do throws(Problem) {
      let route = try RoutePhase.find(head, in: parts.plans)
      if case .plan(let plan) = route { rate = plan.endpoint.rate }
      found = .success(route)
    } catch {
      found = .failure(error)
    }
    try AdmitPhase.byAddress(peer, rate, at: context.loop.now, parts.limits)
    return try found.get()
  }

  private func bodyIsComplete() throws(Problem) {
    guard let plan else { return }
    let token: String?
    (violation, token) = try BodyPhase.check(body, for: plan)
    if token != nil { showsToken = true }
    if case .tokenOnly = plan.bodyRule { body = [] }
    try identify(bodyToken: token)
  }

  private func identify(bodyToken: String?) throws(Problem) {
    guard let plan else { return }
    let parts = context.parts
    let presented = try IdentifyPhase.read(
      head, query, bodyToken: bodyToken, parts.tokens)
    let verdict = try IdentifyPhase.decide(
      presented, for: plan, in: parts.sessions, at: parts.world.now())
    switch verdict {
    case .anyone: try admitted()
    case .session(let session, let token):
      identity = (session, token)
      try admitted()
    case .unknown(let token): lookUp(token, for: plan)
    }
  }

  private func lookUp(_ token: TokenHash, for plan: EndpointPlan) {
    stage = .identifying
    context.parts.metrics.lookups.increment()
    context.parts.source.lookUp(token, for: context.loop) { [self] found in
      guard stage == .identifying, let refusal = plan.refusal else { return }
      attemptPhase { () throws(Problem) in
        switch found {
        case .unavailable: throw .unavailable()
        case .absent: throw refusal.problem()
        case .open(let session):
          try IdentifyPhase.check(session, for: plan, refusal)
          identity = (session, token)
          try admitted()
        }
      }
    }
  }

  /// The token is judged: now the account's rate, the fields and the query.
  private func admitted() throws(Problem) {
    guard let plan else { return }
    if let identity {
      try AdmitPhase.byAccount(
        identity.session.account.rawValue, at: context.loop.now, context.parts.limits)
    }
    if let violation { throw violation }
    if plan.endpoint.isEndless, context.openStreams.isStopped { throw .unavailable() }
    try plan.endpoint.checkPath(head.path)
    try RoutePhase.check(query, for: plan)
    prepare(plan)
    forward()
  }

  private func prepare(_ plan: EndpointPlan) {
    guard let stream, let replicas = context.replicas(of: plan.endpoint.service) else { return }
    let caller = ForwardPhase.Caller(
      identity: identity, address: context.text(of: stream.peer), isSecure: stream.isSecure,
      requestID: requestDigits)
    context.parts.forwarding.rewrite(
      &head, authority: replicas.service, caller: caller,
      bodyCount: isStreaming ? nil : body.count, hidesToken: showsToken)
  }

  // MARK: The body of a stream

  private func pass(_ part: Span<UInt8>) {
    if isBodyKept {
      if body.count + part.count <= Self.streamKeptMax {
        body.append(copying: part)
      } else {
        // It goes on to a replica; without one the body was paused, and more of it is a mistake.
        isBodyKept = false
        body = []
        guard attempt != nil else { return refuse(.unavailable()) }
      }
    }
    guard let upstream = attempt?.stream else { return }
    upstream.send(body: part, endStream: false)
    if upstream.isCongested { pauseBody() }
  }

  func pauseBody() {
    guard !isBodyPaused, !isBodyEnded else { return }
    isBodyPaused = true
    stream?.pauseBody()
  }

  func resumeBody() {
    guard isBodyPaused else { return }
    isBodyPaused = false
    stream?.resumeBody()
  }

  // MARK: Answers of the gateway

  private func answerItself(_ endpoint: Endpoint, _ head: RequestHead) throws(Problem) {
    let (answer, body) = try context.parts.ownAnswers.answer(
      endpoint, head, isReady: context.isReady)
    self.answer(answer, body)
  }

  private func answerOptions(_ allow: String) {
    var head = ResponseHead(.noContent)
    head.fields.append(.allow, allow)
    answer(head, [])
  }

  /// Answers with a problem; what is our fault is logged, once.
  func refuse(_ problem: Problem) {
    guard stage != .over else { return }
    if problem.status == .tooManyRequests { context.parts.metrics.limited.increment() }
    if problem.status.code >= 500 {
      context.parts.log.following(requestID).warning(
        "a request was not served",
        [
          .number("status", problem.status.code), .number("attempts", attempts),
          .safe("cause", OperatorText(problem.cause ?? "none")),
        ])
    }
    var (head, body) = problem.response(requestID: requestID)
    head.fields.remove(.requestID)
    answer(head, body)
  }

  private func answer(_ head: ResponseHead, _ body: [UInt8]) {
    var head = head
    RelayPhase.finish(&head.fields, nature)
    stream?.send(head: head, body: body.span)
    answerBytes = UInt64(body.count)
    finish(status: head.status.code, isWhole: true)
  }

  // MARK: The end

  /// The last phase: counts and writes the access line. It cannot fail.
  func finish(status: UInt16, isWhole: Bool) {
    guard stage != .over else { return }
    stage = .over
    if plan?.endpoint.isEndless == true { context.openStreams.remove(self) }
    let duration = context.loop.now - started
    (plan?.measures ?? context.parts.metrics.unrouted).record(status: status, duration: duration)
    context.accessLog.write(
      AccessLog.Entry(
        requestID: requestDigits, method: method, endpoint: plan?.name ?? [], status: status,
        duration: duration, bytes: answerBytes, attempts: attempts, isWhole: isWhole))
    stream = nil
    attempt = nil
    body = []
    head = Self.noHead
  }
}
