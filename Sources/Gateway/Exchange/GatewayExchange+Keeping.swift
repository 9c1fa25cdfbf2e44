import EventLoop
import HTTP
import Operations
import PublicAPI

/// Answers that everybody gets alike, kept for moments (decision 0012).
extension GatewayExchange {
  // MARK: Giving one again

  /// Answers with what others were answered a moment ago; false if a replica is to be asked, whose
  /// answer is then gathered if it may be kept.
  func answerAgain(_ plan: EndpointPlan) -> Bool {
    guard let keptFor = plan.endpoint.keptFor, identity == nil, !showsToken,
      head.method == plan.endpoint.method,
      let question = SharedQuestion.bytes(of: head, body: body.opening.bytes)
    else { return false }
    switch context.answers.find(question, keptFor: keptFor) {
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

  /// Answers with bytes that others get too.
  func send(_ head: consuming ResponseHead, shared body: [UInt8]) {
    RelayPhase.finish(&head.fields, nature)
    let repeated = RepeatedAnswer(head.status, body)
    stage = .repeating(repeated)
    stream?.send(head: head, endStream: repeated.isWhole)
    if repeated.isWhole { return finish(repeated, isWhole: true) }
    guard body.count > RepeatedAnswer.pieceBytesMax else { return sendOn() }
    // A request that is reset in the turn in which it came costs no copy of a large body.
    context.loop.endOfTurn { [self] in sendOn() }
  }

  /// Sends more of a shared answer, until the client has to be waited for.
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

  /// The last phase of a request that got a shared answer.
  func finish(_ repeated: RepeatedAnswer, isWhole: Bool) {
    finish(
      status: repeated.status.code, bytes: UInt64(repeated.sentBytes), isWhole: isWhole)
  }

  // MARK: Keeping one

  /// The head of an answer came that may be kept.
  func beginFill(_ head: borrowing ResponseHead) {
    if let fill, !context.answers.begin(fill, head) { endFill() }
  }

  /// The replica waits for the client: what is gathered at that one's pace must be whole soon, or
  /// whoever takes nothing would take the room for it.
  func limitFill() {
    guard let fill, !fill.isSlow else { return }
    fill.isSlow = true
    context.loop.schedule(after: fill.keptFor) { [self] in
      if self.fill === fill { endFill() }
    }
  }

  /// Keeps what was gathered if it is whole, and gathers no more.
  func endFill() {
    guard let fill else { return }
    self.fill = nil
    context.answers.end(fill)
  }

  // MARK: What changes them

  /// What a replica was asked to do may be done, whether it has answered or not: before the client
  /// hears of it no kept answer holds any more.
  func noteChange() {
    guard sendings.count > 0, plan?.mayChangeAnswers == true else { return }
    context.parts.changes.advance()
  }
}
