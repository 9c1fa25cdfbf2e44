import EventLoop
import Time

/// One accepted connection: connects the socket, the deadlines and the protocol engine.
final class ServerConnection: ServerEngineHost, SocketChannelOwner {
  private let shard: ServerShard
  let peer: PeerAddress
  let isSecure: Bool
  /// Index in the shard's list of connections.
  var index = 0
  /// Buffered bytes last reported to the shard.
  var waitingBytes = 0
  /// When the shard appended it to its list of idle connections, most recently.
  var waitingSince = MonotonicInstant.zero
  /// When a full shard first found that its client had not received everything; nil if the last
  /// check found nothing. Requests in between do not change it.
  var undeliveredSince: MonotonicInstant?
  /// The place in that list, while the shard has this connection.
  var place = WaitingConnections.nowhere
  private var channel: SocketChannel?
  private var engine: (any ServerEngine)?
  private var preface: [UInt8] = []
  private var deadline: ConnectionDeadline
  private var timer: LoopTimer?
  /// When the timer fires; `never` if none is set.
  private var timerEnd = MonotonicInstant.never
  private var isStopping = false
  /// Set when it is closed for another client, so that it does not linger.
  private var isMakingWay = false
  private var abortReason = StreamAbort.peerClosed
  /// How fast the client takes its responses; nil while none waits.
  private var progress: OutputProgress?

  init(shard: ServerShard, peer: PeerAddress, isSecure: Bool) {
    self.shard = shard
    self.peer = peer
    self.isSecure = isSecure
    deadline = ConnectionDeadline(shard.timeouts)
  }

  /// Serves the descriptor and takes ownership of it.
  func start(_ descriptor: Int32, tls: TLSSession?) throws(SystemError) {
    SocketCalls.limitUnsent(descriptor)
    let channel = SocketChannel(
      descriptor: descriptor, isConnecting: false, tls: tls, loop: loop,
      readBuffer: shard.readBuffer, limits: limits.value, owner: self)
    self.channel = channel
    enter(tls == nil ? .idle : .handshake)
    try channel.start()
  }

  /// Refuses new requests and closes when those in progress have ended.
  func stop() {
    isStopping = true
    if let engine { return engine.stop() }
    loop.schedule(after: timeouts.value.lastRequest) { [self] in
      if engine == nil { readInput() }
      if engine == nil { close(lingering: false) }
    }
  }

  /// Whether bytes are unsent, or not acknowledged by the client's kernel.
  var hasUndelivered: Bool {
    bufferedBytes > 0 || unacknowledgedBytes > 0
  }

  /// Bytes that the kernel has, and the client has not acknowledged.
  private var unacknowledgedBytes: Int { channel?.unacknowledgedBytes ?? 0 }

  /// Closes the connection because a full server needs its descriptor: without lingering, and with
  /// a reset unless it is idle and everything was received.
  func makeWay() {
    isMakingWay = true
    guard let engine, channel?.isWritable == true, deadline.phase == .idle, !hasUndelivered
    else { return abort(.timedOut) }
    engine.timedOut(.idle)
  }

  /// Closes immediately; handlers receive `reason`.
  func abort(_ reason: StreamAbort) {
    abortReason = reason
    channel?.abort()
  }

  /// Seconds that the client needs for the buffered bytes at the rate at which it takes them; nil
  /// while they are fresh, and between our own processes, where each response has its own client.
  func drainSeconds(at now: MonotonicInstant) -> Double? {
    guard shard.settings.http2.endsUntakenOutput, let channel,
      let waiting = progress?.shortened(at: now, taken: channel.sentBytes)
    else { return nil }
    progress = waiting
    return waiting.rate(at: now, taken: channel.sentBytes).map { Double(waitingBytes) / $0 }
  }

  /// Frees memory at the limit of the server: resets responses that are read slowest, `bytes` of
  /// them if they are not fresh, or closes a connection that carries one client's requests. Returns
  /// the number of responses reset; a closed connection counts as one.
  func shed(_ bytes: Int) -> Int {
    let count = engine?.shed(bytes) ?? 0
    if count > 0 { return count }
    abort(.timedOut)
    return 1
  }

  /// Bytes of responses that neither the kernel nor the client has taken.
  var bufferedBytes: Int { outputCount + (engine?.waitingBytes ?? 0) }

  // MARK: For the engine

  var loop: EventLoop { shard.loop }
  var limits: Shared<HTTPLimits> { shard.limits }
  var timeouts: Shared<HTTPTimeouts> { shard.timeouts }
  var outputCount: Int { channel?.outputCount ?? 0 }
  var isCongested: Bool { channel?.isCongested ?? false }
  var date: [UInt8] { shard.date }

  func write(_ append: (inout [UInt8]) -> Void) {
    guard let channel else { return }
    channel.write(append)
    deadline.outputWaits(now: loop.now, progressed: false)
    armTimer()
  }

  func planFlush() { channel?.planFlush() }

  func close(lingering: Bool) {
    channel?.close(lingering: lingering && !isMakingWay ? timeouts : nil)
    if lingering, channel != nil { shard.closes(self) }
  }

  func flooded() { shard.flooded(peer) }

  func abort() { channel?.abort() }

  func enter(_ phase: ConnectionPhase) {
    deadline.enter(phase, now: loop.now)
    shard.entered(phase, by: self)
    armTimer()
  }

  func bodyProgressed(_ bytes: Int) { deadline.bodyProgressed(bytes, now: loop.now) }

  func readInput() { channel?.readInput() }

  func setReading(_ isReading: Bool) { channel?.setReading(isReading) }

  func makeHandler() -> any RequestHandler { shard.makeHandler() }

  // MARK: From the channel

  func channelConnected() {}

  func channelOpened(_ applicationProtocol: ApplicationProtocol?) {
    if isSecure {
      enter(.idle)
      use(applicationProtocol == .http2 ? makeHTTP2() : HTTP1ServerEngine(host: self))
    } else if !shard.settings.acceptsPlainHTTP2 {
      use(HTTP1ServerEngine(host: self))
    }
  }

  func channelWillFlush() { engine?.willFlush() }

  func channelReceived(_ bytes: Span<UInt8>) {
    if let engine { return engine.receive(bytes) }
    chooseEngine(bytes)
  }

  func channelInputEnded() {
    if let engine { engine.inputEnded() } else { close(lingering: false) }
  }

  func channelDrained() { engine?.outputDrained() }

  func channelProgressed() {
    if outputCount == 0 {
      deadline.outputEmptied()
    } else {
      deadline.outputProgressed(unacknowledged: unacknowledgedBytes, now: loop.now)
    }
  }

  func channelFlushed() {
    if outputCount > 0 { deadline.outputRefused(unacknowledged: unacknowledgedBytes) }
    let buffered = bufferedBytes
    // Before the comparison: the shard may have noted already that nothing is buffered.
    if buffered == 0 { progress = nil }
    guard buffered != waitingBytes else { return }
    if buffered > 0, progress == nil, let channel {
      progress = OutputProgress(at: loop.now, taken: channel.sentBytes)
    }
    shard.waits(buffered, by: self)
  }

  func channelClosed(isClean: Bool) {
    timer?.cancel()
    timer = nil
    let engine = engine
    self.engine = nil
    channel = nil
    engine?.connectionLost(abortReason)
    shard.remove(self)
  }

  // MARK: The protocol

  /// Recognises HTTP/2 by its preface, usually by the first byte.
  private func chooseEngine(_ bytes: Span<UInt8>) {
    preface.append(copying: bytes)
    switch HTTP2Preface.match(preface.span) {
    case .undecided: if deadline.phase != .head { enter(.head) }
    case .no: begin(HTTP1ServerEngine(host: self))
    case .yes:
      enter(.idle)
      begin(makeHTTP2())
    }
  }

  /// Starts the engine with the bytes received before it was chosen.
  private func begin(_ engine: (any ServerEngine)?) {
    let input = preface
    preface = []
    use(engine)
    self.engine?.receive(input.span)
  }

  private func use(_ engine: (any ServerEngine)?) {
    guard let engine else { return close(lingering: false) }
    self.engine = engine
    if isStopping { engine.stop() }
  }

  /// Nil when memory is exhausted.
  private func makeHTTP2() -> (any ServerEngine)? {
    do throws(HTTP2Error) {
      return try HTTP2ServerEngine(host: self, settings: shard.http2Settings(for: peer))
    } catch {
      return nil
    }
  }

  // MARK: Time

  /// One timer serves all deadlines: it is rescheduled only for an earlier one, and checks again
  /// when it fires.
  private func armTimer() {
    let end = deadline.next
    guard end < timerEnd, channel != nil else { return }
    timer?.cancel()
    timerEnd = end
    timer = loop.schedule(after: max(.zero, end - loop.now)) { [self] in checkTime() }
  }

  private func checkTime() {
    timer = nil
    timerEnd = .never
    switch deadline.expired(at: loop.now) {
    case nil: break
    case .output:
      guard deadline.extendOutput(unacknowledged: unacknowledgedBytes, now: loop.now) else {
        return abort(.timedOut)
      }
    case .phase(let phase):
      abortReason = .timedOut
      if let engine { engine.timedOut(phase) } else { close(lingering: false) }
      if channel != nil { deadline.enter(.answering, now: loop.now) }
    }
    armTimer()
  }
}

/// The bytes that every HTTP/2 client sends first (RFC 9113, section 3.4).
enum HTTP2Preface {
  enum Match: Hashable {
    case yes
    case no
    case undecided
  }

  static let text: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

  /// Whether the bytes begin with the preface; undecided while they are a prefix of it.
  static func match(_ bytes: Span<UInt8>) -> Match {
    for index in 0..<min(bytes.count, text.utf8CodeUnitCount) {
      // SAFETY: the index is below the length of the static string.
      let expected = unsafe text.utf8Start[index]
      if bytes[index] != expected { return .no }
    }
    return bytes.count >= text.utf8CodeUnitCount ? .yes : .undecided
  }
}
