import Cryptography
import Domain
import EventLoop
import HTTP
import Operations
import PublicAPI
import Web

extension GatewayExchange {
  // The phases consume the head: nothing else refers to it when it is rewritten for the service.

  // MARK: By the head

  /// `repeated` is the hash of a head that came before.
  func begin(
    _ stream: any ServerStream, _ head: consuming RequestHead, _ repeated: UInt64?
  ) throws(Problem) {
    let decision = try decide(stream, head)
    if let repeated { noteCandidate(head, repeated, decision) }
    switch decision {
    case .options(let allow): answerOptions(allow)
    case .local(let plan): try answerItself(plan.endpoint, head)
    case .page: try answerPage(head)
    case .service(let plan, .ignore):
      try identify(plan, head, bodyToken: nil, violation: nil)
    case .service(_, .collect):
      guard head.hasBody else {
        body = .whole([])
        return try check([], head)
      }
      body = .collecting([])
      self.head = head
    case .service(let plan, .stream(let bytesMax)):
      try beginStream(plan, bytesMax, stream, head)
    }
  }

  /// Makes the decisions that need the head only.
  private func decide(
    _ stream: any ServerStream, _ head: borrowing RequestHead
  ) throws(Problem) -> HeadDecision {
    switch try route(head, stream.peer) {
    case .options(let allow): return .options(allow: allow)
    case .page:
      isPage = PageAnswers.cover(head.path)
      return .page
    case .plan(let plan):
      self.plan = plan
      if plan.endpoint.opensSession || head.fields.contains(.cookie) {
        try CookiePhase.checkOrigin(of: head, for: plan.endpoint, isSecure: isSecure)
      }
      query = try head.decodedQuery()
      showsToken = QueryToken.isPresent(in: query)
      guard head.fields.count(of: .idempotencyKey) < 2 else {
        throw .malformed("Send one Idempotency-Key.", field: "Idempotency-Key")
      }
      if plan.endpoint.service == .gateway { return .local(plan) }
      return .service(plan, try BodyPhase.begin(head, for: plan))
    }
  }

  /// Checks path, route and admission by address; a request for an unknown path is counted too.
  private func route(
    _ head: borrowing RequestHead, _ peer: PeerAddress
  ) throws(Problem) -> RoutePhase.Route {
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
    _ plan: EndpointPlan, _ bytesMax: UInt64, _ stream: any ServerStream,
    _ head: consuming RequestHead
  ) throws(Problem) {
    let hasBody = head.hasBody
    body = .streamed(StreamedBody(bytesMax: bytesMax, isEmpty: !hasBody))
    if hasBody { stream.pauseBody() }
    try identify(
      plan, head, bodyToken: nil,
      violation: hasBody ? nil : .malformed("Send the file as the body."))
  }

  // MARK: By the body

  /// Checks a collected body.
  func check(_ bytes: [UInt8], _ head: consuming RequestHead) throws(Problem) {
    guard let plan else { return }
    let (violation, token) = try BodyPhase.check(bytes, for: plan)
    if token != nil { showsToken = true }
    if case .tokenOnly = plan.bodyRule { body = .ignored }
    try identify(plan, head, bodyToken: token, violation: violation)
  }

  // MARK: By the token

  /// `violation` is the error in the body, reported only after the token was checked.
  private func identify(
    _ plan: EndpointPlan, _ head: consuming RequestHead, bodyToken: String?, violation: Problem?
  ) throws(Problem) {
    let parts = context.parts
    let presented = try present(plan, head, bodyToken: bodyToken)
    let verdict = try IdentifyPhase.decide(
      presented, for: plan, in: parts.sessions, at: parts.environment.now())
    switch verdict {
    case .anyone: try admit(plan, violation, head)
    case .session(let session, let token):
      identity = (session, token)
      try admit(plan, violation, head)
    case .unknown(let token):
      self.head = head
      lookUp(token, plan, violation)
    }
  }

  /// Reads the token from its places, the session's cookie included.
  private func present(
    _ plan: EndpointPlan, _ head: borrowing RequestHead, bodyToken: String?
  ) throws(Problem) -> IdentifyPhase.Presented {
    let tokens = context.tokens
    let presented = try IdentifyPhase.read(head, query, bodyToken: bodyToken, tokens)
    guard let cookie = try CookiePhase.token(of: head, besides: presented),
      plan.endpoint.caller != .anyone
    else { return presented }
    try CookiePhase.checkTransport(of: plan.endpoint, isSecure: isSecure)
    hasCookie = true
    return CookiePhase.judge(cookie, tokens)
  }

  func lookUp(_ token: TokenHash, _ plan: EndpointPlan, _ violation: Problem?) {
    stage = .identifying
    context.parts.metrics.lookups.increment()
    context.parts.source.lookUp(token, for: context.loop) { [self] found in
      guard case .identifying = stage, let refusal = plan.refusal,
        let head = self.head.take()
      else { return }
      do throws(Problem) {
        switch found {
        case .unavailable(let cause): throw .unavailable(because: cause)
        case .absent: throw refusal.problem(IdentifyPhase.needsToken)
        case .open(let session):
          try IdentifyPhase.check(session, for: plan, refusal)
          identity = (session, token)
          try admit(plan, violation, head)
        }
      } catch {
        refuse(error)
      }
    }
  }

  // MARK: By the caller

  /// Checks the account's rate, the fields and the query, once the token is known to be valid.
  func admit(
    _ plan: EndpointPlan, _ violation: Problem?, _ head: consuming RequestHead
  ) throws(Problem) {
    if let identity {
      try AdmitPhase.byAccount(
        identity.session.account.rawValue, plan.endpoint.rate, at: context.loop.now,
        context.parts.limits)
    }
    if let violation, !isJudged(plan) { throw violation }
    if plan.endpoint.isEndless { try admitStream() }
    try plan.endpoint.checkPath(head.path)
    try RoutePhase.check(query, for: plan)
    if answerAgain(plan, head) { return }
    notePolledRun(plan, head)
    rewrite(&head, plan)
    self.head = head
    forward()
  }

  /// Whether a body that violates the schema is forwarded nevertheless. A single wrong value must
  /// not hide an emergency of a monitored account, so Data4Help evaluates the readable part and
  /// then rejects the body.
  func isJudged(_ plan: EndpointPlan) -> Bool {
    guard plan.endpoint.bringsReadings, let identity else { return false }
    return context.parts.monitoredAccounts.contains(identity.session.account)
  }

  /// - Throws: 503 once the gateway stops, 429 if an address has reached its limit of open streams.
  private func admitStream() throws(Problem) {
    guard !context.openStreams.isStopped else {
      throw .unavailable(because: "the gateway stops")
    }
    if identity == nil, context.parts.limits != nil, let peer = stream?.peer,
      !context.openStreams.hasRoom(for: peer)
    {
      throw .tooManyRequests(retryAfter: 60)
    }
    context.openStreams.add(self)
  }

  private func rewrite(_ head: inout RequestHead, _ plan: EndpointPlan) {
    guard let stream, let replicas = context.replicas(of: plan.endpoint.service) else { return }
    let caller = ForwardPhase.Caller(
      identity: identity, address: context.text(of: stream.peer), isSecure: isSecure,
      requestID: requestDigits, isWatched: isWatchedUpload(plan),
      hasCookie: hasCookie && plan.endpoint.renewsSession,
      trace: trace?.following(context.nextRequestID()))
    context.forwarding.rewrite(
      &head, authority: replicas.service, caller: caller, bodyCount: body.count,
      hidesToken: showsToken)
    remember(caller, head)
  }
}
