import CNghttp2

/// One request and its response on an HTTP/2 connection.
///
/// Belongs to its session's thread. May be kept after the stream has closed; all calls are then
/// ignored.
package final class HTTP2Stream {
  /// The identifier on the wire: odd for a client's requests.
  package var id: Int32 { number }
  /// Receives the stream's events; a server sets it in `received(_:on:)` of the session's delegate.
  /// Without a handler, input is discarded. Released when the stream closes.
  package var handler: (any HTTP2StreamHandler)? {
    get { receiver }
    set { receiver = newValue }
  }

  // Not visible to other modules: the compiler then proves exclusive access, instead of checking
  // it. Arrays are moved out while they change, for the same reason.
  var number: Int32
  var receiver: (any HTTP2StreamHandler)?
  private var takenCount: UInt64 = 0
  private var isFull = false
  private var limitsBuffering = false
  /// Bytes of a DATA frame that the library has announced and not yet moved to the output.
  private var announcedBytes = 0

  /// Nil once the stream has closed.
  var session: HTTP2Session?
  /// Index in the session's list of streams.
  var slot = 0

  // Input.
  var isFinalHeadReceived = false
  var isReceivedWhole = false
  private var isPaused = false
  private var waiting: [UInt8] = []
  private var unconsumed = 0
  private var waitingEnd: HTTPFields??
  private var waitingClosure: HTTP2Closure?

  // Output.
  var queue = ByteQueue()
  var isHeadOnWire = false
  var isSentWhole = false
  private var isHeadSubmitted = false
  /// A server's head that the library has not sent yet.
  var waitingHead: ResponseHead?
  private(set) var isEndQueued = false
  private(set) var trailers: HTTPFields?
  private var lengthLeft: UInt64?
  var isDeferred = false
  /// Whether the queue has exceeded the high-water mark and not yet fallen to the low-water mark.
  package var isCongested: Bool { isFull }

  // End of the stream.
  var isResetByOwner = false
  var resetReceived: HTTP2ErrorCode?
  var resetSent: HTTP2ErrorCode?

  init(id: Int32, session: HTTP2Session) {
    number = id
    self.session = session
  }

  /// Whether the stream can still send or receive.
  package var isOpen: Bool { session != nil }

  /// Bytes of the body that are not framed yet.
  package var queuedBytes: Int { queue.count }
  /// Bytes of the body that were framed.
  package var takenBytes: UInt64 { takenCount }

  /// Bytes that `reserveRoom` has reserved.
  private var reservedBytes = 0

  /// A fair share of the connection's remaining buffer space, in bytes.
  package var room: Int {
    guard let session else { return 0 }
    let used = session.waitingCount + session.reservedBytes
    let free = max(0, session.settings.waitingBytesHighWater - used)
    return min(session.settings.outputHighWater, free / max(1, session.streamCount))
  }

  /// Reserves `room`, or less, until the stream closes, and returns it in bytes; later calls return
  /// the same.
  ///
  /// A window that is granted to a replica can arrive in full after other streams have filled the
  /// connection's buffer. Without a reservation, the windows granted to many streams would together
  /// exceed the limit, and streams would be reset.
  package func reserveRoom(atMost bytesMax: Int = .max) -> Int {
    guard let session, reservedBytes == 0 else { return reservedBytes }
    reservedBytes = min(room, bytesMax)
    session.reservedBytes += reservedBytes
    return reservedBytes
  }
}

// MARK: - Sending

extension HTTP2Stream {
  /// Sends a server's final head; a second one is ignored.
  package func send(_ head: consuming ResponseHead, endStream: Bool) {
    guard let session, session.role == .server, !isHeadSubmitted else { return }
    begin(length: head.contentLength, endStream: endStream)
    session.submit(head, on: self, endStream: endStream)
  }

  /// Sends `100 Continue`; ignored after the final head.
  package func sendContinue() {
    guard let session, session.role == .server, !isHeadSubmitted else { return }
    session.submitContinue(on: self)
  }

  /// Queues part of the body. The stream is reset if its length differs from Content-Length or the
  /// connection's buffer limit is exceeded.
  package func send(body: Span<UInt8>, endStream: Bool) {
    guard let session, isHeadSubmitted, !isEndQueued else { return }
    if let left = lengthLeft {
      guard UInt64(body.count) <= left, !endStream || left == UInt64(body.count) else {
        return reset(.internalError)
      }
      lengthLeft = left - UInt64(body.count)
    }
    guard body.count <= session.settings.waitingBytesMax - session.waitingCount else {
      return reset(.enhanceYourCalm)
    }
    session.waitingCount += body.count
    changeQueue { $0.append(body) }
    isEndQueued = endStream
    if queue.count > (limitsBuffering || session.isCrowded ? 0 : session.settings.outputHighWater) {
      isFull = true
    }
    session.resume(self)
  }

  /// Makes the stream congested while any byte of its body is queued.
  package func limitBuffering() { limitsBuffering = true }

  /// Ends the body with trailer fields.
  package func sendEnd(trailers: HTTPFields? = nil) {
    guard let session, isHeadSubmitted, !isEndQueued else { return }
    guard lengthLeft ?? 0 == 0 else { return reset(.internalError) }
    self.trailers = trailers.flatMap { $0.count == 0 ? nil : $0 }
    isEndQueued = true
    session.resume(self)
  }

  /// Resets the stream; `closed` is called when the reset has been pulled.
  package func reset(_ code: HTTP2ErrorCode) {
    guard let session, !isResetByOwner else { return }
    isResetByOwner = true
    isEndQueued = true
    session.submitReset(self, code)
  }

  /// Queued bytes that `abandon` can discard.
  var discardableBytes: Int { isResetByOwner ? 0 : queue.count - announcedBytes }

  /// Resets the stream and discards its queued bytes at once, except those of a frame that the
  /// library has announced: it fails without them.
  func abandon(_ code: HTTP2ErrorCode) {
    session?.waitingCount -= queue.count - announcedBytes
    let kept = announcedBytes
    changeQueue { $0.truncate(to: kept) }
    reset(code)
  }

  /// Records the length of the body from the head.
  func begin(length: UInt64?, endStream: Bool) {
    isHeadSubmitted = true
    isEndQueued = endStream
    lengthLeft = endStream ? nil : length
  }

  /// Returns how many bytes of the body the library may frame now, at most `room`, and the flags
  /// for the library; the bytes stay queued until `moveBody`.
  func offerBody(_ room: Int) -> (count: Int, flags: UInt32) {
    let count = min(room, queue.count)
    if isResetByOwner || (count == 0 && !isEndQueued) {
      isDeferred = true
      return (Int(NGHTTP2_ERR_DEFERRED.rawValue), 0)
    }
    announcedBytes = count
    var flags = NGHTTP2_DATA_FLAG_NO_COPY.rawValue
    guard isEndQueued, count == queue.count else { return (count, flags) }
    flags |= NGHTTP2_DATA_FLAG_EOF.rawValue
    if let trailers {
      guard let session, session.submitTrailers(trailers, on: self) else {
        return (Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue), 0)
      }
      flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
    }
    return (count, flags)
  }

  /// Moves bytes of the body to the output; returns whether a congested stream has just drained.
  func moveBody(_ count: Int, to output: inout [UInt8]) -> Bool {
    announcedBytes = 0
    changeQueue { $0.move(count, to: &output) }
    guard let session else { return false }
    session.waitingCount -= count
    session.takenCount += UInt64(count)
    takenCount += UInt64(count)
    let lowWater = limitsBuffering || session.isCrowded ? 0 : session.settings.outputLowWater
    guard isFull, queue.count <= lowWater else { return false }
    isFull = false
    return true
  }
}

extension HTTP2Stream {
  private func changeQueue(_ change: (inout ByteQueue) -> Void) {
    var moved = ByteQueue()
    swap(&moved, &queue)
    change(&moved)
    swap(&moved, &queue)
  }
}

// MARK: - Receiving

extension HTTP2Stream {
  /// Stops `received(body:)` until `resumeBody`. Bytes in transit are buffered, at most one stream
  /// window, and then the peer has to wait.
  package func pauseBody() { isPaused = true }

  /// Resumes the body; buffered bytes are delivered before this returns.
  package func resumeBody() {
    guard isPaused else { return }
    isPaused = false
    consume(unconsumed)
    if !waiting.isEmpty {
      let bytes = waiting
      waiting = []
      deliver(bytes.span)
    }
    deliverEnd()
  }

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

  func receiveEnd(trailers: HTTPFields?) {
    isReceivedWhole = true
    waitingEnd = .some(trailers)
    deliverEnd()
  }

  /// The library has closed the stream. The handler is notified after the buffered bytes are
  /// delivered, or at once if the stream was reset.
  func close(_ closure: HTTP2Closure) {
    session?.forget(self)
    session?.returnCredit(of: nil, unconsumed + waiting.count)
    unconsumed = 0
    session?.waitingCount -= queue.count
    session?.reservedBytes -= reservedBytes
    session = nil
    waitingHead = nil
    queue.clear()
    if closure.cause == .finished, waitingEnd != nil {
      waitingClosure = closure
    } else {
      finish(closure)
    }
  }

  private func finish(_ closure: HTTP2Closure) {
    waiting = []
    waitingEnd = nil
    waitingClosure = nil
    let handler = receiver
    receiver = nil
    handler?.closed(closure, on: self)
  }

  private func deliver(_ bytes: Span<UInt8>) {
    unconsumed += bytes.count
    receiver?.received(body: bytes, on: self)
    if !isPaused { consume(bytes.count) }
  }

  private func deliverEnd() {
    guard !isPaused, waiting.isEmpty, let trailers = waitingEnd else { return }
    waitingEnd = nil
    receiver?.receivedEnd(trailers: trailers, on: self)
    if let closure = waitingClosure { finish(closure) }
  }

  private func consume(_ count: Int) {
    // The handler may have paused and resumed, or the stream may have closed, in the meantime.
    let count = min(count, unconsumed)
    guard count > 0, let session else { return }
    unconsumed -= count
    session.returnCredit(of: isReceivedWhole ? nil : self, count)
  }
}
