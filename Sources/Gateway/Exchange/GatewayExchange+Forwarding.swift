import Domain
import EventLoop
import HTTP
import Operations
import PublicAPI

/// Forwarding to a replica.
extension GatewayExchange {
  /// Sends the request to a replica, or waits for one.
  ///
  /// Failure: 503 with `Retry-After` if no replica accepts it in time.
  func forward() {
    guard !isOver, let plan, let replicas = context.replicas(of: plan.endpoint.service)
    else { return }
    let account = followsAccount(plan) ? identity?.session.account.rawValue : nil
    let priority = priority(of: plan)
    guard let link = replicas.choose(priority, account: account, tried: attempts.tried) else {
      return wait(for: replicas, priority)
    }
    if attempts.begin(to: link.index) { replicas.budget.sent() }
    context.parts.metrics.forwarded.increment()
    send(to: link, priority)
  }

  /// Whether the request must reach the replica of its account: the one that batches the account's
  /// uploads and, for endless streams, the one that evaluates its readings and can alert without
  /// the database.
  private func followsAccount(_ plan: EndpointPlan) -> Bool {
    if plan.endpoint.followsAccount { return true }
    return plan.endpoint.isEndless && plan.endpoint.service == .data4help
      && identity?.session.kind == .singleUser
  }

  /// The priority class of the request.
  private func priority(of plan: EndpointPlan) -> PriorityClass {
    isWatchedUpload(plan) ? plan.watchedPriority : plan.priority
  }

  /// Whether the request is an upload of an account that AutomatedSOS is known to monitor.
  func isWatchedUpload(_ plan: EndpointPlan) -> Bool {
    guard plan.endpoint.isUpload, let identity else { return false }
    return context.parts.monitoredAccounts.contains(identity.session.account)
  }

  private func send(to link: ReplicaLink, _ priority: PriorityClass) {
    let attempt = UpstreamAttempt(self, to: link, priority)
    stage = .forwarded(attempt)
    let (bytes, isWhole) = body.opening
    let endStream = isWhole && bytes.isEmpty
    if let prepared {
      let request = PreparedRequest(
        prepared, number: requestDigits,
        trace: trace?.following(context.nextRequestID()),
        contentLength: UInt64(bytes.count))
      link.send(request, endStream: endStream, attempt)
    } else if let head {
      link.send(head, endStream: endStream, attempt)
    }
    if !bytes.isEmpty { attempt.stream?.send(body: bytes.span, endStream: isWhole) }
    releaseBody()
  }

  private func wait(for replicas: ReplicaSet, _ priority: PriorityClass) {
    stage = .waiting
    let since = attempts.wait(at: context.loop.now)
    if !replicas.wait(self, priority, since: since) { noReplica() }
  }

  /// Called when no replica accepted the request in time.
  func noReplica() {
    guard case .waiting = stage else { return }
    refuse(.unavailable(because: "no replica accepted the request in time"))
  }

  // MARK: The body of a stream

  /// Forwards a part of the body.
  func pass(_ part: Span<UInt8>) {
    guard let attempt = stage.attempt else {
      // The request waits for a replica, and its client has no flow-control window left: more data
      // than this is an error.
      if !body.isKept { refuse(.unavailable(because: "a body had no room while it waited")) }
      return
    }
    guard let upstream = attempt.stream else { return }
    upstream.send(body: part, endStream: false)
    if upstream.isCongested { holdBody() }
  }

  /// Rejects a body that breaks a limit, at any stage of the request.
  func cutOff(_ problem: Problem) {
    stage.attempt?.cancel()
    if case .relaying(let answer) = stage { return breakOff(answer) }
    refuse(problem)
  }

  private func holdBody() {
    if changeBody({ $0.hold() }) { stream?.pauseBody() }
  }

  private func releaseBody() {
    if changeBody({ $0.release() }) { stream?.resumeBody() }
  }

  // MARK: Failures

  /// Whether the request may go to another replica although one has it and may act on it.
  private var isRepeatable: Bool {
    guard case .forwarded = stage, let plan else { return false }
    return plan.isRepeatable(hasKey: forwards(.idempotencyKey))
  }

  /// An attempt failed before its response was complete.
  func attemptFailed(_ kind: StreamFailureKind, _ cause: StreamFailure.Cause) {
    switch stage {
    case .forwarded: repeatOrRefuse(kind, cause)
    case .relaying(let answer): breakOff(answer)
    case .preparing, .identifying, .waiting, .repeating, .over: break
    }
  }

  private func repeatOrRefuse(_ kind: StreamFailureKind, _ cause: StreamFailure.Cause) {
    guard let plan, let replicas = context.replicas(of: plan.endpoint.service) else { return }
    let mayRepeat = RetryRule.mayRepeat(
      kind, isRepeatable: isRepeatable, isBodyKept: body.isKept, attempts: attempts.count)
    guard mayRepeat, replicas.budget.take(at: context.loop.now) else {
      return refuse(Self.problem(kind, cause))
    }
    sendAgain()
  }

  /// The replica that has the request hangs: a repeatable request is sent to another one if the
  /// budget allows it. Otherwise the replica may still answer.
  func replicaEjected() {
    guard case .forwarded(let attempt) = stage, let plan,
      let replicas = context.replicas(of: plan.endpoint.service),
      RetryRule.mayRepeat(
        .sent, isRepeatable: isRepeatable, isBodyKept: body.isKept, attempts: attempts.count),
      replicas.budget.take(at: context.loop.now)
    else { return }
    attempt.cancel()
    sendAgain()
  }

  private func sendAgain() {
    context.parts.metrics.retried.increment()
    stage = .waiting
    holdBody()
    forward()
  }

  /// The status of a failure: 503 if no replica was available, 504 if one took too long, 502 if one
  /// broke off.
  private static func problem(
    _ kind: StreamFailureKind, _ cause: StreamFailure.Cause
  ) -> Problem {
    var problem: Problem
    switch (kind, cause) {
    case (_, .timedOut): problem = .gatewayTimedOut
    case (.unprocessed, _): problem = .unavailable(because: "no replica took the request")
    default: problem = .badGateway
    }
    problem.cause = "\(cause), \(kind)"
    return problem
  }

  // MARK: Room

  /// One of the two sides accepts bytes again; both sides call this method.
  func drained() {
    let upstream = stage.attempt?.stream
    if let upstream, !upstream.isCongested { releaseBody() }
    if let stream, !stream.isCongested {
      releaseAnswer()
      sendOn()
    }
  }
}
