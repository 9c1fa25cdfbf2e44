import HTTP
import PublicAPI

/// The way of a replica's answer to the client.
extension GatewayExchange {
  /// The answer's head came.
  func relay(_ head: consuming ResponseHead) {
    guard case .forwarded(let attempt) = stage, let stream else { return }
    let answer = RelayedAnswer(head, to: attempt)
    stage = .relaying(answer)
    // A second sending is out of the question now.
    body.forget()
    // Whoever reads that it is logged out may rely on it, before the change comes round.
    if plan?.endpoint.endsSession == true, head.status == .ok, let identity {
      context.parts.sessions.end(identity.token)
    }
    head.fields.withValue(.internalWatched) { value in noteWatched(value.equals("1")) }
    noteChange()
    beginFill(head)
    RelayPhase.rewrite(&head, nature)
    stream.send(head: head, endStream: answer.isEnded)
    if plan?.endpoint.isEndless == true { context.openStreams.add(self) }
  }

  /// Takes over what an answer says about AutomatedSOS. An upload that did not ask a replica to
  /// look may be older than what has switched it on, and takes nothing back.
  private func noteWatched(_ isWatched: Bool) {
    guard let identity, let plan else { return }
    guard isWatched || !plan.endpoint.isUpload || head.fields.contains(.internalWatched) else {
      return
    }
    context.parts.watchedAccounts.note(identity.session.account, isWatched: isWatched)
  }

  /// Part of the answer's body came.
  func relay(_ part: Span<UInt8>) {
    guard let stream, let place = stage.changeAnswer({ $0.take(part.count) }) else { return }
    if place != .behindTheEnd { fill?.take(part) }
    switch place {
    case .inside, .widening:
      stream.send(body: part, endStream: false)
      if stream.isCongested {
        holdAnswer()
      } else if place == .widening {
        widenAnswer(stream.room)
      }
    case .last:
      endFill()
      stream.send(body: part, endStream: true)
    case .behindTheEnd: break
    }
  }

  /// The answer is whole.
  func relayEnd() {
    guard case .relaying(let answer) = stage else { return }
    if !answer.isEnded { stream?.sendEnd() }
    finish(answer, isWhole: true)
  }

  /// The answer will not be whole, and the client must notice.
  func breakOff(_ answer: RelayedAnswer) {
    if !answer.isEnded { stream?.reset() }
    finish(answer, isWhole: answer.isEnded)
  }

  private func holdAnswer() {
    guard stage.changeAnswer({ $0.hold() }) == true else { return }
    stage.attempt?.stream?.holdBody()
    limitFill()
  }

  /// Lets the replica have as much under way as the client's connection may keep of it.
  private func widenAnswer(_ bytes: Int) {
    if bytes > ReplicaLink.answerWindow { stage.attempt?.stream?.widen(to: bytes) }
  }

  func releaseAnswer() {
    if stage.changeAnswer({ $0.release() }) == true { stage.attempt?.stream?.resumeBody() }
  }
}
