import EventLoop
import HTTP
import Operations
import PublicAPI

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
  /// Connections to the same replicas that alarms have for themselves.
  private var reserved: [ReplicaLink] = []
  private var waiters: [Waiter] = []
  /// Uploads for which no replica has room.
  private var uploads: [Waiter] = []
  private var isDraining = false
  private var timer: LoopTimer?
  private var isDrainPlanned = false
  private var turn = 0

  init(
    _ service: StaticString, at addresses: [SocketAddress], healthHead: RequestHead,
    reservesAlarms: Bool, uploadsMax: Int, on loop: EventLoop, log: Log,
    metrics: GatewayMetrics
  ) {
    self.service = service
    self.loop = loop
    self.metrics = metrics
    func links(areReserved: Bool) -> [ReplicaLink] {
      addresses.prefix(64).enumerated().map { index, address in
        ReplicaLink(
          address, index: index, healthHead: healthHead, isReserved: areReserved,
          uploadsMax: uploadsMax, on: loop, log: log, owner: self)
      }
    }
    self.links = links(areReserved: false)
    if reservesAlarms { reserved = links(areReserved: true) }
  }

  /// Whether some replica is in rotation.
  var isUp: Bool { links.contains(where: \.isUp) }

  /// Begins to connect.
  func start() { for link in links + reserved { link.start() } }

  /// Takes nothing more; what waits is refused.
  func stop() {
    for link in links + reserved { link.stop() }
    timer?.cancel()
    let waiters = waiters + uploads
    (self.waiters, uploads) = ([], [])
    for waiter in waiters { waiter.exchange.noReplica() }
  }

  // MARK: Choosing

  /// The replica for a request: with an account the one that is the account's, else the one with
  /// the least under way; one that the request has tried (a bit each in `tried`) only where there
  /// is no other. Nil where none takes requests now.
  ///
  /// Alarms go by their own connections, else by the others. An upload is sent where there is room
  /// for one, and not before those that wait.
  func choose(_ lane: Endpoint.Lane, account: Int64?, tried: UInt64) -> ReplicaLink? {
    switch lane {
    case .ordinary: return choose(of: links, account, tried) { _ in true }
    case .uploads:
      guard uploads.isEmpty || isDraining else { return nil }
      return choose(of: links, account, tried, where: \.hasRoomForUpload)
    case .alarms:
      return choose(of: reserved, account, tried) { _ in true }
        ?? choose(of: links, account, tried) { _ in true }
    }
  }

  private func choose(
    of links: [ReplicaLink], _ account: Int64?, _ tried: UInt64,
    where condition: (ReplicaLink) -> Bool
  ) -> ReplicaLink? {
    if let fresh = pick(of: links, account, { tried & (1 << $0.index) == 0 && condition($0) }) {
      return fresh
    }
    return tried == 0 ? nil : pick(of: links, account, condition)
  }

  private func pick(
    of links: [ReplicaLink], _ account: Int64?, _ condition: (ReplicaLink) -> Bool
  ) -> ReplicaLink? {
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
  ///
  /// Uploads wait apart, so that they leave room for everything else.
  func wait(
    _ exchange: GatewayExchange, _ lane: Endpoint.Lane, since: MonotonicInstant
  ) -> Bool {
    let waiter = Waiter(exchange: exchange, since: since)
    if lane == .uploads {
      guard uploads.count < Self.waitersMax else { return false }
      uploads.append(waiter)
    } else {
      guard waiters.count < Self.waitersMax else { return false }
      waiters.append(waiter)
    }
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
    let lateUploads = uploads.prefix { $0.since + Self.waitMax <= now }
    uploads.removeFirst(lateUploads.count)
    for waiter in late + lateUploads { waiter.exchange.noReplica() }
    let next = [waiters.first, uploads.first].compactMap { $0?.since }.min()
    if let next, timer == nil { armTimer(next + Self.waitMax - now) }
  }

  func becameUsable(_ link: ReplicaLink) {
    guard !waiters.isEmpty || !uploads.isEmpty else { return }
    planDrain()
  }

  func uploadEnded(_ link: ReplicaLink) {
    if !uploads.isEmpty { planDrain() }
  }

  private func planDrain() {
    guard !isDrainPlanned else { return }
    isDrainPlanned = true
    loop.endOfTurn { [self] in
      isDrainPlanned = false
      drain()
    }
  }

  private func drain() {
    let waiters = waiters
    self.waiters = []
    for waiter in waiters { waiter.exchange.forward() }
    isDraining = true
    var count = 0
    while count < uploads.count, links.contains(where: \.hasRoomForUpload) {
      let next = uploads[count]
      count += 1
      next.exchange.forward()
    }
    uploads.removeFirst(count)
    isDraining = false
  }

  func ejected(_ link: ReplicaLink) {
    if !link.isReserved { metrics.ejections.increment() }
  }
}
