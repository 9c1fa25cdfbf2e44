import HTTP
import Operations
import PublicAPI

/// Responses of the gateway itself.
extension GatewayExchange {
  func answerItself(_ endpoint: Endpoint, _ head: RequestHead) throws(Problem) {
    let parts = context.parts
    if endpoint.path == Endpoint.home.path,
      let (answer, body) = parts.pages.home(head, isSecure: isSecure)
    {
      return send(answer, shared: body)
    }
    let (local, body) = try parts.localAnswers.answer(endpoint, head, isReady: context.isReady)
    var answer = local
    if endpoint.path == Endpoint.home.path, parts.pages.variesHome {
      answer.fields.append(.vary, "Accept")
    }
    send(answer, shared: body)
  }

  func answerPage(_ head: RequestHead) throws(Problem) {
    let (answer, body) = try context.parts.pages.answer(head, isSecure: isSecure)
    send(answer, shared: body)
  }

  func answerOptions(_ allow: String) {
    var head = ResponseHead(.noContent)
    head.fields.append(.allow, allow)
    answer(head, [])
  }

  /// Responds with a problem; a server error is logged.
  func refuse(_ problem: Problem) {
    guard !isOver else { return }
    noteChange()
    if problem.status == .tooManyRequests { context.parts.metrics.limited.increment() }
    if problem.status.code >= 500 {
      context.refusals.note(problem, of: requestID, attempts: attempts.count)
    }
    var (head, body) = problem.response(requestID: requestID)
    head.fields.remove(.requestID)
    answer(head, body)
  }

  private func answer(_ head: ResponseHead, _ body: [UInt8]) {
    var head = head
    RelayPhase.finish(&head.fields, nature)
    stream?.send(head: head, body: body.span)
    finish(status: head.status.code, bytes: UInt64(body.count), isWhole: true)
  }
}
