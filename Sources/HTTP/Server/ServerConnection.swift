import EventLoop

/// One accepted connection: joins the socket, the clock and the protocol's engine.
final class ServerConnection: ServerEngineHost, SocketChannelOwner {
  private let shard: ServerShard
  let peer: PeerAddress
  /// Where the shard keeps this connection.
  var index = 0
  private var channel: SocketChannel?
  private var engine: (any ServerEngine)?
  private var preface: [UInt8] = []
  private var deadline: ConnectionDeadline
  private var timer: LoopTimer?
  private var timerEnd: MonotonicInstant?
  private var isStopping = false
  private var abortReason = StreamAbort.peerClosed

  init(shard: ServerShard, peer: PeerAddress) {
    self.shard = shard
    self.peer = peer
    deadline = ConnectionDeadline(shard.settings.timeouts)
  }

  /// Begins to serve the descriptor, which belongs to this connection from here on.
  func start(_ descriptor: Int32) throws(SystemError) {
    let channel = SocketChannel(
      descriptor: descriptor, isConnecting: false, loop: loop, readBuffer: shard.readBuffer,
      limits: limits, owner: self)
    self.channel = channel
    enter(.idle)
    try channel.start()
    channelOpened()
  }

  /// Takes nothing new and closes when what is under way is done.
  func stop() {
    isStopping = true
    if let engine { engine.stop() } else { close(lingering: false) }
  }

  /// Closes at once; handlers hear `reason`.
  func abort(_ reason: StreamAbort) {
    abortReason = reason
    channel?.abort()
  }

  // MARK: For the engine

  var loop: EventLoop { shard.loop }
  var limits: HTTPLimits { shard.settings.limits }
  var isSecure: Bool { false }
  var outputCount: Int { channel?.outputCount ?? 0 }
  var isCongested: Bool { channel?.isCongested ?? false }
  var date: [UInt8] { shard.date }

  func write(_ append: (inout [UInt8]) -> Void) {
    guard let channel else { return }
    channel.write(append)
    deadline.outputWaits(now: loop.now, progressed: false)
    armTimer()
  }

  func close(lingering: Bool) { channel?.close(lingering: lingering) }

  func abort() { channel?.abort() }

  func enter(_ phase: ConnectionPhase) {
    deadline.enter(phase, now: loop.now)
    armTimer()
  }

  func bodyProgressed(_ bytes: Int) { deadline.bodyProgressed(bytes, now: loop.now) }

  func setReading(_ isReading: Bool) { channel?.setReading(isReading) }

  func makeHandler() -> any RequestHandler { shard.makeHandler() }

  // MARK: From the channel

  func channelOpened() {
    if !shard.settings.acceptsPlainHTTP2 { engine = HTTP1ServerEngine(host: self) }
  }

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
      deadline.outputWaits(now: loop.now, progressed: true)
    }
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

  /// Tells HTTP/2 by its preface, of which the first byte usually says enough.
  private func chooseEngine(_ bytes: Span<UInt8>) {
    preface.append(copying: bytes)
    switch HTTP2Preface.match(preface.span) {
    case .undecided: enter(.head)
    case .no:
      let input = preface
      preface = []
      let engine = HTTP1ServerEngine(host: self)
      self.engine = engine
      engine.receive(input.span)
    case .yes: close(lingering: false)
    }
  }

  // MARK: Time

  /// One timer serves every deadline: it is moved only when something earlier comes, and looks
  /// again when it fires.
  private func armTimer() {
    guard channel != nil, let end = deadline.next else { return }
    if let timerEnd, timer?.isPending == true, timerEnd <= end { return }
    timer?.cancel()
    timerEnd = end
    timer = loop.schedule(after: max(.zero, end - loop.now)) { [self] in checkTime() }
  }

  private func checkTime() {
    timer = nil
    switch deadline.expired(at: loop.now) {
    case nil: break
    case .output: return abort(.timedOut)
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

  /// Whether the bytes begin with the preface; undecided while they are its beginning.
  static func match(_ bytes: Span<UInt8>) -> Match {
    for index in 0..<min(bytes.count, text.utf8CodeUnitCount) {
      // SAFETY: the index is less than the length of the static string.
      let expected = unsafe text.utf8Start[index]
      if bytes[index] != expected { return .no }
    }
    return bytes.count >= text.utf8CodeUnitCount ? .yes : .undecided
  }
}
