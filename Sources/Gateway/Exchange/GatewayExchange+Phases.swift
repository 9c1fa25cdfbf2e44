import Cryptography
import Domain
import EventLoop
import HTTP
import Operations
import PublicAPI
import Web

extension GatewayExchange {
  /// Runs phases and responds with the problem that they throw.
  func attemptPhases(_ phases: () throws(Problem) -> Void) {
    do throws(Problem) {
      try phases()
    } catch {
      refuse(error)
    }
  }

  // MARK: By the head

  func begin(_ stream: any ServerStream) throws(Problem) {
    switch try decide(stream) {
    case .options(let allow): answerOptions(allow)
    case .local(let endpoint): try answerItself(endpoint)
    case .page: try answerPage()
    case .service(let plan, .ignore): try identify(plan, bodyToken: nil, violation: nil)
    case .service(_, .collect):
      body = head.hasBody ? .collecting([]) : .whole([])
      if !head.hasBody { try check([]) }
    case .service(let plan, .stream(let bytesMax)):
      try beginStream(plan, bytesMax, stream)
    }
  }

  /// Makes the decisions that need the head only.
  private func decide(_ stream: any ServerStream) throws(Problem) -> HeadDecision {
    // Copied out so that nothing else refers to it when the head is rewritten for the service.
    let head = head
    switch try route(head, stream.peer) {
    case .options(let allow): return .options(allow: allow)
    case .page:
      isPage = true
      return .page
    case .plan(let plan):
      self.plan = plan
      try CookiePhase.checkOrigin(of: head, for: plan.endpoint, isSecure: stream.isSecure)
      query = try head.decodedQuery()
      showsToken = QueryToken.isPresent(in: query)
      guard head.fields.count(of: .idempotencyKey) < 2 else {
        throw .malformed("Send one Idempotency-Key.", field: "Idempotency-Key")
      }
      if plan.endpoint.service == .gateway { return .local(plan.endpoint) }
      return .service(plan, try BodyPhase.begin(head, for: plan))
    }
  }

  /// Checks path, route and admission by address; a request for an unknown path is counted too.
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

  /// Leaves a streamed body unread until a replica has the request.
  private func beginStream(
    _ plan: EndpointPlan, _ bytesMax: UInt64, _ stream: any ServerStream
  ) throws(Problem) {
    body = .streamed(StreamedBody(bytesMax: bytesMax, isEmpty: !head.hasBody))
    if head.hasBody { stream.pauseBody() }
    try identify(
      plan, bodyToken: nil,
      violation: head.hasBody ? nil : .malformed("Send the file as the body."))
  }

  // MARK: By the body

  /// Checks a collected body.
  func check(_ bytes: [UInt8]) throws(Problem) {
    guard let plan else { return }
    let (violation, token) = try BodyPhase.check(bytes, for: plan)
    if token != nil { showsToken = true }
    if case .tokenOnly = plan.bodyRule { body = .ignored }
    try identify(plan, bodyToken: token, violation: violation)
  }

  // MARK: By the token

  /// `violation` is the error in the body, reported only after the token was checked.
  private func identify(
    _ plan: EndpointPlan, bodyToken: String?, violation: Problem?
  ) throws(Problem) {
    let parts = context.parts
    let presented = try present(plan.endpoint, bodyToken: bodyToken)
    let verdict = try IdentifyPhase.decide(
      presented, for: plan, in: parts.sessions, at: parts.environment.now())
    switch verdict {
    case .anyone: try admit(plan, violation)
    case .session(let session, let token):
      identity = (session, token)
      try admit(plan, violation)
    case .unknown(let token): lookUp(token, plan, violation)
    }
  }

  /// Reads the token from its places, the session's cookie included.
  private func present(
    _ endpoint: Endpoint, bodyToken: String?
  ) throws(Problem) -> IdentifyPhase.Presented {
    let tokens = context.tokens
    let presented = try IdentifyPhase.read(head, query, bodyToken: bodyToken, tokens)
    guard let cookie = try CookiePhase.token(of: head, besides: presented),
      endpoint.caller != .anyone
    else { return presented }
    try CookiePhase.checkTransport(of: endpoint, isSecure: stream?.isSecure ?? false)
    hasCookie = true
    return CookiePhase.judge(cookie, tokens)
  }

  private func lookUp(_ token: TokenHash, _ plan: EndpointPlan, _ violation: Problem?) {
    stage = .identifying
    context.parts.metrics.lookups.increment()
    context.parts.source.lookUp(token, for: context.loop) { [self] found in
      guard case .identifying = stage, let refusal = plan.refusal else { return }
      attemptPhases { () throws(Problem) in
        switch found {
        case .unavailable: throw .unavailable()
        case .absent: throw refusal.problem()
        case .open(let session):
          try IdentifyPhase.check(session, for: plan, refusal)
          identity = (session, token)
          try admit(plan, violation)
        }
      }
    }
  }

  // MARK: By the caller

  /// Checks the account's rate, the fields and the query, once the token is known to be valid.
  private func admit(_ plan: EndpointPlan, _ violation: Problem?) throws(Problem) {
    if let identity {
      try AdmitPhase.byAccount(
        identity.session.account.rawValue, plan.endpoint.rate, at: context.loop.now,
        context.parts.limits)
    }
    if let violation, !isJudged(plan) { throw violation }
    if plan.endpoint.isEndless { try admitStream() }
    try plan.endpoint.checkPath(head.path)
    try RoutePhase.check(query, for: plan)
    if answerAgain(plan) { return }
    notePolledRun(plan)
    rewriteHead(plan)
    forward()
  }

  /// Whether a body that violates the schema is forwarded nevertheless. A single wrong value must
  /// not hide an emergency of a monitored account, so Data4Help evaluates the readable part and
  /// then rejects the body.
  private func isJudged(_ plan: EndpointPlan) -> Bool {
    guard plan.endpoint.bringsReadings, let identity else { return false }
    return context.parts.monitoredAccounts.contains(identity.session.account)
  }

  /// - Throws: 503 once the gateway stops, 429 if an address has reached its limit of open streams.
  private func admitStream() throws(Problem) {
    guard !context.openStreams.isStopped else { throw .unavailable() }
    guard identity == nil, context.parts.limits != nil, let peer = stream?.peer else { return }
    guard context.openStreams.hasRoom(for: peer) else { throw .tooManyRequests(retryAfter: 60) }
  }

  private func rewriteHead(_ plan: EndpointPlan) {
    guard let stream, let replicas = context.replicas(of: plan.endpoint.service) else { return }
    let caller = ForwardPhase.Caller(
      identity: identity, address: context.text(of: stream.peer), isSecure: stream.isSecure,
      requestID: requestDigits, isWatched: isWatchedUpload(plan.endpoint),
      traceParent: trace?.value(parent: context.nextRequestID()))
    context.parts.forwarding.rewrite(
      &head, authority: replicas.service, caller: caller, bodyCount: body.count,
      hidesToken: showsToken)
  }
}
