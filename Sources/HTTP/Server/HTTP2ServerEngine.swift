import EventLoop
import Operations

/// HTTP/2 on a server's connection: joins the session's streams with request handlers.
package final class HTTP2ServerEngine: ServerEngine, HTTP2SessionDelegate {
  /// The interval of the check for streams whose bodies don't come or whose answers are not taken.
  private static let inspection = Duration.seconds(2)
  /// From asking clients to stop opening streams to refusing those that they open.
  private static let goAwayNotice = Duration.seconds(1)

  /// Both hold each other until the host drops its engine, when the connection is over.
  let host: any ServerEngineHost
  private let session: HTTP2Session
  /// What streams ask for with each request.
  let loop: EventLoop
  let timeouts: HTTPTimeouts
  let bodyBytesMax: UInt64
  /// Requests that are not over.
  private var requestCount = 0
  private var pulled: [UInt8] = []
  private var inspectionTimer: LoopTimer?
  /// Since when the client takes too little of what waits for its windows, and what it had taken.
  private var untaken: (since: MonotonicInstant, takenBytes: UInt64)?
  /// Runs while a field block has begun and not ended.
  private var headTimer: LoopTimer?
  private var readingSince = MonotonicInstant.zero
  private var isClosed = false
  private(set) var lossReason = StreamAbort.peerClosed

  /// An engine whose settings go out at once. Errors: `failed`, when there is no memory.
  package init(host: any ServerEngineHost, settings: HTTP2Settings) throws(HTTP2Error) {
    self.host = host
    loop = host.loop
    timeouts = host.timeouts
    bodyBytesMax = host.limits.bodyBytesMax
    session = try HTTP2Session(role: .server, settings: settings)
    session.delegate = self
    host.planFlush()
  }

  /// Bytes came.
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

  /// Handles the next part of what came, after other connections had their turn.
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
    if headTimer == nil, session.headBegan != nil { planHeadCheck(timeouts.head) }
  }

  /// A head has as long as over HTTP/1.1 (GW-5), however many frames it comes in and whatever else
  /// is under way: until it ends, the client can send nothing else on this connection.
  private func planHeadCheck(_ pause: Duration) {
    headTimer = loop.schedule(after: pause) { [self] in
      headTimer = nil
      guard !isClosed, let began = session.headBegan else { return }
      let end = max(began, readingSince) + timeouts.head
      // Nothing is read while answers wait to be taken, whose time is limited too.
      guard !host.isCongested else { return planHeadCheck(timeouts.head) }
      guard end <= loop.now else { return planHeadCheck(end - loop.now) }
      session.cutOff(.enhanceYourCalm)
      pull()
    }
  }

  // MARK: Streams

  package func received(_ head: RequestHead, on stream: HTTP2Stream) {
    if requestCount == 0 { host.enter(.answering) }
    requestCount += 1
    var head = head
    head.isSecure = host.isSecure
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

  /// Whether answers have waited for the client's windows through the time to write, in which it
  /// took fewer bytes than a body has to come with. What else it sends (PING, SETTINGS, windows of
  /// a byte) gains it nothing. While the socket is full its own time runs.
  private func isUntaken(at now: MonotonicInstant) -> Bool {
    guard endsUntakenOutput, session.waitingBytes > 0, !host.isCongested else {
      untaken = nil
      return false
    }
    let seconds = UInt64(max(0, timeouts.write.wholeNanoseconds)) / 1_000_000_000
    let least = max(1, seconds * UInt64(timeouts.bodyBytesPerSecondMin))
    guard let untaken, session.takenBytes - untaken.takenBytes < least else {
      untaken = (now, session.takenBytes)
      return false
    }
    return untaken.since + timeouts.write <= now
  }

  // MARK: Output

  /// The turn ends.
  package func willFlush() { pull() }

  package var waitingBytes: Int { session.waitingBytes }

  /// Whether answers that the client does not take end after the time to write.
  var endsUntakenOutput: Bool { session.settings.endsUntakenOutput }

  /// The client has taken what waited.
  package func outputDrained() {
    guard !isClosed else { return }
    pull()
    guard !host.isCongested else { return }
    readingSince = loop.now
    host.setReading(!session.hasUnread)
  }

  /// Moves frames to the connection until it has enough of them; the rest waits in the streams,
  /// whose handlers see from it how fast the client is.
  private func pull() {
    while !isClosed, !host.isCongested, session.hasOutput {
      // Taken out: handlers of drained streams run inside and may write.
      var frames: [UInt8] = []
      swap(&frames, &pulled)
      session.pullOutput(into: &frames)
      if !frames.isEmpty { host.write { $0.append(contentsOf: frames) } }
      let isUseless = frames.isEmpty
      frames.removeAll(keepingCapacity: frames.capacity <= 64 * 1024)
      swap(&frames, &pulled)
      if isUseless { break }
    }
    if !isClosed, session.isFinished { close() }
  }

  // MARK: Ends

  private func close() {
    guard !isClosed else { return }
    isClosed = true
    headTimer?.cancel()
    if session.isFlooded { host.flooded() }
    host.close(lingering: false)
    session.connectionLost()
  }

  package func inputEnded() { close() }

  package func timedOut(_ phase: ConnectionPhase) {
    guard requestCount == 0 else { return }
    session.shutDown()
    host.planFlush()
  }

  package func stop() {
    lossReason = .stopping
    guard requestCount > 0 else {
      session.shutDown()
      return host.planFlush()
    }
    session.announceShutDown()
    host.planFlush()
    loop.schedule(after: Self.goAwayNotice) { [self] in
      guard !isClosed else { return }
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
