import Cryptography
import Domain
import EventLoop
import HTTP
import Operations
import PublicAPI

/// Requests whose head came before: the phases that depend on the head alone are left out, and the
/// head for the service is not written again. Every other phase is the same.
extension GatewayExchange {
  /// Takes note of a head that came before, if its request is one that can be remembered: a call
  /// of a service with a token in its field or in the session's cookie, and nothing that differs
  /// between calls.
  func noteCandidate(_ head: borrowing RequestHead, _ hash: UInt64, _ decision: HeadDecision) {
    guard case .service(let plan, let treatment) = decision, plan.refusal != nil, query == nil,
      !plan.endpoint.isEndless, !plan.endpoint.countsSpectators, !plan.endpoint.opensSession,
      !head.fields.contains(.idempotencyKey)
    else { return }
    switch treatment {
    case .stream: return
    case .ignore, .collect: break
    }
    guard let token = Self.token(of: head) else { return }
    candidate = KnownHeads.Candidate(
      hash: hash, head: copy head, plan: plan, treatment: treatment, token: token)
  }

  /// The token of a head that has it in one place; nil for any other head.
  private static func token(of head: borrowing RequestHead) -> KnownHeads.Token? {
    let cookies = SessionCookie.values(in: head.fields)
    switch (head.fields.count(of: .authorization), cookies.count) {
    case (0, 1): return KnownHeads.Token(text: cookies[0], isCookie: true)
    case (1, 0):
      let text = head.fields.withValue(.authorization) { IdentifyPhase.bearerToken($0) } ?? nil
      return text.map { KnownHeads.Token(text: $0, isCookie: false) }
    default: return nil
    }
  }

  /// Remembers a candidate once it has passed all checks of its head, among them those of the
  /// page's origin and of the transport of a cookie.
  func remember(_ caller: ForwardPhase.Caller, _ head: borrowing RequestHead) {
    guard let candidate else { return }
    self.candidate = nil
    guard caller.identity != nil, !showsToken, hasCookie == candidate.token.isCookie else { return }
    context.heads.remember(KnownHead(candidate, caller, PreparedHead(copy head)))
  }

  /// Begins a request with such a head.
  func begin(
    _ stream: any ServerStream, _ known: KnownHead, length: UInt64?
  ) throws(Problem) {
    plan = known.plan
    try AdmitPhase.byAddress(
      stream.peer, known.plan.endpoint.rate, at: context.loop.now, context.parts.limits)
    switch known.treatment {
    case .collect:
      try BodyPhase.checkLength(length, UInt64(BodyPhase.collectedBytesMax))
      guard known.head.hasBody else {
        body = .whole([])
        return try check([], known)
      }
      body = .collecting([])
      self.known = known
    case .ignore, .stream: try identify(known, violation: nil)
    }
  }

  /// Checks a collected body.
  func check(_ bytes: [UInt8], _ known: KnownHead) throws(Problem) {
    let (violation, token) = try BodyPhase.check(bytes, for: known.plan)
    guard token == nil else { return try check(bytes, known.head) }
    if case .tokenOnly = known.plan.bodyRule { body = .ignored }
    try identify(known, violation: violation)
  }

  private func identify(_ known: KnownHead, violation: Problem?) throws(Problem) {
    let parts = context.parts
    let token = known.token
    hasCookie = token.isCookie
    let presented =
      token.isCookie
      ? CookiePhase.judge(token.text, context.tokens)
      : IdentifyPhase.judge(token.text.span, context.tokens)
    let verdict = try IdentifyPhase.decide(
      presented, for: known.plan, in: parts.sessions, at: parts.environment.now())
    switch verdict {
    case .anyone: break
    case .session(let session, let token):
      identity = (session, token)
      try admit(known, session, token, violation)
    case .unknown(let token):
      head = known.head
      lookUp(token, known.plan, violation)
    }
  }

  private func admit(
    _ known: KnownHead, _ session: Session, _ token: TokenHash, _ violation: Problem?
  ) throws(Problem) {
    guard let stream else { return }
    let fits = known.fits(
      session, token, address: context.text(of: stream.peer), isSecure: isSecure,
      isWatched: isWatchedUpload(known.plan))
    guard fits else {
      candidate = known.candidate
      return try admit(known.plan, violation, known.head)
    }
    try AdmitPhase.byAccount(
      session.account.rawValue, known.plan.endpoint.rate, at: context.loop.now,
      context.parts.limits)
    if let violation, !isJudged(known.plan) { throw violation }
    prepared = known.prepared
    forward()
  }

  /// Whether the head for the service has this field.
  func forwards(_ name: FieldName) -> Bool {
    prepared?.head.fields.contains(name) ?? head?.fields.contains(name) ?? false
  }
}
