import EventLoop
import HTTP
import Operations
import PublicAPI

/// Short-term caching of responses that are the same for every client (decision 0012).
extension GatewayExchange {
  // MARK: Serving from the cache

  /// Responds from the cache; false if a replica must be asked. In that case the response is
  /// collected if it may be cached.
  func answerAgain(_ plan: EndpointPlan, _ head: RequestHead) -> Bool {
    guard let keptFor = plan.endpoint.keptFor, identity == nil, !showsToken,
      head.method == plan.endpoint.method,
      let key = CacheKey.bytes(of: head, body: body.opening.bytes)
    else { return false }
    switch context.answers.find(key, keptFor: keptFor) {
    case .fill(let begun):
      fill = begun
      return false
    case .answer(let answer):
      context.parts.metrics.kept.increment()
      polledRun = answer.polledRun
      send(answer.head, shared: answer.body)
      return true
    }
  }

  /// Responds with a shared body.
  func send(_ head: consuming ResponseHead, shared body: [UInt8]) {
    RelayPhase.finish(&head.fields, nature)
    let repeated = CachedResponseProgress(head.status, body)
    stage = .repeating(repeated)
    stream?.send(head: head, endStream: repeated.isWhole)
    if repeated.isWhole { return finish(repeated, isWhole: true) }
    guard body.count > CachedResponseProgress.pieceBytesMax else { return sendOn() }
    // Deferred, so that a request that is reset in the turn it arrived costs no copy of a large
    // body.
    context.loop.endOfTurn { [self] in sendOn() }
  }

  /// Sends more of a shared body until the client's stream is full.
  func sendOn() {
    while case .repeating(var repeated) = stage, let stream {
      let body = repeated.body
      let piece = body.span.extracting(repeated.takePiece(room: stream.room))
      stage = .repeating(repeated)
      stream.send(body: piece, endStream: repeated.isWhole)
      if repeated.isWhole { return finish(repeated, isWhole: true) }
      if stream.isCongested { return }
    }
  }

  /// Ends a request that got a shared response.
  func finish(_ repeated: CachedResponseProgress, isWhole: Bool) {
    finish(
      status: repeated.status.code, bytes: UInt64(repeated.sentBytes), isWhole: isWhole)
  }

  // MARK: Filling the cache

  /// Starts collecting a response, if its head allows caching.
  func beginFill(_ head: borrowing ResponseHead) {
    if let fill, !context.answers.begin(fill, head) { endFill() }
  }

  /// Called when the replica waits for the client. A response collected at the client's pace must
  /// be complete soon; otherwise a client that reads nothing would occupy the room for collecting.
  func limitFill() {
    guard let fill, !fill.isSlow else { return }
    fill.isSlow = true
    context.loop.schedule(after: fill.keptFor) { [self] in
      if self.fill === fill { endFill() }
    }
  }

  /// Caches the collected response if it is complete, and stops collecting.
  func endFill() {
    guard let fill else { return }
    self.fill = nil
    context.answers.end(fill)
  }

  // MARK: Invalidation

  /// Invalidates cached responses before the client learns of a possible change. A request sent to
  /// a replica may have taken effect whether or not the replica has answered.
  func noteChange() {
    guard attempts.count > 0, plan?.mayChangeAnswers == true else { return }
    context.parts.changes.advance()
  }
}
