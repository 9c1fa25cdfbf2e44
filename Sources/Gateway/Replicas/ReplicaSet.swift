import EventLoop
import HTTP
import Operations

/// The replicas of one service as one loop uses them.
final class ReplicaSet: ReplicaLinkOwner {
  /// A request that waits for a replica.
  private struct Waiter {
    let exchange: GatewayExchange
    let since: MonotonicInstant
  }

  /// How long a request waits while no replica takes it; a replica that was killed is usually back
  /// by then.
  static let waitMax = Duration.seconds(2)
  /// Requests that wait at the same time.
  static let waitersMax = 4096

  let service: StaticString
  var budget = RetryBudget()
  private let loop: EventLoop
  private let metrics: GatewayMetrics
  private var links: [ReplicaLink] = []
  private var waiters: [Waiter] = []
  private var timer: LoopTimer?
  private var isDrainPlanned = false
  private var turn = 0

  init(
    _ service: StaticString, at addresses: [SocketAddress], healthHead: RequestHead,
    on loop: EventLoop, log: Log, metrics: GatewayMetrics
  ) {
    self.service = service
    self.loop = loop
    self.metrics = metrics
    links = addresses.prefix(64).enumerated().map { index, address in
      ReplicaLink(
        address, index: index, healthHead: healthHead, on: loop, log: log, owner: self)
    }
  }

  /// Whether some replica is in rotation.
  var isUp: Bool { links.contains(where: \.isUp) }

  /// Begins to connect.
  func start() { for link in links { link.start() } }

  /// Takes nothing more; what waits is refused.
  func stop() {
    for link in links { link.stop() }
    timer?.cancel()
    let waiters = waiters
    self.waiters = []
    for waiter in waiters { waiter.exchange.noReplica() }
  }

  // MARK: Choosing

  /// The replica for a request: with an account the one that is the account's, else the one with
  /// the least under way; one that the request has tried (a bit each in `tried`) only where there
  /// is no other. Nil where none takes requests now.
  func choose(account: Int64?, tried: UInt64) -> ReplicaLink? {
    if let fresh = pick(account, { tried & (1 << $0.index) == 0 }) { return fresh }
    return tried == 0 ? nil : pick(account) { _ in true }
  }

  private func pick(_ account: Int64?, _ condition: (ReplicaLink) -> Bool) -> ReplicaLink? {
    turn &+= 1
    var best: ReplicaLink?
    for step in links.indices {
      let link = links[(turn &+ step) % links.count]
      guard link.isUsable, condition(link) else { continue }
      guard let current = best else {
        best = link
        continue
      }
      if let account {
        let isHeavier =
          Rendezvous.weight(link.key, account) > Rendezvous.weight(current.key, account)
        if isHeavier { best = link }
      } else if link.load < current.load {
        best = link
      }
    }
    return best
  }

  // MARK: Waiting

  /// Keeps a request, which has waited since then, until a replica takes it; false if too many do.
  func wait(_ exchange: GatewayExchange, since: MonotonicInstant) -> Bool {
    guard waiters.count < Self.waitersMax else { return false }
    waiters.append(Waiter(exchange: exchange, since: since))
    if timer == nil { armTimer(Self.waitMax) }
    return true
  }

  private func armTimer(_ pause: Duration) {
    timer = loop.schedule(after: pause) { [unowned self] in
      timer = nil
      expire()
    }
  }

  private func expire() {
    let now = loop.now
    let late = waiters.prefix { $0.since + Self.waitMax <= now }
    waiters.removeFirst(late.count)
    for waiter in late { waiter.exchange.noReplica() }
    if let next = waiters.first, timer == nil { armTimer(next.since + Self.waitMax - now) }
  }

  func becameUsable(_ link: ReplicaLink) {
    guard !waiters.isEmpty, !isDrainPlanned else { return }
    isDrainPlanned = true
    loop.endOfTurn { [self] in
      isDrainPlanned = false
      let waiters = waiters
      self.waiters = []
      for waiter in waiters { waiter.exchange.forward() }
    }
  }

  func ejected(_ link: ReplicaLink) { metrics.ejections.increment() }
}
