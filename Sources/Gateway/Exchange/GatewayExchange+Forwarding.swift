import Domain
import EventLoop
import HTTP
import Operations
import PublicAPI

extension GatewayExchange {
  // MARK: To a replica

  /// Sends the request to a replica, or waits for one.
  ///
  /// Failure: 503 with `Retry-After` where none takes it in time.
  func forward() {
    guard stage != .over, let plan, let replicas = context.replicas(of: plan.endpoint.service)
    else { return }
    let account = plan.endpoint.followsAccount ? identity?.session.account.rawValue : nil
    guard let link = replicas.choose(account: account, tried: tried) else {
      return wait(for: replicas)
    }
    stage = .forwarded
    attempts += 1
    tried |= 1 << UInt64(link.index)
    if attempts == 1 { replicas.budget.sent() }
    context.parts.metrics.forwarded.increment()
    let attempt = UpstreamAttempt(self, to: link)
    self.attempt = attempt
    let isBare = isStreaming ? isBodyEnded && body.isEmpty : body.isEmpty
    link.send(head, endStream: isBare, attempt)
    guard !isBare else { return }
    let isWhole = !isStreaming || isBodyEnded
    if isWhole || !body.isEmpty { attempt.stream?.send(body: body.span, endStream: isWhole) }
    resumeBody()
  }

  private func wait(for replicas: ReplicaSet) {
    let now = context.loop.now
    let since = waitingSince ?? now
    waitingSince = since
    stage = .waiting
    guard since + ReplicaSet.waitMax > now, replicas.wait(self, since: since) else {
      return noReplica()
    }
  }

  /// No replica took the request in time.
  func noReplica() {
    guard stage == .waiting else { return }
    refuse(.unavailable())
  }

  /// A sending failed before its answer was whole.
  func attemptFailed(_ kind: StreamFailureKind, _ cause: StreamFailure.Cause) {
    attempt = nil
    guard stage != .over else { return }
    guard stage == .forwarded, let plan, let replicas = context.replicas(of: plan.endpoint.service)
    else { return breakOff() }
    let mayRepeat = RetryRule.mayRepeat(
      kind, isRepeatable: isRepeatable, isBodyKept: isBodyKept, attempts: attempts)
    if mayRepeat, replicas.budget.take(at: context.loop.now) {
      context.parts.metrics.retried.increment()
      if isStreaming { pauseBody() }
      return forward()
    }
    refuse(Self.problem(kind, cause))
  }

  /// Who is to blame: a replica that could not be had is 503, one that took too long 504, one that
  /// broke off 502.
  private static func problem(
    _ kind: StreamFailureKind, _ cause: StreamFailure.Cause
  ) -> Problem {
    var problem: Problem
    switch (kind, cause) {
    case (_, .timedOut): problem = .gatewayTimedOut
    case (.unprocessed, _): problem = .unavailable()
    default: problem = .badGateway
    }
    problem.cause = "\(cause), \(kind)"
    return problem
  }

  // MARK: And back

  /// The answer's head came.
  func relay(_ answer: consuming ResponseHead) {
    guard stage == .forwarded, let stream else { return }
    stage = .relaying
    // A second sending is out of the question now.
    isBodyKept = false
    if isStreaming { body = [] }
    status = answer.status.code
    // Whoever reads that it is logged out may rely on it, before the change comes round.
    if plan?.endpoint.endsSession == true, answer.status == .ok, let identity {
      context.parts.sessions.end(identity.token)
    }
    answerLength = answer.contentLength
    isAnswerEnded = answer.contentLength == 0 || answer.status.hasNoBody
    RelayPhase.rewrite(&answer, nature)
    stream.send(head: answer, endStream: isAnswerEnded)
    if plan?.endpoint.isEndless == true { context.openStreams.add(self) }
  }

  /// Part of the answer's body came.
  func relay(_ part: Span<UInt8>) {
    guard stage == .relaying, let stream, !isAnswerEnded else { return }
    answerBytes += UInt64(part.count)
    isAnswerEnded = answerBytes == answerLength
    stream.send(body: part, endStream: isAnswerEnded)
    guard stream.isCongested, !isAnswerEnded else { return }
    isAnswerPaused = true
    attempt?.stream?.pauseBody()
  }

  /// The answer is whole.
  func relayEnd() {
    attempt = nil
    guard stage == .relaying else { return }
    if !isAnswerEnded { stream?.sendEnd() }
    finish(status: status, isWhole: true)
  }

  /// The answer will not be whole, and the client must notice.
  func breakOff() {
    if !isAnswerEnded { stream?.reset() }
    finish(status: status, isWhole: isAnswerEnded)
  }

  /// One of the two sides takes bytes again; both use this name.
  func drained() {
    if isBodyPaused, let upstream = attempt?.stream, !upstream.isCongested { resumeBody() }
    guard isAnswerPaused, let stream, !stream.isCongested else { return }
    isAnswerPaused = false
    attempt?.stream?.resumeBody()
  }
}
