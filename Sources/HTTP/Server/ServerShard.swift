import CLinux
import EventLoop
import Time

/// The part of a server that runs on one loop: its listening sockets and its connections.
final class ServerShard {
  /// How long a connection must have been idle before it is closed for another client: its last
  /// response has usually arrived by then, and a client that sends one request after another keeps
  /// its connection.
  private static let idleMin = Duration.milliseconds(100)
  /// The longest pause between two checks of what the client of an idle connection has received.
  private static let recheck = Duration.seconds(1)
  /// Connections that are checked in one call.
  private static let checksMax = 64
  /// The part of the limit of memory that is freed beyond it, so that slow responses are ranked
  /// once for many writes.
  private static let spareShare = 16
  /// Seconds. A client that needs no longer for its buffered bytes is not slow: a fresh one may.
  private static let drainSecondsMax = 2.0

  let loop: EventLoop
  let settings: HTTPServerSettings
  /// The limits and time-outs of `settings`, which the connections share.
  let limits: Shared<HTTPLimits>
  let timeouts: Shared<HTTPTimeouts>
  let readBuffer = ReadBuffer()
  private let connectionsMax: Int
  private let perAddressMax: Int
  private let waitingBytesMax: Int
  private let factory: () -> any RequestHandler
  private let shedLog: ShedLog
  private var listeners: [ListeningSocket] = []
  private var connections: [ServerConnection] = []
  private var waiting = WaitingConnections()
  /// Accepts again once a connection has been idle for long enough.
  private var replacement: LoopTimer?
  /// Number of connections of each network, if limited.
  private var networks: [PeerAddress: Int] = [:]
  private var floodedNetworks = FloodedNetworks()
  private var whenEmpty: (() -> Void)?
  /// Bytes buffered on all connections for their clients.
  private var waitingBytes = 0
  private var dateText: [UInt8] = []
  private var dateSecond: Int64 = .min

  /// Number of connections accepted so far.
  private(set) var acceptedCount: UInt64 = 0

  init(
    loop: EventLoop, settings: HTTPServerSettings, shardCount: Int,
    factory: @escaping () -> any RequestHandler
  ) {
    self.loop = loop
    self.settings = settings
    limits = Shared(settings.limits)
    timeouts = Shared(settings.timeouts)
    connectionsMax = Self.share(settings.limits.connectionsMax, of: shardCount)
    perAddressMax = Self.share(settings.limits.connectionsPerAddressMax, of: shardCount)
    waitingBytesMax = Self.share(settings.limits.waitingBytesMax, of: shardCount)
    self.factory = factory
    shedLog = ShedLog(settings.log, settings.shedResponses, on: loop)
  }

  private static func share(_ limit: Int, of shardCount: Int) -> Int {
    limit == .max ? .max : max(1, limit / shardCount)
  }

  func makeHandler() -> any RequestHandler { factory() }

  /// The value of the Date field for the current second.
  var date: [UInt8] {
    let now = settings.environment.now()
    let second = now.microsecondsSince1970 / 1_000_000
    if second != dateSecond {
      dateSecond = second
      dateText = HTTPDate.bytes(now)
    }
    return dateText
  }

  // MARK: Accepting

  /// Accepts connections from a listening socket and passes them to `place`.
  func listen(
    _ descriptor: Int32, isShared: Bool, place: @escaping (Int32, PeerAddress) -> Void
  ) throws(SystemError) {
    let listener = ListeningSocket(
      descriptor: descriptor, isShared: isShared, loop: loop
    ) { [self] in
      mayServe ? place : nil
    }
    try listener.start()
    listeners.append(listener)
  }

  /// Whether another connection may be accepted here without closing one.
  private var hasRoom: Bool { connections.count < connectionsMax }

  /// Whether another connection may be accepted; if it may later, accepts then.
  private var mayServe: Bool {
    if hasRoom || findReplaceable() != nil { return true }
    if let first = waiting.first { planReplacement(first.waitingSince + Self.idleMin - loop.now) }
    return false
  }

  /// The connection to close for another client: the one that has been idle longest and has
  /// received its responses, or one before it that has not received them for too long.
  private func findReplaceable() -> ServerConnection? {
    for _ in 0..<Self.checksMax {
      guard let first = waiting.first, first.waitingSince + Self.idleMin <= loop.now else {
        return nil
      }
      guard first.hasUndelivered else {
        first.undeliveredSince = nil
        // A request may have arrived since its readiness was checked.
        first.readInput()
        if waiting.first === first, first.waitingSince + Self.idleMin <= loop.now { return first }
        continue
      }
      let since = first.undeliveredSince ?? loop.now
      let receivingMax = settings.timeouts.receiving
      if since + receivingMax <= loop.now { return first }
      first.undeliveredSince = since
      first.waitingSince = loop.now + min(Self.recheck, receivingMax)
      changeWaiting { $0.append(first.place) }
    }
    return nil
  }

  private func planReplacement(_ pause: Duration) {
    guard replacement == nil, whenEmpty == nil else { return }
    replacement = loop.schedule(after: pause) { [self] in
      replacement = nil
      for listener in listeners { listener.resume() }
    }
  }

  /// A connection entered a new phase.
  func entered(_ phase: ConnectionPhase, by connection: ServerConnection) {
    guard connection.place != WaitingConnections.nowhere else { return }
    switch phase {
    case .handshake, .idle, .head:
      connection.waitingSince = loop.now
      changeWaiting { $0.append(connection.place) }
      if !hasRoom { planReplacement(Self.idleMin) }
    case .body, .answering: changeWaiting { $0.remove(connection.place) }
    }
  }

  /// A connection waits for its client to close, too: it may be closed for another client.
  func closes(_ connection: ServerConnection) { entered(.idle, by: connection) }

  /// Changes the list, which is moved out meanwhile: the compiler then proves exclusive access,
  /// instead of checking it for each request.
  @inline(__always)
  private func changeWaiting(_ change: (inout WaitingConnections) -> Void) {
    var moved = WaitingConnections()
    swap(&moved, &waiting)
    change(&moved)
    swap(&moved, &waiting)
  }

  /// Returns whether a client may open another connection, and counts it if so.
  private func admits(_ peer: PeerAddress) -> Bool {
    guard perAddressMax < .max, peer != .unix else { return true }
    guard networks[peer.network, default: 0] < perAddressMax else { return false }
    networks[peer.network, default: 0] += 1
    return true
  }

  private func forget(_ peer: PeerAddress) {
    guard let count = networks[peer.network] else { return }
    networks[peer.network] = count > 1 ? count - 1 : nil
  }

  /// Serves an accepted connection on this shard. Closes it if its client has too many connections,
  /// or if the shard is full and has no idle connection to close instead.
  func serve(_ descriptor: Int32, from peer: PeerAddress, tls context: TLSContext?) {
    let replaced = hasRoom ? nil : findReplaceable()
    guard whenEmpty == nil, hasRoom || replaced != nil, admits(peer) else {
      _ = close(descriptor)
      return
    }
    if let replaced {
      // It may close at the end of the turn only.
      changeWaiting { $0.remove(replaced.place) }
      replaced.makeWay()
    }
    acceptedCount += 1
    let connection = ServerConnection(shard: self, peer: peer, isSecure: context != nil)
    let session: TLSSession?
    do throws(TLSError) {
      session = try context.map { context throws(TLSError) in try TLSSession(context: context) }
    } catch {
      // Memory for a session is exhausted, so no error can be sent.
      forget(peer)
      _ = close(descriptor)
      return
    }
    connection.index = connections.count
    connections.append(connection)
    changeWaiting { connection.place = $0.add(connection) }
    do {
      try connection.start(descriptor, tls: session)
    } catch {
      // The channel has closed the descriptor and removed the connection: the peer sees a close.
    }
  }

  func remove(_ connection: ServerConnection) {
    let last = connections.count - 1
    guard connection.index <= last, connections[connection.index] === connection else { return }
    connections.swapAt(connection.index, last)
    connections[connection.index].index = connection.index
    connections.removeLast()
    waitingBytes -= connection.waitingBytes
    connection.waitingBytes = 0
    changeWaiting { $0.free(connection.place) }
    connection.place = WaitingConnections.nowhere
    forget(connection.peer)
    if connections.count == connectionsMax - 1 { for listener in listeners { listener.resume() } }
    if connections.isEmpty, let whenEmpty {
      self.whenEmpty = {}
      whenEmpty()
    }
  }

  // MARK: Floods

  /// Records that a connection of this peer was closed because of a flood.
  func flooded(_ peer: PeerAddress) { floodedNetworks.note(peer, at: loop.now) }

  /// The settings for a new connection from this peer.
  func http2Settings(for peer: PeerAddress) -> HTTP2Settings {
    guard floodedNetworks.contains(peer, at: loop.now) else { return settings.http2 }
    var settings = settings.http2
    settings.flood = settings.flood.wary
    return settings
  }

  // MARK: Memory

  /// Updates the bytes buffered for a connection. Above the limit, closes connections, or resets
  /// the responses on them that are read slowest: first the connections whose clients need longest
  /// for the buffered bytes, by the rate at which they take them, then the largest buffers. By size
  /// alone, many clients that read a few bytes a second would outlast one at a usual rate.
  func waits(_ bytes: Int, by connection: ServerConnection) {
    count(bytes, of: connection)
    if waitingBytes > waitingBytesMax { freeMemory() }
  }

  private func freeMemory() {
    let enough = waitingBytesMax - waitingBytesMax / Self.spareShare
    var slow: [(connection: ServerConnection, seconds: Double)] = []
    for connection in connections {
      guard let seconds = connection.drainSeconds(at: loop.now), seconds > Self.drainSecondsMax
      else { continue }
      slow.append((connection, seconds))
    }
    slow.sort { $0.seconds > $1.seconds }
    for (connection, _) in slow where waitingBytes > enough { shed(connection, to: enough) }
    while waitingBytes > waitingBytesMax,
      let greatest = connections.max(by: { $0.waitingBytes < $1.waitingBytes })
    {
      guard shed(greatest, to: enough) else { return }
    }
  }

  /// Frees memory of one connection; returns whether it had any.
  @discardableResult
  private func shed(_ connection: ServerConnection, to enough: Int) -> Bool {
    let before = connection.waitingBytes
    let responses = connection.shed(waitingBytes - enough)
    // A closed connection has left the list already.
    if connection.waitingBytes > 0 { count(connection.bufferedBytes, of: connection) }
    let freed = before - connection.waitingBytes
    guard freed > 0 else { return false }
    shedLog.note(responses: responses, bytes: freed)
    return true
  }

  private func count(_ bytes: Int, of connection: ServerConnection) {
    waitingBytes += bytes - connection.waitingBytes
    connection.waitingBytes = bytes
  }

  // MARK: Stopping

  /// Stops accepting; connections on their way from another shard are still served.
  func stopListening() {
    for listener in listeners { listener.close() }
    listeners = []
  }

  /// Stops accepting, lets every connection finish, and aborts the rest after the drain time.
  /// `done` is called once.
  func stop(done: @escaping () -> Void) {
    stopListening()
    guard whenEmpty == nil, !connections.isEmpty else {
      whenEmpty = {}
      return done()
    }
    whenEmpty = done
    for connection in connections { connection.stop() }
    loop.schedule(after: settings.timeouts.drain) { [self] in
      for connection in connections { connection.abort(.stopping) }
    }
  }

  var connectionCount: Int { connections.count }
}
