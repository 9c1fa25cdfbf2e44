import EventLoop
import Operations
import Time

/// One request and its response on an HTTP/2 connection.
final class HTTP2ServerStream: ServerStream, HTTP2StreamHandler {
  private let stream: HTTP2Stream
  private let engine: HTTP2ServerEngine
  private var handler: (any RequestHandler)?
  private var deadline: ConnectionDeadline
  private var received: UInt64 = 0
  /// When the last part of the body arrived, and the bytes not yet reported to the deadline.
  private var latestBody: (at: MonotonicInstant, unheard: Int)?
  private var hidesBody = false
  private var owesContinue = false
  private var isPaused = false
  private var isRequestComplete = false
  private var isResponseBegun = false
  private var isResponseComplete = false
  private var takenBefore: UInt64 = 0
  private var progress: OutputProgress

  init(_ stream: HTTP2Stream, engine: HTTP2ServerEngine, handler: any RequestHandler) {
    self.stream = stream
    self.engine = engine
    self.handler = handler
    deadline = ConnectionDeadline(engine.timeouts)
    progress = OutputProgress(at: engine.loop.now, taken: 0)
  }

  var loop: EventLoop { engine.loop }
  var peer: PeerAddress { engine.peer }
  var isSecure: Bool { engine.isSecure }
  var bufferedBytes: Int { stream.queuedBytes }
  var isCongested: Bool { stream.isCongested }
  var room: Int { stream.room }
  func reserveRoom(atMost bytesMax: Int) -> Int { stream.reserveRoom(atMost: bytesMax) }
  func limitBuffering() { stream.limitBuffering() }

  // MARK: From the session

  func begin(_ head: consuming RequestHead) {
    guard head.contentLength ?? 0 <= engine.bodyBytesMax else {
      // The handler has not been called yet.
      handler = nil
      return refuse(.contentTooLarge, .malformed)
    }
    hidesBody = head.method == .head
    owesContinue =
      head.hasBody
      && head.fields.withValue(.expect) { $0.equalsIgnoringCase("100-continue") } ?? false
    enter(head.hasBody ? .body : .answering)
    handler?.received(head: head, on: self)
    sendContinueIfWanted()
  }

  func received(body: Span<UInt8>, on stream: HTTP2Stream) {
    guard !isResponseComplete else { return }
    received += UInt64(body.count)
    latestBody = (loop.now, (latestBody?.unheard ?? 0) + body.count)
    guard received <= engine.bodyBytesMax else {
      return refuse(.contentTooLarge, .malformed)
    }
    handler?.received(body: body)
  }

  func receivedEnd(trailers: HTTPFields?, on stream: HTTP2Stream) {
    isRequestComplete = true
    enter(.answering)
    if !isResponseComplete { handler?.receivedEnd() }
  }

  func drained(_ stream: HTTP2Stream) { handler?.drained() }

  func closed(_ closure: HTTP2Closure, on stream: HTTP2Stream) {
    switch closure.cause {
    case .finished: end(nil)
    case .resetByPeer: end(.peerClosed)
    case .resetHere: end(.malformed)
    case .connectionLost: end(engine.lossReason)
    }
    engine.ended(self)
  }

  /// Resets the stream if its request body has stalled or the client does not read the response.
  func inspect(at now: MonotonicInstant) {
    if let (arrival, count) = latestBody { deadline.bodyProgressed(count, now: arrival) }
    latestBody = nil
    let taken = stream.takenBytes
    // Nothing is framed while the socket is full; the socket has its own time-out.
    if stream.queuedBytes == 0 || engine.host.isCongested || !engine.endsUntakenOutput {
      deadline.outputEmptied()
    } else {
      deadline.outputWaits(now: now, progressed: taken != takenBefore)
    }
    takenBefore = taken
    progress = progress.shortened(at: now, taken: taken)
    switch deadline.expired(at: now) {
    case nil: break
    case .phase: refuse(.requestTimeout, .timedOut)
    case .output:
      end(.timedOut)
      stream.reset(.cancel)
      engine.host.planFlush()
    }
  }

  /// Bytes a second that the client takes of the response; nil unless it has waited for a while.
  func takenRate(at now: MonotonicInstant) -> Double? {
    progress.rate(at: now, taken: stream.takenBytes)
  }

  private func enter(_ phase: ConnectionPhase) {
    latestBody = nil
    deadline.enter(phase, now: loop.now)
  }

  private func end(_ reason: StreamAbort?) {
    let handler = handler
    self.handler = nil
    if let reason, !isResponseComplete || !stream.isSentWhole { handler?.aborted(reason) }
  }

  /// Sends this status if no response has been sent yet, and discards the rest of the request.
  private func refuse(_ status: HTTPStatus, _ reason: StreamAbort) {
    let mayAnswer = !isResponseBegun
    end(reason)
    if mayAnswer {
      let (head, body) = Problem.refusal(status).response(requestID: .random())
      stream.send(head, endStream: false)
      stream.send(body: body.span, endStream: true)
    } else {
      stream.reset(.cancel)
    }
    isResponseBegun = true
    completeResponse()
    engine.host.planFlush()
  }

  /// Discards the rest of the request once the response is complete: a paused stream would keep its
  /// bytes, and would never be reported as closed.
  private func completeResponse() {
    isResponseComplete = true
    guard isPaused else { return }
    isPaused = false
    stream.resumeBody()
  }

  private func sendContinueIfWanted() {
    guard owesContinue, !isPaused, !isResponseBegun, handler != nil else { return }
    owesContinue = false
    stream.sendContinue()
    engine.host.planFlush()
  }

  // MARK: From the handler

  func send(head: consuming ResponseHead, endStream: Bool) {
    guard !isResponseBegun, handler != nil, !head.status.isInformational else { return }
    isResponseBegun = true
    if !head.fields.contains(.date) { head.fields.append(.date, copying: engine.host.date.span) }
    let isBodyless = hidesBody || head.status.hasNoBody
    stream.send(head, endStream: endStream || isBodyless)
    if endStream || isBodyless { completeResponse() }
    engine.host.planFlush()
  }

  func send(body: Span<UInt8>, endStream: Bool) {
    guard isResponseBegun, !isResponseComplete, handler != nil else { return }
    if stream.queuedBytes == 0 {
      progress = OutputProgress(at: loop.now, taken: stream.takenBytes)
    }
    stream.send(body: body, endStream: endStream)
    if endStream { completeResponse() }
    engine.host.planFlush()
  }

  func reset() {
    guard handler != nil, !isResponseComplete else { return }
    handler = nil
    stream.reset(.internalError)
    engine.host.planFlush()
  }

  func pauseBody() {
    guard !isPaused, !isRequestComplete, !isResponseComplete else { return }
    isPaused = true
    enter(.answering)
    stream.pauseBody()
  }

  func resumeBody() {
    guard isPaused else { return }
    isPaused = false
    enter(.body)
    sendContinueIfWanted()
    // Runs at the end of the turn, never inside the handler's own call.
    loop.endOfTurn { [self] in
      guard !isPaused else { return }
      stream.resumeBody()
      engine.host.planFlush()
    }
  }
}
