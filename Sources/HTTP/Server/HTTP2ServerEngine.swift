import EventLoop
import Operations
import Time

/// HTTP/2 on a server's connection: connects the session's streams to request handlers.
package final class HTTP2ServerEngine: ServerEngine, HTTP2SessionDelegate {
  /// Interval of the check for streams with stalled request bodies or unread responses.
  private static let inspection = Duration.seconds(2)
  /// Time between asking clients to stop opening streams and refusing new ones.
  private static let goAwayNotice = Duration.seconds(1)

  /// Bytes that are moved to the connection at once, and the room in them for heads.
  private static let pulledBytesMax = 256 * 1024
  private static let headRoom = 4 * 1024

  /// A reference cycle, broken when the host releases its engine at the end of the connection.
  let host: any ServerEngineHost
  let peer: PeerAddress
  let isSecure: Bool
  private let session: HTTP2Session
  /// The loop, stored because streams use it in each request.
  let loop: EventLoop
  let timeouts: Shared<HTTPTimeouts>
  let bodyBytesMax: UInt64
  /// Number of requests in progress.
  private var requestCount = 0
  private var pulled: [UInt8] = []
  private var inspectionTimer: LoopTimer?
  /// When the client began to read too little, and the bytes it had read by then.
  private var untaken: (since: MonotonicInstant, takenBytes: UInt64)?
  /// Set while a field block is incomplete.
  private var headTimer: LoopTimer?
  private var readingSince = MonotonicInstant.zero
  /// Whether the server has ended the connection without a fault of the client.
  private var isShutDown = false
  private var hasInputEnded = false
  private var isClosed = false
  private(set) var lossReason = StreamAbort.peerClosed

  /// Creates an engine with its settings in the output. Errors: `failed` when memory is exhausted.
  package init(host: any ServerEngineHost, settings: HTTP2Settings) throws(HTTP2Error) {
    self.host = host
    peer = host.peer
    isSecure = host.isSecure
    loop = host.loop
    timeouts = host.timeouts
    bodyBytesMax = host.limits.value.bodyBytesMax
    session = try HTTP2Session(role: .server, settings: settings)
    session.delegate = self
    host.planFlush()
  }

  /// Processes bytes from the client.
  package func receive(_ bytes: Span<UInt8>) {
    guard !isClosed else { return }
    do throws(HTTP2Error) {
      try session.receive(bytes, at: loop.now, headsMax: session.settings.headsPerTurnMax)
    } catch {
      pull()
      return close()
    }
    received()
  }

  /// Handles the next part of the received bytes, after the turns of other connections.
  private func readOn() {
    guard !isClosed else { return }
    do throws(HTTP2Error) {
      try session.readOn(at: loop.now)
    } catch {
      pull()
      return close()
    }
    received()
  }

  private func received() {
    host.planFlush()
    host.setReading(!host.isCongested && !session.hasUnread)
    if session.hasUnread { loop.endOfTurn { [self] in readOn() } }
    if headTimer == nil, session.headBegan != nil { planHeadCheck(timeouts.value.head) }
  }

  /// A head has the same time limit as in HTTP/1.1 (GW-5), for any number of frames and regardless
  /// of other requests: until it ends, the client can send nothing else on this connection.
  private func planHeadCheck(_ pause: Duration) {
    headTimer = loop.schedule(after: pause) { [self] in
      headTimer = nil
      guard !isClosed, let began = session.headBegan else { return }
      let end = max(began, readingSince) + timeouts.value.head
      // Nothing is read while responses wait for the client; the write time-out limits that wait.
      guard !host.isCongested else { return planHeadCheck(timeouts.value.head) }
      guard end <= loop.now else { return planHeadCheck(end - loop.now) }
      session.cutOff(.enhanceYourCalm)
      pull()
    }
  }

  // MARK: Streams

  package func received(_ head: consuming RequestHead, on stream: HTTP2Stream) {
    if requestCount == 0 { host.enter(.answering) }
    requestCount += 1
    head.isSecure = isSecure
    let adapter = HTTP2ServerStream(stream, engine: self, handler: host.makeHandler())
    stream.handler = adapter
    planInspection()
    adapter.begin(head)
  }

  package func refused(_ status: HTTPStatus, on stream: HTTP2Stream) {
    let (head, body) = Problem.refusal(status).response(requestID: .random())
    stream.send(head, endStream: false)
    stream.send(body: body.span, endStream: true)
    planInspection()
  }

  func ended(_ stream: HTTP2ServerStream) {
    requestCount -= 1
    host.planFlush()
    if requestCount == 0, !isClosed { host.enter(.idle) }
  }

  private func planInspection() {
    guard inspectionTimer == nil else { return }
    inspectionTimer = loop.schedule(after: Self.inspection) { [self] in
      inspectionTimer = nil
      guard !isClosed else { return }
      guard !isUntaken(at: loop.now) else {
        session.cutOff(.enhanceYourCalm)
        return pull()
      }
      for stream in session.streams {
        (stream.handler as? HTTP2ServerStream)?.inspect(at: loop.now)
      }
      if requestCount > 0 || session.waitingBytes > 0 { planInspection() }
    }
  }

  /// Whether responses have waited for the client's windows for the whole write time-out while the
  /// client read less than the minimum rate of a body. Other frames (PING, SETTINGS, windows of one
  /// byte) do not extend the time. A full socket has its own time-out.
  private func isUntaken(at now: MonotonicInstant) -> Bool {
    guard endsUntakenOutput, session.waitingBytes > 0, !host.isCongested else {
      untaken = nil
      return false
    }
    guard let untaken,
      session.takenBytes - untaken.takenBytes < UInt64(timeouts.value.takenBytesMin)
    else {
      untaken = (now, session.takenBytes)
      return false
    }
    return untaken.since + timeouts.value.write <= now
  }

  // MARK: Output

  /// Moves output to the connection at the end of the turn.
  package func willFlush() { pull() }

  package var waitingBytes: Int { session.waitingBytes }

  /// A connection between our own processes carries requests of many clients, which must not lose
  /// their responses because one of them reads nothing. A fresh response is often the largest one,
  /// although its client reads it at once: the slowest responses are reset first, the largest of
  /// equally slow ones, and the largest of all only if every one is fresh.
  package func shed(_ bytes: Int) -> Int {
    guard !endsUntakenOutput else { return 0 }
    var slow: [(stream: HTTP2Stream, rate: Double)] = []
    var largest: HTTP2Stream?
    for stream in session.streams where stream.discardableBytes > 0 {
      if let rate = (stream.handler as? HTTP2ServerStream)?.takenRate(at: loop.now) {
        slow.append((stream, rate))
      }
      if stream.discardableBytes > largest?.discardableBytes ?? 0 { largest = stream }
    }
    guard let fallback = largest else { return 0 }
    host.planFlush()
    guard !slow.isEmpty else {
      fallback.abandon(.enhanceYourCalm)
      return 1
    }
    slow.sort { left, right in
      if left.rate != right.rate { return left.rate < right.rate }
      return left.stream.discardableBytes > right.stream.discardableBytes
    }
    var freed = 0
    var count = 0
    for entry in slow where freed < bytes {
      freed += entry.stream.discardableBytes
      count += 1
      entry.stream.abandon(.enhanceYourCalm)
    }
    return count
  }

  /// Whether responses that the client does not read are ended after the write time-out.
  var endsUntakenOutput: Bool { session.settings.endsUntakenOutput }

  /// The connection's output has drained.
  package func outputDrained() {
    guard !isClosed else { return }
    pull()
    guard !host.isCongested else { return }
    readingSince = loop.now
    host.setReading(!session.hasUnread)
  }

  /// Moves frames to the connection up to its high-water mark. The rest stays in the streams, so
  /// that their handlers notice a slow client.
  private func pull() {
    while !isClosed, !host.isCongested, session.hasOutput {
      // Moved out, because handlers of drained streams run during the pull and may write.
      var frames: [UInt8] = []
      swap(&frames, &pulled)
      let sendable = min(session.waitingBytes, session.windowBytes)
      if sendable > frames.capacity {
        frames.reserveCapacity(min(sendable + Self.headRoom, Self.pulledBytesMax))
      }
      session.pullOutput(into: &frames, limit: Self.pulledBytesMax)
      let isUseless = frames.isEmpty
      if !isUseless { host.write { Self.move(&frames, to: &$0) } }
      frames.removeAll(keepingCapacity: frames.capacity <= 64 * 1024)
      swap(&frames, &pulled)
      if isUseless { break }
    }
    if !isClosed, session.isFinished { close() }
  }

  /// Appends frames to the output. Frames for which an empty output has no room replace it without
  /// a copy; smaller ones are copied, so that the connection does not keep a buffer of its loop.
  private static func move(_ frames: inout [UInt8], to output: inout [UInt8]) {
    guard output.isEmpty, frames.count > output.capacity else {
      return output.append(contentsOf: frames)
    }
    swap(&frames, &output)
  }

  // MARK: Ends

  private func close() {
    guard !isClosed else { return }
    isClosed = true
    headTimer?.cancel()
    if session.isFlooded { host.flooded() }
    // A client that reads sends WINDOW_UPDATE. At a closed socket this would cause a reset, which
    // destroys the responses and the GOAWAY on their way.
    host.close(lingering: isShutDown && !hasInputEnded)
    session.connectionLost()
  }

  package func inputEnded() {
    hasInputEnded = true
    close()
  }

  package func timedOut(_ phase: ConnectionPhase) {
    guard requestCount == 0 else { return }
    isShutDown = true
    session.shutDown()
    host.planFlush()
  }

  package func stop() {
    lossReason = .stopping
    session.announceShutDown()
    host.planFlush()
    loop.schedule(after: Self.goAwayNotice) { [self] in
      guard !isClosed else { return }
      isShutDown = true
      session.shutDown()
      host.planFlush()
    }
  }

  package func connectionLost(_ reason: StreamAbort) {
    guard !isClosed else { return }
    isClosed = true
    if session.isFlooded { host.flooded() }
    lossReason = reason
    inspectionTimer?.cancel()
    headTimer?.cancel()
    session.connectionLost()
  }
}
