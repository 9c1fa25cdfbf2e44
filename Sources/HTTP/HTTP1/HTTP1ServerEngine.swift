import EventLoop
import Operations

/// HTTP/1.1 on a server's connection: one request at a time; pipelined requests wait.
package final class HTTP1ServerEngine: ServerEngine {
  /// Bytes of an unread body that are read and dropped to keep a connection; a larger rest costs
  /// more than a new connection.
  static let discardedBytesMax: UInt64 = 64 * 1024

  /// A reference cycle, broken when the host releases its engine at the end of the connection.
  let host: any ServerEngineHost
  private(set) var parser: RequestParser
  /// Input not parsed yet: part of a head, or bytes after the current request.
  private var pending: [UInt8] = []
  private(set) var current: HTTP1ServerStream?
  private var isProcessing = false
  private var hasInputEnded = false
  private(set) var isStopping = false
  private var isEndPlanned = false
  private(set) var isClosed = false
  private var requestCount = 0
  private var phase = ConnectionPhase.idle

  /// An engine at the beginning of a connection.
  package init(host: any ServerEngineHost) {
    self.host = host
    parser = RequestParser(limits: host.limits, isSecure: host.isSecure)
  }

  // MARK: Input

  package func receive(_ bytes: Span<UInt8>) {
    guard !isClosed else { return }
    if pending.isEmpty, !isProcessing {
      let consumed = process(bytes)
      if consumed < bytes.count, !isClosed {
        keep(bytes.extracting(consumed..<bytes.count))
      }
    } else {
      keep(bytes)
      processPending()
    }
    settle()
  }

  /// Appends to the pending input. Moved out meanwhile: elsewhere the compiler then proves
  /// exclusive access, instead of checking it for each request.
  private func keep(_ bytes: Span<UInt8>) {
    var input: [UInt8] = []
    swap(&input, &pending)
    input.append(copying: bytes)
    swap(&input, &pending)
  }

  /// Resumes with pending input after the current request or a pause has ended. Also runs without
  /// input: a body paused at its last part has only its end left.
  private func processPending() {
    guard !isProcessing, !isClosed else { return }
    // Moved out, so that it is not modified while it is being read.
    var input: [UInt8] = []
    swap(&input, &pending)
    let consumed = process(input.span)
    guard consumed < input.count, !isClosed else { return }
    if consumed > 0 { input.removeFirst(consumed) }
    pending = input
  }

  /// Parses as far as the current state allows, and returns the number of bytes consumed.
  private func process(_ input: Span<UInt8>) -> Int {
    isProcessing = true
    defer { isProcessing = false }
    var offset = 0
    while !isClosed, canRead {
      do throws(HTTP1Error) {
        guard let event = try parser.next(input, at: &offset) else { break }
        handle(consume event, input)
      } catch {
        fail(error.status)
        return input.count
      }
    }
    return offset
  }

  private var canRead: Bool {
    guard let current else { return true }
    return !current.isRequestComplete && !current.isBodyPaused
  }

  private func handle(_ event: consuming RequestParser.Event, _ input: Span<UInt8>) {
    // The head is moved on, so that its fields are changed without a copy when it is forwarded.
    switch consume event {
    case .head(let head, let connection): begin(consume head, connection)
    case .body(let range):
      host.bodyProgressed(range.count)
      current?.deliver(input.extracting(range))
    case .end:
      guard let current else { return }
      enter(.answering)
      current.completeRequest()
      if current.isResponseComplete { finish() }
    }
  }

  private func begin(_ head: consuming RequestHead, _ connection: RequestParser.Connection) {
    requestCount += 1
    let handler = host.makeHandler()
    let stream = HTTP1ServerStream(
      engine: self, handler: handler, method: head.method, connection: connection)
    current = stream
    enter(head.hasBody ? .body : .answering)
    handler.received(head: consume head, on: stream)
    stream.sendContinueIfWanted()
  }

  /// Called after every event: pauses reading while more input cannot be processed, and updates the
  /// connection's phase.
  private func settle() {
    guard !isClosed else { return }
    if hasInputEnded, current == nil || !(current?.isRequestComplete ?? true) {
      return inputEndedEarly()
    }
    let isFull = pending.count > host.limits.value.pipelinedBytesMax
    host.setReading(!isFull && !(current?.isBodyPaused ?? false))
    guard current == nil else { return }
    if isStopping { planEnd() }
    enter(pending.isEmpty ? .idle : .head)
  }

  /// Closes the connection unless a request arrives within the time for a last one.
  private func planEnd() {
    guard !isEndPlanned else { return }
    isEndPlanned = true
    host.loop.schedule(after: host.timeouts.value.lastRequest) { [self] in
      isEndPlanned = false
      guard !isClosed, current == nil, pending.isEmpty else { return }
      // A turn takes long when a process is short of processor time: the last request may have
      // arrived since it began, or have been waiting for as long as this timer.
      host.readInput()
      if !isClosed, current == nil, pending.isEmpty { close(lingering: false) }
    }
  }

  private func enter(_ phase: ConnectionPhase) {
    guard phase != self.phase else { return }
    self.phase = phase
    host.enter(phase)
  }

  package func inputEnded() {
    hasInputEnded = true
    settle()
  }

  /// The input ended between requests, in a head or in a body; a complete request is still
  /// answered.
  private func inputEndedEarly() {
    guard let current, !current.isBodyPaused else {
      if self.current == nil { close(lingering: false) }
      return
    }
    loseCurrent(.peerClosed)
    close(lingering: false)
  }

  // MARK: From the stream

  /// Request and response of the current exchange are complete.
  func finish() {
    guard let stream = current, stream.isResponseComplete, !isClosed else { return }
    guard stream.keepsAlive else {
      current = nil
      // An immediate response comes before the end of the request, even of one without a body. A
      // client that has not seen the close may already send its next request, and a reset would
      // destroy this response.
      let isUnread = !stream.isRequestComplete && parser.bodyRemaining != 0
      return close(lingering: isUnread || !mayContinue)
    }
    guard stream.isRequestComplete else { return }
    current = nil
    if !isProcessing {
      processPending()
      settle()
    }
  }

  /// The handler resumes the body; never called from inside the handler's own call.
  func resumeBody() {
    host.loop.endOfTurn { [self] in
      // The body may have been paused again in the meantime, or more input may have ended the
      // request.
      guard !isClosed, current != nil, canRead else { return }
      enter(.body)
      processPending()
      settle()
    }
  }

  func bodyPaused() { enter(.answering) }

  /// Whether the rest of an unread request is small enough to discard.
  var canDiscardRest: Bool {
    guard let remaining = parser.bodyRemaining else { return false }
    return remaining <= Self.discardedBytesMax
  }

  /// Whether the connection may serve another request after this one.
  var mayContinue: Bool {
    !isStopping && requestCount < host.limits.value.requestsPerConnectionMax
  }

  /// Resets the connection, so that the client detects an incomplete response.
  func reset() {
    current = nil
    isClosed = true
    host.abort()
  }

  // MARK: Ends

  private func close(lingering: Bool) {
    isClosed = true
    pending = []
    host.close(lingering: lingering)
  }

  /// Rejects invalid input, with a response if one can still be sent.
  private func fail(_ status: HTTPStatus) {
    let mayAnswer = !(current?.isResponseBegun ?? false)
    let isAnswered = current?.isResponseComplete ?? false
    loseCurrent(status == .requestTimeout ? .timedOut : .malformed)
    guard !isClosed else { return }
    guard !isAnswered else { return close(lingering: true) }
    guard mayAnswer else { return reset() }
    let (head, body) = Problem.refusal(status).response(requestID: .random())
    host.write { output in
      HTTP1Serializer.write(
        head, framing: .length(UInt64(body.count)), keepsAlive: false, date: host.date,
        into: &output)
      output.append(contentsOf: body)
    }
    close(lingering: true)
  }

  private func loseCurrent(_ reason: StreamAbort) {
    let stream = current
    current = nil
    stream?.abort(reason)
  }

  package func outputDrained() { current?.drained() }

  package func willFlush() {}

  package let waitingBytes = 0

  package func shed(_ bytes: Int) -> Int { 0 }

  package func timedOut(_ phase: ConnectionPhase) {
    guard !isClosed else { return }
    switch phase {
    // A client may send its next request before it has read the last response, which a reset would
    // destroy.
    case .handshake, .idle: close(lingering: true)
    case .head, .body: fail(.requestTimeout)
    case .answering: break
    }
  }

  package func stop() {
    isStopping = true
    if !isProcessing { settle() }
  }

  package func connectionLost(_ reason: StreamAbort) {
    isClosed = true
    loseCurrent(reason)
  }
}
