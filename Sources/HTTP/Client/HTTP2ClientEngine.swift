import EventLoop
import Time

/// HTTP/2 on a client's connection.
final class HTTP2ClientEngine: ClientEngine, HTTP2SessionDelegate {
  /// A reference cycle, broken when the host releases its engine at the end of the connection.
  let host: any ClientEngineHost
  private let session: HTTP2Session
  /// Values of the host that streams use in each request.
  let loop: EventLoop
  let timeouts: HTTPTimeouts
  let bodyBytesMax: UInt64
  private(set) var streamCount = 0
  private var pulled: [UInt8] = []
  private var isClosed = false
  private var isGoingAway = false
  private(set) var lossCause = StreamFailure.Cause.connectionLost

  init(host: any ClientEngineHost, settings: HTTP2Settings) throws(HTTP2Error) {
    self.host = host
    loop = host.loop
    timeouts = host.timeouts
    bodyBytesMax = host.limits.bodyBytesMax
    session = try HTTP2Session(role: .client, settings: settings)
    session.delegate = self
  }

  var room: Int {
    guard !isClosed, !isGoingAway, session.acceptsRequests else { return 0 }
    return max(0, session.peerStreamsMax - session.streamCount)
  }

  func send(
    _ head: RequestHead, endStream: Bool, handler: any ResponseHandler
  ) -> any ClientStream {
    let adapter = HTTP2ClientStream(engine: self, handler: handler)
    do throws(HTTP2Error) {
      let stream = try session.send(head, endStream: endStream, handler: adapter)
      adapter.begin(stream)
      streamCount += 1
      host.planFlush()
    } catch {
      loop.endOfTurn { adapter.refuse() }
    }
    return adapter
  }

  func ended(_ stream: HTTP2ClientStream) {
    streamCount -= 1
    guard !isClosed else { return }
    host.planFlush()
    host.roomChanged()
  }

  func receive(_ bytes: Span<UInt8>) {
    guard !isClosed else { return }
    do throws(HTTP2Error) {
      try session.receive(bytes, at: loop.now)
    } catch {
      lossCause = .malformedResponse
      pull()
      return close()
    }
    host.planFlush()
  }

  func receivedGoAway(_ code: HTTP2ErrorCode, lastStream: Int32) {
    isGoingAway = true
    host.roomChanged()
  }

  func receivedSettings() { host.roomChanged() }

  func willFlush() { pull() }

  func outputDrained() { pull() }

  private func pull() {
    while !isClosed, !host.isCongested, session.hasOutput {
      // Moved out, because handlers of drained streams run during the pull and may write.
      var frames: [UInt8] = []
      swap(&frames, &pulled)
      session.pullOutput(into: &frames)
      if !frames.isEmpty { host.write { $0.append(contentsOf: frames) } }
      let isUseless = frames.isEmpty
      frames.removeAll(keepingCapacity: frames.capacity <= 64 * 1024)
      swap(&frames, &pulled)
      if isUseless { break }
    }
    guard !isClosed else { return }
    if session.isFinished || (isGoingAway && streamCount == 0) { close() }
  }

  func inspect(at now: MonotonicInstant) {
    for stream in session.streams { (stream.handler as? HTTP2ClientStream)?.inspect(at: now) }
  }

  func shutDown() {
    isGoingAway = true
    session.shutDown()
    host.planFlush()
  }

  func inputEnded() { close() }

  private func close() {
    guard !isClosed else { return }
    isClosed = true
    host.close()
    session.connectionLost()
  }

  func connectionLost(_ cause: StreamFailure.Cause) {
    guard !isClosed else { return }
    isClosed = true
    lossCause = cause
    session.connectionLost()
  }
}

/// One request on an HTTP/2 client connection.
final class HTTP2ClientStream: ClientStream, HTTP2StreamHandler {
  private let engine: HTTP2ClientEngine
  private var stream: HTTP2Stream?
  private var handler: (any ResponseHandler)?
  private var clock: ResponseClock
  private var isResponseBegun = false
  private var isPaused = false
  private var received: UInt64 = 0

  init(engine: HTTP2ClientEngine, handler: any ResponseHandler) {
    self.engine = engine
    self.handler = handler
    clock = ResponseClock(engine.timeouts, now: engine.loop.now)
  }

  var bufferedBytes: Int { stream?.queuedBytes ?? 0 }
  var isCongested: Bool { stream?.isCongested ?? false }

  func begin(_ stream: HTTP2Stream) { self.stream = stream }

  /// Fails the request because its connection is closing.
  func refuse() { end(StreamFailure(.connectionLost, .unprocessed)) }

  // MARK: From the session

  func received(_ head: ResponseHead, on stream: HTTP2Stream) {
    isResponseBegun = true
    clock.progressed(engine.timeouts.bodyIdle, now: engine.loop.now)
    handler?.received(head: head)
  }

  func received(body: Span<UInt8>, on stream: HTTP2Stream) {
    clock.progressed(engine.timeouts.bodyIdle, now: engine.loop.now)
    received += UInt64(body.count)
    guard received <= engine.bodyBytesMax else {
      end(StreamFailure(.malformedResponse, .responseBegun))
      return reset()
    }
    handler?.received(body: body)
  }

  func receivedEnd(trailers: HTTPFields?, on stream: HTTP2Stream) {
    let handler = handler
    self.handler = nil
    handler?.receivedEnd()
    // The response is complete, so the peer does not need the rest of the request.
    if !stream.isSentWhole { reset() }
  }

  func drained(_ stream: HTTP2Stream) { handler?.drained() }

  func closed(_ closure: HTTP2Closure, on stream: HTTP2Stream) {
    let isUnprocessed = closure.isUnprocessed || !engine.host.wasOpen
    let progress: StreamFailure.Progress =
      isResponseBegun ? .responseBegun : isUnprocessed ? .unprocessed : .sent
    switch closure.cause {
    case .finished, .resetByPeer: end(StreamFailure(.streamReset, progress))
    case .resetHere: end(StreamFailure(.malformedResponse, progress))
    case .connectionLost: end(StreamFailure(engine.lossCause, progress))
    }
    engine.ended(self)
  }

  func inspect(at now: MonotonicInstant) {
    clock.noticeUnsent(bufferedBytes, engine.timeouts.response, now: now)
    guard !isPaused, clock.isExpired(at: now) else { return }
    end(StreamFailure(.timedOut, isResponseBegun ? .responseBegun : .sent))
    reset()
  }

  private func end(_ failure: StreamFailure) {
    let handler = handler
    self.handler = nil
    handler?.failed(failure)
  }

  private func reset() {
    stream?.reset(.cancel)
    engine.host.planFlush()
  }

  // MARK: From the handler

  func send(body: Span<UInt8>, endStream: Bool) {
    guard handler != nil, let stream else { return }
    clock.progressed(engine.timeouts.response, now: engine.loop.now)
    stream.send(body: body, endStream: endStream)
    engine.host.planFlush()
  }

  func cancel() {
    guard handler != nil else { return }
    handler = nil
    reset()
  }

  func pauseBody() {
    isPaused = true
    stream?.pauseBody()
  }

  func holdBody() {
    isPaused = true
    stream?.holdBody()
  }

  func widen(to bytes: Int) {
    stream?.widen(to: bytes)
    engine.host.planFlush()
  }

  func resumeBody() {
    guard isPaused else { return }
    isPaused = false
    clock.progressed(engine.timeouts.bodyIdle, now: engine.loop.now)
    // Runs at the end of the turn, never inside the handler's own call.
    engine.loop.endOfTurn { [self] in
      guard !isPaused else { return }
      stream?.resumeBody()
      engine.host.planFlush()
    }
  }
}
