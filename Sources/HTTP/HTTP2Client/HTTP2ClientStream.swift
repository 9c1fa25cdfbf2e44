import EventLoop
import Time

/// One request on an HTTP/2 client connection. Its session retains it while it is open.
package final class HTTP2ClientStream: ClientStream {
  /// How a stream ends.
  enum Ending: Hashable {
    /// Both messages are complete.
    case finished
    /// The peer reset the stream.
    case resetByPeer(HTTP2ErrorCode)
    /// The peer's GOAWAY says that it does not process the stream.
    case refused
    /// This side reset the stream, because the peer violated the protocol or the request is
    /// cancelled.
    case resetHere
    /// The connection ended before the stream.
    case connectionLost
  }

  let session: HTTP2ClientSession
  private var handler: (any ResponseHandler)?
  private var clock: ResponseClock
  /// The identifier on the wire; 0 while the request waits for the peer's limit of streams.
  var id: Int32 = 0
  /// Whether the session has the stream.
  var isOpen = false

  // The request.
  let isForHead: Bool
  let hasBody: Bool
  /// The head of a request that waits for the peer's limit.
  var waitingHead: Shared<RequestHead>?
  var queue = ByteQueue()
  var sendWindow = 0
  private var lengthLeft: UInt64?
  private(set) var isEndQueued: Bool
  var isSentWhole = false
  /// Whether the session's list of streams with bytes to send has it.
  var isReady = false
  /// Whether the queue has exceeded the high-water mark and not yet fallen to the low-water mark.
  package var isCongested: Bool { isFull }
  /// Not visible to other modules: the compiler then proves exclusive access, instead of checking
  /// it.
  private var isFull = false

  // The response.
  private(set) var isHeadReceived = false
  private(set) var isReceivedWhole = false
  private var isEndWaiting = false
  /// Bytes of the body that Content-Length announces and that have not arrived; nil if unknown.
  private var announcedLeft: UInt64?
  private var receivedBytes: UInt64 = 0
  private var waiting: [UInt8] = []
  /// The window for data from the peer, what is left of it, and bytes that are read but not yet
  /// returned to the peer.
  private(set) var window: Int
  private var windowLeft: Int
  private var returnable = 0
  private var unconsumed = 0
  private var isPaused = false
  private var isHeld = false
  private var isResuming = false

  init(
    _ session: HTTP2ClientSession, isForHead: Bool, length: UInt64?, endStream: Bool,
    _ handler: any ResponseHandler
  ) {
    self.session = session
    self.handler = handler
    clock = ResponseClock(session.timeouts, now: session.loop.now)
    self.isForHead = isForHead
    hasBody = !endStream
    isEndQueued = endStream
    lengthLeft = endStream ? nil : length
    window = Int(session.settings.streamWindow)
    windowLeft = window
  }

  /// Bytes of the body that are not framed yet.
  package var bufferedBytes: Int { queue.count }

  /// How far the exchange had come, for a failure.
  private var progress: StreamFailure.Progress {
    isHeadReceived ? .responseBegun : session.mayHaveSent(self) ? .sent : .unprocessed
  }

  // MARK: Sending

  package func send(body: Span<UInt8>, endStream: Bool) {
    guard handler != nil, isOpen, !isEndQueued else { return }
    clock.progressed(session.timeouts.response, now: session.loop.now)
    if let left = lengthLeft {
      guard UInt64(body.count) <= left, !endStream || left == UInt64(body.count) else {
        return session.reset(self, .internalError)
      }
      lengthLeft = left - UInt64(body.count)
    }
    isEndQueued = endStream
    if queue.isEmpty, session.frame(body, of: self, endStream: endStream) { return }
    changeQueue { $0.append(body) }
    if queue.count > session.settings.outputHighWater { isFull = true }
    session.makeReady(self)
  }

  /// Moves queued bytes to the output; returns whether a congested stream has just drained.
  func moveBody(_ count: Int, to output: inout [UInt8]) -> Bool {
    changeQueue { $0.move(count, to: &output) }
    guard isFull, queue.count <= session.settings.outputLowWater else { return false }
    isFull = false
    return true
  }

  /// Changes the queue, which is moved out meanwhile: elsewhere the compiler then proves exclusive
  /// access, instead of checking it for each request.
  private func changeQueue(_ change: (inout ByteQueue) -> Void) {
    var moved = ByteQueue()
    swap(&moved, &queue)
    change(&moved)
    swap(&moved, &queue)
  }

  func drained() { handler?.drained() }

  package func cancel() {
    guard handler != nil else { return }
    handler = nil
    waiting = []
    session.reset(self, .cancel)
  }

  // MARK: Receiving

  /// Takes credit for a DATA frame; false if the peer exceeds the window.
  func takeCredit(_ count: Int) -> Bool {
    windowLeft -= count
    return windowLeft >= 0
  }

  func receive(_ head: consuming ResponseHead) {
    isHeadReceived = true
    announcedLeft = isForHead || head.status.hasNoBody ? 0 : head.contentLength
    clock.progressed(session.timeouts.bodyIdle, now: session.loop.now)
    handler?.received(head: head)
  }

  /// Counts a part of the body; false if it is longer than announced.
  func count(_ bytes: Int) -> Bool {
    guard let left = announcedLeft else { return true }
    guard UInt64(bytes) <= left else { return false }
    announcedLeft = left - UInt64(bytes)
    return true
  }

  /// Whether the body is as long as announced.
  var isComplete: Bool { announcedLeft ?? 0 == 0 }

  func receive(body: Span<UInt8>) {
    if isPaused || !waiting.isEmpty {
      var moved: [UInt8] = []
      swap(&moved, &waiting)
      moved.append(copying: body)
      swap(&moved, &waiting)
    } else {
      deliver(body)
    }
  }

  func receiveEnd() {
    isReceivedWhole = true
    isEndWaiting = true
    deliverEnd()
  }

  private func deliver(_ body: Span<UInt8>) {
    clock.progressed(session.timeouts.bodyIdle, now: session.loop.now)
    receivedBytes += UInt64(body.count)
    guard receivedBytes <= session.bodyBytesMax else {
      fail(StreamFailure(.malformedResponse, .responseBegun))
      return session.reset(self, .cancel)
    }
    unconsumed += body.count
    handler?.received(body: body)
    if !isPaused, !isHeld { consume(body.count) }
  }

  private func deliverEnd() {
    guard isEndWaiting, !isPaused, waiting.isEmpty else { return }
    isEndWaiting = false
    let handler = handler
    self.handler = nil
    handler?.receivedEnd()
    // The response is complete, so the peer does not need the rest of the request.
    if !isSentWhole { session.reset(self, .cancel) }
  }

  /// Returns credit for bytes of the padding, or for those that the handler has read.
  func consume(padding count: Int) {
    unconsumed += count
    consume(count)
  }

  private func consume(_ count: Int) {
    // The handler may have paused and resumed in the meantime.
    let count = min(count, unconsumed)
    unconsumed -= count
    returnable += count
    guard isOpen, !isReceivedWhole, returnable > 0, 2 * returnable >= window else { return }
    session.returnCredit(to: self, returnable)
    windowLeft += returnable
    returnable = 0
  }

  package func pauseBody() {
    isPaused = true
    isResuming = false
  }

  package func holdBody() {
    isHeld = true
    isResuming = false
  }

  package func widen(to bytes: Int) {
    let bytes = min(bytes, HTTP2FlowControl.windowMax)
    guard isOpen, !isReceivedWhole, bytes > window else { return }
    let increment = bytes - window
    window = bytes
    windowLeft += increment
    if id != 0 { session.returnCredit(to: self, increment) }
  }

  package func resumeBody() {
    guard isPaused || isHeld, !isResuming else { return }
    isResuming = true
    clock.progressed(session.timeouts.bodyIdle, now: session.loop.now)
    // Runs at the end of the turn, never inside the handler's own call.
    session.loop.endOfTurn { [self] in resume() }
  }

  private func resume() {
    guard isResuming else { return }
    isResuming = false
    isPaused = false
    isHeld = false
    consume(unconsumed)
    if !waiting.isEmpty {
      let bytes = waiting
      waiting = []
      deliver(bytes.span)
    }
    deliverEnd()
  }

  // MARK: Ends

  /// Fails a request that its connection does not accept.
  func refuse() { fail(StreamFailure(.connectionLost, .unprocessed)) }

  /// The session has closed the stream. After a complete response, what waits is still delivered.
  func close(_ ending: Ending) {
    queue.clear()
    waitingHead = nil
    if ending == .finished, isReceivedWhole { return }
    waiting = []
    isEndWaiting = false
    let isRefused = ending == .refused || ending == .resetByPeer(.refusedStream)
    let progress = isRefused && !isHeadReceived ? StreamFailure.Progress.unprocessed : progress
    switch ending {
    case .finished, .resetByPeer, .refused: fail(StreamFailure(.streamReset, progress))
    case .resetHere: fail(StreamFailure(.malformedResponse, progress))
    case .connectionLost: fail(StreamFailure(session.lossCause, progress))
    }
  }

  private func fail(_ failure: StreamFailure) {
    let handler = handler
    self.handler = nil
    handler?.failed(failure)
  }

  /// Fails the request if its response, or the next part of it, is late.
  func inspect(at now: MonotonicInstant) {
    // No response is due before the end of the request; its server limits a body that stalls.
    guard isEndQueued || isHeadReceived || !queue.isEmpty else { return }
    clock.noticeUnsent(bufferedBytes, session.timeouts.response, now: now)
    guard isResuming || !(isPaused || isHeld), clock.isExpired(at: now) else { return }
    fail(StreamFailure(.timedOut, progress))
    session.reset(self, .cancel)
  }
}
