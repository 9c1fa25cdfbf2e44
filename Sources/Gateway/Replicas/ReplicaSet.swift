import EventLoop
import HTTP
import Operations
import ServiceKit
import Time

/// The replicas of one service, as one loop uses them.
final class ReplicaSet: ReplicaLinkOwner {
  let service: StaticString
  var budget = RetryBudget()
  private let loop: EventLoop
  private let metrics: GatewayMetrics
  private var links: [ReplicaLink] = []
  /// Second connections to the same replicas, reserved for urgent requests.
  private var reserved: [ReplicaLink] = []
  private let limits: ReplicaLimits
  private var waiting: WaitingRequests
  private var isDraining = false
  /// Rejects late requests.
  private let timer: EarliestTimer
  private var isDrainPlanned = false
  private var turn = 0

  init(
    _ service: StaticString, at addresses: [SocketAddress], over security: InnerLink = .plain,
    healthHead: RequestHead,
    reservesAlarms: Bool, limits: ReplicaLimits, on loop: EventLoop, log: Log,
    metrics: GatewayMetrics
  ) {
    self.service = service
    self.loop = loop
    self.metrics = metrics
    self.limits = limits
    waiting = WaitingRequests(countMax: limits.waitersMax)
    timer = EarliestTimer(on: loop)
    func links(areReserved: Bool) -> [ReplicaLink] {
      addresses.enumerated().map { index, address in
        ReplicaLink(
          address, over: security, index: index, healthHead: healthHead, isReserved: areReserved,
          uploadsMax: limits.uploadsMax, on: loop, log: log, owner: self)
      }
    }
    self.links = links(areReserved: false)
    if reservesAlarms { reserved = links(areReserved: true) }
  }

  /// Whether some replica is in rotation.
  var isUp: Bool { links.contains(where: \.isUp) }

  /// Starts connecting.
  func start() { for link in links + reserved { link.start() } }

  /// Checks the replicas' health by requests with this head from now on.
  func check(with head: RequestHead) { for link in links + reserved { link.healthHead = head } }

  /// Accepts no new requests, and rejects the waiting ones.
  func stop() {
    for link in links + reserved { link.stop() }
    timer.cancel()
    for priority in PriorityClass.allCases {
      for exchange in changeWaiting({ $0.takeAll(of: priority) }) { exchange.noReplica() }
    }
  }

  // MARK: Choosing

  /// Chooses the replica for a request: with an account the account's own replica, else the least
  /// loaded one. A replica that the request has tried (one bit each in `tried`) is chosen only if
  /// there is no other. Nil if no replica accepts requests now.
  ///
  /// Urgent requests use the reserved connections first, then the others. An upload is sent only if
  /// there is room for one, and never ahead of waiting uploads.
  func choose(_ priority: PriorityClass, account: Int64?, tried: UInt64) -> ReplicaLink? {
    if priority.carriesUploads, !isDraining, !waiting.isEmpty(priority) { return nil }
    let areUploads = priority.carriesUploads
    if priority.isUrgent,
      let link = choose(of: reserved, account, tried, { !areUploads || $0.hasRoomForUpload })
    {
      return link
    }
    return choose(of: links, account, tried) { !areUploads || $0.hasRoomForUpload }
  }

  /// The connections that a priority class may use, its own first.
  private func candidates(_ priority: PriorityClass) -> [[ReplicaLink]] {
    priority.isUrgent ? [reserved, links] : [links]
  }

  private func choose(
    of links: [ReplicaLink], _ account: Int64?, _ tried: UInt64,
    _ condition: (ReplicaLink) -> Bool
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

  /// Queues a request until a replica accepts it. Returns false if the request has already waited
  /// too long since `since`, or if the queue is full.
  func wait(_ exchange: GatewayExchange, _ priority: PriorityClass, since: MonotonicInstant) -> Bool
  {
    guard since + limits.waitMax > loop.now,
      changeWaiting({ $0.add(exchange, priority, since: since) })
    else { return false }
    armTimer(since + limits.waitMax)
    return true
  }

  /// Changes the queues. They are moved out meanwhile, so that elsewhere the compiler proves
  /// exclusive access instead of checking it for each request.
  @discardableResult
  private func changeWaiting<Result>(_ change: (inout WaitingRequests) -> Result) -> Result {
    var moved = WaitingRequests.vacant
    swap(&moved, &waiting)
    defer { swap(&moved, &waiting) }
    return change(&moved)
  }

  private func armTimer(_ due: MonotonicInstant) {
    timer.add(due) { [unowned self] in expire() }
  }

  private func expire() {
    let now = loop.now
    let waitMax = limits.waitMax
    let late = changeWaiting { $0.takeAll { $0 + waitMax <= now } }
    for exchange in late { exchange.noReplica() }
    if let earliest = waiting.earliest { armTimer(earliest + waitMax) }
  }

  func becameUsable(_ link: ReplicaLink) {
    if !waiting.isEmpty { planDrain() }
  }

  func uploadEnded(_ link: ReplicaLink) {
    if !waiting.isEmpty(.watchedUploads) || !waiting.isEmpty(.uploads) { planDrain() }
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
    isDraining = true
    for priority in PriorityClass.allCases { forwardWaiting(priority) }
    isDraining = false
  }

  /// Sends as many waiting requests as there is room for: thousands can wait, and trying them all
  /// whenever one ends would cost more than everything else.
  private func forwardWaiting(_ priority: PriorityClass) {
    let candidates = candidates(priority)
    let areUploads = priority.carriesUploads
    var count = 0
    while let exchange = waiting.waiting(priority, at: count),
      candidates.contains(where: {
        $0.contains { areUploads ? $0.hasRoomForUpload : $0.isUsable }
      })
    {
      count += 1
      exchange.forward()
    }
    changeWaiting { $0.takeFirst(count, of: priority) }
  }

  func ejected(_ link: ReplicaLink) {
    if !link.isReserved { metrics.ejections.increment() }
  }
}
