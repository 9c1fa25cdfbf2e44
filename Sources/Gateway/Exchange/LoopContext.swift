import EventLoop
import HTTP
import Operations
import Privacy
import PublicAPI

/// What all loops of the gateway share; from any thread.
package final class GatewayParts: Sendable {
  let plans: EndpointPlans
  /// Tells genuine tokens from forged ones.
  package let tokens: TokenAuthority
  let sessions: SessionTable
  /// Whose uploads go the way of alarms.
  let watchedAccounts = WatchedAccounts()
  /// What may have changed since answers were kept.
  let changes = ChangeCounter()
  /// By which addresses of spectators are counted.
  let spectatorKey: SpectatorKey
  let source: any SessionSource
  /// Nil where rates are not limited.
  let limits: RateLimits?
  let forwarding: ForwardPhase
  let ownAnswers: OwnAnswers
  let metrics: GatewayMetrics
  let log: Log
  let world: World
  let replicaLimits: ReplicaLimits
  /// Where the replicas of the services listen.
  let data4help: [SocketAddress]
  let track4run: [SocketAddress]

  /// Everything the loops share.
  package init(
    plans: EndpointPlans, tokens: TokenAuthority, sessions: SessionTable,
    source: any SessionSource, limits: RateLimits?, forwarding: ForwardPhase,
    ownAnswers: OwnAnswers, metrics: GatewayMetrics, log: Log, world: World,
    data4help: [SocketAddress], track4run: [SocketAddress],
    replicaLimits: ReplicaLimits = ReplicaLimits()
  ) {
    self.plans = plans
    self.tokens = tokens
    self.sessions = sessions
    self.source = source
    self.limits = limits
    self.forwarding = forwarding
    self.ownAnswers = ownAnswers
    self.metrics = metrics
    self.log = log
    self.world = world
    spectatorKey = SpectatorKey(random: world.randomBytes(8))
    self.replicaLimits = replicaLimits
    self.data4help = data4help
    self.track4run = track4run
  }
}

/// What belongs to one loop of the gateway: connections to the replicas, answers that are kept, the
/// access log's buffer, the numbers of its requests.
final class LoopContext {
  let parts: GatewayParts
  let loop: EventLoop
  let data4help: ReplicaSet
  let track4run: ReplicaSet
  let accessLog: AccessLog
  let refusals: RefusalLog
  let openStreams: OpenStreams
  let answers: AnswerCache
  let spectators: SpectatorCounts
  private var numbers: RequestNumbers
  private var lastPeer = PeerAddress.unix
  private var lastPeerText = Array("unix".utf8)

  init(_ parts: GatewayParts, on loop: EventLoop) {
    self.parts = parts
    self.loop = loop
    func replicas(
      _ service: StaticString, _ addresses: [SocketAddress], reservesAlarms: Bool = false
    ) -> ReplicaSet {
      var head = RequestHead(.get, "/health", authority: service.description)
      let secret = parts.forwarding.secret
      head.fields.append(.internalSecret, copying: secret.span)
      return ReplicaSet(
        service, at: addresses, healthHead: head, reservesAlarms: reservesAlarms,
        limits: parts.replicaLimits, on: loop, log: parts.log, metrics: parts.metrics)
    }
    data4help = replicas("data4help", parts.data4help, reservesAlarms: true)
    track4run = replicas("track4run", parts.track4run)
    accessLog = AccessLog(parts.log, on: loop, now: parts.world.now)
    refusals = RefusalLog(parts.log, on: loop)
    openStreams = OpenStreams(on: loop)
    answers = AnswerCache(parts.changes, keptForMax: parts.plans.keptForMax, on: loop)
    spectators = SpectatorCounts(parts.spectatorKey)
    numbers = RequestNumbers(seed: parts.world.randomBytes(16))
  }

  /// Begins to connect to the replicas.
  func start() {
    data4help.start()
    track4run.start()
  }

  /// Gives the connections to the replicas up.
  func stop() {
    data4help.stop()
    track4run.stop()
    answers.stop()
    accessLog.flush()
  }

  /// Whether the gateway can serve: it knows the sessions, and each service has a replica.
  var isReady: Bool { parts.source.isLoaded && data4help.isUp && track4run.isUp }

  /// The replicas of a service; nil for what the gateway answers itself.
  func replicas(of service: Endpoint.Service) -> ReplicaSet? {
    switch service {
    case .gateway: nil
    case .data4help: data4help
    case .track4run: track4run
    }
  }

  /// A number for a request.
  func nextRequestID() -> RequestID { numbers.next() }

  /// The address of a client as text; kept for the next request, which is often from the same one.
  func text(of peer: PeerAddress) -> [UInt8] {
    let host = peer.host
    if host != lastPeer {
      lastPeer = host
      lastPeerText = Array(host.description.utf8)
    }
    return lastPeerText
  }
}

/// Numbers for requests: unique, and unlike those of other loops and processes. Nobody's safety
/// hangs on not guessing them, so that a counter does, without a system call for each.
package struct RequestNumbers {
  private let high: UInt64
  private var low: UInt64

  /// Numbers that begin at these random bytes.
  package init(seed: [UInt8]) {
    var halves: [UInt64] = [0, 0]
    for (index, byte) in seed.prefix(16).enumerated() {
      halves[index / 8] = halves[index / 8] << 8 | UInt64(byte)
    }
    high = halves[0]
    low = halves[1]
  }

  /// The next number.
  package mutating func next() -> RequestID {
    low &+= 0x9e37_79b9_7f4a_7c15
    return RequestID(high: high, low: low)
  }
}
