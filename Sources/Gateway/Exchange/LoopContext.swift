import Bytes
import Cryptography
import EventLoop
import HTTP
import Operations
import PublicAPI
import ServiceKit

/// State shared by all loops of the gateway. Callable from any thread.
package final class GatewayParts: Sendable {
  let plans: EndpointPlans
  /// Distinguishes genuine tokens from forged ones.
  package let tokens: TokenAuthority
  let sessions: SessionTable
  /// The monitored accounts, whose uploads have the priority of alarms.
  let monitoredAccounts = MonitoredAccounts()
  /// Counts changes that may affect cached responses.
  let changes = ChangeCounter()
  /// The key for hashing the addresses of spectators who are counted.
  let spectatorKey: SpectatorKey
  let source: any SessionSource
  /// Nil if rates are not limited.
  let limits: RateLimits?
  /// Authenticates the gateway to the services.
  let secret: InternalSecret
  let localAnswers: LocalAnswers
  let pages: PageAnswers
  /// Whether responses require browsers to use TLS only (HSTS). Not on `localhost`, where that
  /// would concern every other program of the machine.
  let demandsTLS: Bool
  let metrics: GatewayMetrics
  let log: Log
  let environment: Environment
  let replicaLimits: ReplicaLimits
  /// The addresses of the services' replicas.
  let data4help: [SocketAddress]
  let track4run: [SocketAddress]
  /// How to connect to them.
  let links: (data4help: InnerLink, track4run: InnerLink)

  /// Creates the shared state.
  package init(
    plans: EndpointPlans, tokens: TokenAuthority, sessions: SessionTable,
    source: any SessionSource, limits: RateLimits?, secret: InternalSecret,
    localAnswers: LocalAnswers, metrics: GatewayMetrics, log: Log, environment: Environment,
    data4help: [SocketAddress], track4run: [SocketAddress],
    links: (data4help: InnerLink, track4run: InnerLink) = (.plain, .plain),
    replicaLimits: ReplicaLimits = ReplicaLimits(), pages: PageAnswers? = nil,
    demandsTLS: Bool = true
  ) {
    self.plans = plans
    self.tokens = tokens
    self.sessions = sessions
    self.source = source
    self.limits = limits
    self.secret = secret
    self.localAnswers = localAnswers
    self.pages = pages ?? PageAnswers(nil, secureOrigin: "")
    self.demandsTLS = demandsTLS
    self.metrics = metrics
    self.log = log
    self.environment = environment
    spectatorKey = SpectatorKey(random: environment.randomBytes(8))
    self.replicaLimits = replicaLimits
    self.links = links
    self.data4help = data4help
    self.track4run = track4run
  }
}

/// State of one loop of the gateway: connections to the replicas, cached responses, the access
/// log's buffer and the request numbers.
final class LoopContext {
  let parts: GatewayParts
  let loop: EventLoop
  let data4help: ReplicaSet
  let track4run: ReplicaSet
  let accessLog: AccessLog
  let refusals: RefusalLog
  let openStreams: OpenStreams
  let answers: ResponseCache
  let spectators: SpectatorCounts
  /// The tokens that this loop has verified.
  let tokens: VerifiedTokens
  /// The heads that clients of this loop repeat.
  let heads: KnownHeads
  /// Builds requests for the services, under the root secret in use.
  private(set) var forwarding: ForwardPhase
  /// The heads that services of this loop repeat.
  let relayedHeads = RelayedHeads()
  private var numbers: RequestNumbers
  private var lastPeer = PeerAddress.unix
  private var lastPeerText = Array("unix".utf8)

  init(_ parts: GatewayParts, on loop: EventLoop) {
    self.parts = parts
    self.loop = loop
    let forwarding = ForwardPhase(secret: parts.secret)
    self.forwarding = forwarding
    func replicas(
      _ service: StaticString, _ addresses: [SocketAddress], _ link: InnerLink,
      reservesAlarms: Bool = false
    ) -> ReplicaSet {
      ReplicaSet(
        service, at: addresses, over: link, healthHead: forwarding.healthHead(of: service),
        reservesAlarms: reservesAlarms,
        limits: parts.replicaLimits, on: loop, log: parts.log, metrics: parts.metrics)
    }
    data4help = replicas(
      "data4help", parts.data4help, parts.links.data4help, reservesAlarms: true)
    track4run = replicas("track4run", parts.track4run, parts.links.track4run)
    accessLog = AccessLog(parts.log, on: loop, now: parts.environment.now)
    refusals = RefusalLog(parts.log, on: loop)
    openStreams = OpenStreams(on: loop)
    answers = ResponseCache(parts.changes, keptForMax: parts.plans.keptForMax, on: loop)
    spectators = SpectatorCounts(parts.spectatorKey)
    tokens = VerifiedTokens(parts.tokens)
    heads = KnownHeads(seed: UInt64(bigEndianBytes: parts.environment.randomBytes(8)))
    numbers = RequestNumbers(seed: parts.environment.randomBytes(16))
  }

  /// Starts connecting to the replicas.
  func start() {
    data4help.start()
    track4run.start()
  }

  /// Authenticates requests and health checks under the root secret in use from now on.
  func renewSecret() {
    forwarding = ForwardPhase(secret: parts.secret)
    heads.forget()
    for replicas in [data4help, track4run] {
      replicas.check(with: forwarding.healthHead(of: replicas.service))
    }
  }

  /// Closes the connections to the replicas.
  func stop() {
    data4help.stop()
    track4run.stop()
    answers.stop()
    accessLog.flush()
  }

  /// Whether the gateway can serve: the sessions are loaded, and each service has a replica.
  var isReady: Bool { parts.source.isLoaded && data4help.isUp && track4run.isUp }

  /// The replicas of a service; nil for endpoints that the gateway answers itself.
  func replicas(of service: Endpoint.Service) -> ReplicaSet? {
    switch service {
    case .gateway: nil
    case .data4help: data4help
    case .track4run: track4run
    }
  }

  /// The next request number.
  func nextRequestID() -> RequestID {
    // Copied, so that the compiler proves exclusive access.
    var changed = numbers
    let next = changed.next()
    numbers = changed
    return next
  }

  /// The address of a client as text. The last one is cached, because consecutive requests often
  /// come from the same client.
  func text(of peer: PeerAddress) -> [UInt8] {
    let host = peer.host
    if host != lastPeer {
      lastPeer = host
      lastPeerText = Array(host.description.utf8)
    }
    return lastPeerText
  }
}

/// Request numbers: unique, also across loops and processes. Safety does not depend on their being
/// unpredictable, so a counter suffices, without a system call for each.
package struct RequestNumbers {
  private let high: UInt64
  private var low: UInt64

  /// Creates numbers that start at these random bytes.
  package init(seed: [UInt8]) {
    high = UInt64(bigEndianBytes: seed.prefix(8))
    low = UInt64(bigEndianBytes: seed.dropFirst(8).prefix(8))
  }

  /// The next number.
  package mutating func next() -> RequestID {
    low &+= SplitMix64.increment
    return RequestID(high: high, low: low)
  }
}
