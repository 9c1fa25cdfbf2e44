import EventLoop

/// Requests that wait for a replica, those of each lane by themselves: however many of one wait,
/// there is room for the others. Who has waited longest stands first.
struct WaitingRequests {
  private struct Waiter {
    let exchange: GatewayExchange
    let since: MonotonicInstant
  }

  private let countMax: Int
  private var lanes = [[Waiter]](repeating: [], count: Lane.allCases.count)

  /// Room for so many of each lane.
  init(countMax: Int) { self.countMax = countMax }

  /// Whether nothing waits.
  var isEmpty: Bool { lanes.allSatisfy(\.isEmpty) }

  /// Whether nothing of a lane waits.
  func isEmpty(_ lane: Lane) -> Bool { lanes[lane.rawValue].isEmpty }

  /// Since when who has waited longest of all waits.
  var earliest: MonotonicInstant? { lanes.compactMap { $0.first?.since }.min() }

  /// One more that has waited since then; false where there is no room.
  mutating func add(
    _ exchange: GatewayExchange, _ lane: Lane, since: MonotonicInstant
  ) -> Bool {
    guard lanes[lane.rawValue].count < countMax else { return false }
    let place = (lanes[lane.rawValue].lastIndex { $0.since <= since } ?? -1) + 1
    lanes[lane.rawValue].insert(Waiter(exchange: exchange, since: since), at: place)
    return true
  }

  /// Who stands at a place of a lane, if anybody does.
  func waiting(_ lane: Lane, at place: Int) -> GatewayExchange? {
    let waiting = lanes[lane.rawValue]
    return place < waiting.count ? waiting[place].exchange : nil
  }

  /// Takes so many out of a lane that have waited longest.
  @discardableResult
  mutating func takeFirst(_ count: Int, of lane: Lane) -> [GatewayExchange] {
    let taken = lanes[lane.rawValue].prefix(count).map(\.exchange)
    lanes[lane.rawValue].removeFirst(taken.count)
    return taken
  }

  /// Takes all of a lane.
  mutating func takeAll(of lane: Lane) -> [GatewayExchange] {
    takeFirst(lanes[lane.rawValue].count, of: lane)
  }

  /// Takes all who have waited too long.
  mutating func takeAll(
    whereSince isLate: (MonotonicInstant) -> Bool
  ) -> [GatewayExchange] {
    Lane.allCases.flatMap { lane in
      takeFirst(lanes[lane.rawValue].prefix { isLate($0.since) }.count, of: lane)
    }
  }
}
