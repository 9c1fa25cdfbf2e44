import EventLoop

/// Requests that wait for a replica, in one queue for each lane, so that a full lane leaves room
/// for the others. The oldest request is at the front of its queue.
struct WaitingRequests {
  private struct Waiter {
    let exchange: GatewayExchange
    let since: MonotonicInstant
  }

  private let countMax: Int
  private var lanes = [[Waiter]](repeating: [], count: Lane.allCases.count)

  /// Creates queues of at most `countMax` requests each.
  init(countMax: Int) { self.countMax = countMax }

  /// Whether no request waits.
  var isEmpty: Bool { lanes.allSatisfy(\.isEmpty) }

  /// Whether no request of a lane waits.
  func isEmpty(_ lane: Lane) -> Bool { lanes[lane.rawValue].isEmpty }

  /// When the oldest waiting request was queued.
  var earliest: MonotonicInstant? { lanes.compactMap { $0.first?.since }.min() }

  /// Queues a request that has waited since `since`; false if its queue is full.
  mutating func add(
    _ exchange: GatewayExchange, _ lane: Lane, since: MonotonicInstant
  ) -> Bool {
    guard lanes[lane.rawValue].count < countMax else { return false }
    let place = (lanes[lane.rawValue].lastIndex { $0.since <= since } ?? -1) + 1
    lanes[lane.rawValue].insert(Waiter(exchange: exchange, since: since), at: place)
    return true
  }

  /// The request at an index of a lane's queue, if there is one.
  func waiting(_ lane: Lane, at place: Int) -> GatewayExchange? {
    let waiting = lanes[lane.rawValue]
    return place < waiting.count ? waiting[place].exchange : nil
  }

  /// Removes and returns the `count` oldest requests of a lane.
  @discardableResult
  mutating func takeFirst(_ count: Int, of lane: Lane) -> [GatewayExchange] {
    let taken = lanes[lane.rawValue].prefix(count).map(\.exchange)
    lanes[lane.rawValue].removeFirst(taken.count)
    return taken
  }

  /// Removes and returns all requests of a lane.
  mutating func takeAll(of lane: Lane) -> [GatewayExchange] {
    takeFirst(lanes[lane.rawValue].count, of: lane)
  }

  /// Removes and returns all requests that have waited too long.
  mutating func takeAll(
    whereSince isLate: (MonotonicInstant) -> Bool
  ) -> [GatewayExchange] {
    Lane.allCases.flatMap { lane in
      takeFirst(lanes[lane.rawValue].prefix { isLate($0.since) }.count, of: lane)
    }
  }
}
