import Time

/// Requests that wait for a replica, in one queue for each priority class, so that a full queue
/// leaves room for the others. The oldest request is at the front of its queue.
struct WaitingRequests {
  private struct Waiter {
    let exchange: GatewayExchange
    let since: MonotonicInstant
  }

  private let countMax: Int
  private var queues: [[Waiter]]

  /// Creates queues of at most `countMax` requests each.
  init(countMax: Int) {
    self.init(countMax, Array(repeating: [], count: PriorityClass.allCases.count))
  }

  private init(_ countMax: Int, _ queues: [[Waiter]]) {
    self.countMax = countMax
    self.queues = queues
  }

  /// Takes the place of queues that are moved; must not be used.
  static var vacant: WaitingRequests { WaitingRequests(0, []) }

  /// Whether no request waits.
  var isEmpty: Bool {
    for queue in queues where !queue.isEmpty { return false }
    return true
  }

  /// Whether no request of a priority class waits.
  func isEmpty(_ priority: PriorityClass) -> Bool { queues[priority.rawValue].isEmpty }

  /// When the oldest waiting request was queued.
  var earliest: MonotonicInstant? { queues.compactMap { $0.first?.since }.min() }

  /// Queues a request that has waited since `since`; false if its queue is full.
  mutating func add(
    _ exchange: GatewayExchange, _ priority: PriorityClass, since: MonotonicInstant
  ) -> Bool {
    guard queues[priority.rawValue].count < countMax else { return false }
    let place = (queues[priority.rawValue].lastIndex { $0.since <= since } ?? -1) + 1
    queues[priority.rawValue].insert(Waiter(exchange: exchange, since: since), at: place)
    return true
  }

  /// The request at an index of a class's queue, if there is one.
  func waiting(_ priority: PriorityClass, at place: Int) -> GatewayExchange? {
    let waiting = queues[priority.rawValue]
    return place < waiting.count ? waiting[place].exchange : nil
  }

  /// Removes and returns the `count` oldest requests of a priority class.
  @discardableResult
  mutating func takeFirst(_ count: Int, of priority: PriorityClass) -> [GatewayExchange] {
    let taken = queues[priority.rawValue].prefix(count).map(\.exchange)
    queues[priority.rawValue].removeFirst(taken.count)
    return taken
  }

  /// Removes and returns all requests of a priority class.
  mutating func takeAll(of priority: PriorityClass) -> [GatewayExchange] {
    takeFirst(queues[priority.rawValue].count, of: priority)
  }

  /// Removes and returns all requests that have waited too long.
  mutating func takeAll(
    whereSince isLate: (MonotonicInstant) -> Bool
  ) -> [GatewayExchange] {
    PriorityClass.allCases.flatMap { priority in
      takeFirst(queues[priority.rawValue].prefix { isLate($0.since) }.count, of: priority)
    }
  }
}
