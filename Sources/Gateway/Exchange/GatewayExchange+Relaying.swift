import HTTP
import PublicAPI

/// Relaying a replica's response to the client.
extension GatewayExchange {
  /// The most bytes of a revocable response that its service may send ahead of the client. They are
  /// with the gateway when the person ends the request, and may reach the client after that.
  private static let revocableWindow = 16 * 1024

  /// Relays the response's head.
  func relay(_ head: consuming ResponseHead) {
    guard case .forwarded(let attempt) = stage, let stream else { return }
    let answer = RelayedAnswer(head, to: attempt)
    stage = .relaying(answer)
    // The request cannot be repeated from here on.
    changeBody { $0.forget() }
    // The session ends here at once, so that it has ended when the client receives the response to
    // its logout, before the follower sees the change.
    if plan?.endpoint.endsSession == true, head.status == .ok, let identity {
      context.parts.sessions.end(identity.token)
    }
    head.fields.withValue(.internalWatched) { value in noteWatched(value.equals("1")) }
    noteChange()
    beginFill(head)
    let cookie = sessionCookie(of: head)
    context.relayedHeads.rewrite(&head, nature)
    if let cookie { head.fields.append(.setCookie, cookie) }
    if plan?.endpoint.isRevocable == true { stream.limitBuffering() }
    stream.send(head: head, endStream: answer.isEnded)
    if plan?.endpoint.isEndless == true, context.openStreams.isStopped { endStream() }
  }

  /// The only cookie that passes to a client: that of a login, the one that replaces the caller's,
  /// or its removal when the session ends.
  private func sessionCookie(of head: borrowing ResponseHead) -> String? {
    guard let plan, head.status == .ok, isSecure else { return nil }
    if plan.endpoint.opensSession || (plan.endpoint.renewsSession && hasCookie) {
      return head.fields[.setCookie]
    }
    return plan.endpoint.endsSession && hasCookie ? SessionCookie.removal : nil
  }

  /// Records what a response says about monitoring. An upload that did not ask the replica to look
  /// may be older than the activation, so its response never removes the mark.
  private func noteWatched(_ isWatched: Bool) {
    guard let identity, let plan else { return }
    guard isWatched || !plan.endpoint.isUpload || forwards(.internalWatched)
    else { return }
    context.parts.monitoredAccounts.note(identity.session.account, isWatched: isWatched)
  }

  /// Relays a part of the response's body.
  func relay(_ part: Span<UInt8>) {
    guard let stream, let place = stage.changeAnswer({ $0.take(part.count) }) else { return }
    if place != .afterEnd { fill?.take(part) }
    switch place {
    case .inside, .widening:
      stream.send(body: part, endStream: false)
      if place == .widening, plan?.endpoint.isRevocable == true {
        widenAnswer(stream.reserveRoom(atMost: Self.revocableWindow))
      } else if place == .widening, !stream.isCongested {
        widenAnswer(stream.reserveRoom(atMost: .max))
      }
      if stream.isCongested { holdAnswer() }
    case .last:
      endFill()
      stream.send(body: part, endStream: true)
    case .afterEnd: break
    }
  }

  /// Ends a complete response.
  func relayEnd() {
    guard case .relaying(let answer) = stage else { return }
    if !answer.isEnded { stream?.sendEnd() }
    finish(answer, isWhole: true)
  }

  /// Resets the client's stream, so that the client notices an incomplete response.
  func breakOff(_ answer: RelayedAnswer) {
    if !answer.isEnded { stream?.reset() }
    finish(answer, isWhole: answer.isEnded)
  }

  private func holdAnswer() {
    guard stage.changeAnswer({ $0.hold() }) == true else { return }
    stage.attempt?.stream?.holdBody()
    limitFill()
  }

  /// Widens the replica's window to as many bytes as the client's connection may buffer.
  private func widenAnswer(_ bytes: Int) {
    if bytes > ReplicaLink.answerWindow { stage.attempt?.stream?.widen(to: bytes) }
  }

  func releaseAnswer() {
    if stage.changeAnswer({ $0.release() }) == true { stage.attempt?.stream?.resumeBody() }
  }
}
