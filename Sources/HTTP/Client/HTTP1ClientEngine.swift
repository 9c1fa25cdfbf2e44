import EventLoop
import Time

/// HTTP/1.1 on a client's connection: one request at a time, the others wait in a queue.
final class HTTP1ClientEngine: ClientEngine {
  /// A reference cycle, broken when the host releases its engine at the end of the connection.
  let host: any ClientEngineHost
  private var parser: ResponseParser
  private var pending: [UInt8] = []
  private var waiting: [HTTP1ClientStream] = []
  private var current: HTTP1ClientStream?
  private var isClosed = false
  private var isStopping = false
  private var isProcessing = false

  init(host: any ClientEngineHost) {
    self.host = host
    parser = ResponseParser(limits: Shared(host.limits))
  }

  var room: Int { current == nil && !isClosed && !isStopping ? 1 : 0 }

  var streamCount: Int { waiting.count + (current == nil ? 0 : 1) }

  /// A server says so with its last response, after which the connection is closed.
  let isPeerGoingAway = false

  func send(
    _ head: RequestHead, endStream: Bool, handler: any ResponseHandler
  ) -> any ClientStream {
    let stream = HTTP1ClientStream(
      engine: self, head: head, endStream: endStream, handler: handler)
    waiting.append(stream)
    startNext()
    return stream
  }

  func send(
    _ request: borrowing PreparedRequest, endStream: Bool, handler: any ResponseHandler
  ) -> any ClientStream {
    send(request.head, endStream: endStream, handler: handler)
  }

  private func startNext() {
    guard current == nil, !isClosed else { return }
    guard !waiting.isEmpty else {
      if isStopping { close() }
      return
    }
    let stream = waiting.removeFirst()
    current = stream
    parser.requestMethod = stream.method
    stream.start()
  }

  // MARK: Input

  func receive(_ bytes: Span<UInt8>) {
    guard !isClosed else { return }
    pending.append(copying: bytes)
    process()
  }

  func process() {
    guard !isProcessing, !isClosed else { return }
    isProcessing = true
    defer { isProcessing = false }
    // Moved out, so that it is not modified while it is being read.
    var input: [UInt8] = []
    swap(&input, &pending)
    var offset = 0
    // Also runs without input: a response paused at its last part has only its end left.
    while !isClosed {
      guard let stream = current else {
        // Bytes without a request could be mistaken for the next response.
        if offset < input.count { host.abort(.malformedResponse) }
        break
      }
      if stream.isPaused { break }
      do throws(HTTP1Error) {
        guard let event = try parser.next(input.span, at: &offset) else { break }
        handle(event, input.span, stream)
      } catch {
        fail(stream, .malformedResponse)
        break
      }
    }
    if !isClosed, offset < input.count { pending = Array(input[offset...]) }
    if !isClosed { host.setReading(!(current?.isPaused ?? false)) }
  }

  private func handle(
    _ event: ResponseParser.Event, _ input: Span<UInt8>, _ stream: HTTP1ClientStream
  ) {
    switch event {
    case .head(let head): stream.received(head)
    case .body(let range): stream.received(body: input.extracting(range))
    case .end(let keepsAlive): finish(stream, keepsAlive: keepsAlive)
    }
  }

  private func finish(_ stream: HTTP1ClientStream, keepsAlive: Bool) {
    current = nil
    let isReusable = keepsAlive && stream.isSentWhole
    if !isReusable { isStopping = true }
    stream.complete()
    guard isReusable else { return close() }
    startNext()
    if !isClosed { host.roomChanged() }
  }

  func inputEnded() {
    guard !isClosed else { return }
    if let stream = current, pending.isEmpty, parser.inputEnded() {
      return finish(stream, keepsAlive: false)
    }
    close()
  }

  func resume() {
    host.loop.endOfTurn { [self] in
      process()
      if !isClosed { host.setReading(!(current?.isPaused ?? false)) }
    }
  }

  // MARK: Output

  func outputDrained() { current?.drained() }

  func willFlush() {}

  // MARK: Ends

  func inspect(at now: MonotonicInstant) {
    if let current, current.isExpired(at: now) { fail(current, .timedOut) }
  }

  /// In HTTP/1.1, a failed exchange ends the connection.
  private func fail(_ stream: HTTP1ClientStream, _ cause: StreamFailure.Cause) {
    if current === stream { current = nil }
    stream.fail(cause)
    abort()
  }

  func cancelled(_ stream: HTTP1ClientStream) {
    if current === stream {
      current = nil
      abort()
    } else {
      waiting.removeAll { $0 === stream }
    }
  }

  private func abort() {
    guard !isClosed else { return }
    isClosed = true
    host.abort(.connectionLost)
    failAll(.connectionLost)
  }

  func shutDown() {
    isStopping = true
    startNext()
  }

  private func close() {
    guard !isClosed else { return }
    isClosed = true
    host.close()
    failAll(.connectionLost)
  }

  func connectionLost(_ cause: StreamFailure.Cause) {
    isClosed = true
    failAll(cause)
  }

  private func failAll(_ cause: StreamFailure.Cause) {
    let streams = [current].compactMap { $0 } + waiting
    current = nil
    waiting = []
    for stream in streams { stream.fail(cause) }
  }
}

/// One request on an HTTP/1.1 client connection.
final class HTTP1ClientStream: ClientStream {
  private let engine: HTTP1ClientEngine
  private let head: RequestHead
  private var handler: (any ResponseHandler)?
  private var clock: ResponseClock
  private var unstarted: [UInt8] = []
  private var isEndSent: Bool
  private var isStarted = false
  private var isResponseBegun = false
  private(set) var isPaused = false

  init(
    engine: HTTP1ClientEngine, head: RequestHead, endStream: Bool, handler: any ResponseHandler
  ) {
    self.engine = engine
    self.head = head
    self.handler = handler
    isEndSent = endStream
    clock = ResponseClock(engine.host.timeouts, now: engine.host.loop.now)
  }

  var method: HTTPMethod { head.method }
  var isSentWhole: Bool { isStarted && isEndSent }
  var bufferedBytes: Int { unstarted.count + (isStarted ? engine.host.outputCount : 0) }
  var isCongested: Bool { isStarted && engine.host.isCongested }

  // MARK: From the engine

  /// Sends the request when it reaches the head of the queue.
  func start() {
    isStarted = true
    clock.progressed(engine.host.timeouts.response, now: engine.host.loop.now)
    let framing = framing
    engine.host.write { HTTP1Serializer.write(head, framing: framing, into: &$0) }
    let body = unstarted
    unstarted = []
    if !body.isEmpty { write(body.span) }
    if isEndSent, case .chunked = framing {
      engine.host.write { HTTP1Serializer.writeLastChunk(into: &$0) }
    }
  }

  private var framing: HTTP1Serializer.BodyFraming {
    if let length = head.contentLength { return .length(length) }
    if !head.hasBody, isEndSent, unstarted.isEmpty { return .none }
    return .chunked
  }

  private var isChunked: Bool { head.contentLength == nil }

  func received(_ head: ResponseHead) {
    isResponseBegun = true
    clock.progressed(engine.host.timeouts.bodyIdle, now: engine.host.loop.now)
    handler?.received(head: head)
  }

  func received(body: Span<UInt8>) {
    clock.progressed(engine.host.timeouts.bodyIdle, now: engine.host.loop.now)
    handler?.received(body: body)
  }

  func complete() {
    let handler = handler
    self.handler = nil
    handler?.receivedEnd()
  }

  func drained() { handler?.drained() }

  func isExpired(at now: MonotonicInstant) -> Bool {
    // No response is due before the end of the request; its server limits a body that stalls.
    guard isEndSent || isResponseBegun || bufferedBytes > 0 else { return false }
    clock.noticeUnsent(bufferedBytes, engine.host.timeouts.response, now: now)
    return !isPaused && clock.isExpired(at: now)
  }

  func fail(_ cause: StreamFailure.Cause) {
    let handler = handler
    self.handler = nil
    let isUnprocessed = !isStarted || !engine.host.wasOpen
    handler?.failed(
      StreamFailure(
        cause, isResponseBegun ? .responseBegun : isUnprocessed ? .unprocessed : .sent))
  }

  // MARK: From the handler

  func send(body: Span<UInt8>, endStream: Bool) {
    guard handler != nil, !isEndSent else { return }
    isEndSent = endStream
    guard isStarted else { return unstarted.append(copying: body) }
    clock.progressed(engine.host.timeouts.response, now: engine.host.loop.now)
    write(body)
    if endStream, isChunked {
      engine.host.write { HTTP1Serializer.writeLastChunk(into: &$0) }
    }
  }

  private func write(_ body: Span<UInt8>) {
    engine.host.write { output in
      if isChunked {
        HTTP1Serializer.writeChunk(body, into: &output)
      } else {
        output.append(copying: body)
      }
    }
  }

  func cancel() {
    guard handler != nil else { return }
    handler = nil
    engine.cancelled(self)
  }

  func pauseBody() { isPaused = true }

  /// HTTP/1.1 grants no credit in advance; full socket buffers slow the peer down.
  func holdBody() { pauseBody() }

  func widen(to bytes: Int) {}

  func resumeBody() {
    guard isPaused else { return }
    isPaused = false
    clock.progressed(engine.host.timeouts.bodyIdle, now: engine.host.loop.now)
    engine.resume()
  }
}
