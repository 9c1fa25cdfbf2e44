import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Services

/// Releases the closed windows of subscriptions (R31, R32): every window is checked anew against
/// the threshold, and one that is too small becomes part of the next.
struct GroupSubscriptions: Sendable {
  /// How long a worker has for a window before another one takes it on.
  static let claimedFor = Duration.seconds(300)

  let requests: GroupRequests

  private var surroundings: Surroundings { requests.surroundings }

  /// Looks after every subscription that has something to be done; gives how many.
  ///
  /// - Throws: 503 if the database is away.
  func run(countMax: Int) async throws(ApplicationError) -> Int {
    let lastClosed = try await requests.lastClosedDay()
    var count = 0
    while count < countMax {
      let now = surroundings.world.now()
      let endedBy = lastEnd(by: now, lastClosed)
      let claim = ClaimSubscription(
        lastClosed: lastClosed, endedBy: endedBy, now: now, claimedUntil: now + Self.claimedFor)
      guard let row = try await surroundings.database.effect(claim) else { break }
      do throws(ApplicationError) {
        try await advance(row, lastClosed, endedBy: endedBy)
      } catch {
        guard error.reason != .unavailable else { throw error }
        // Its claim keeps it from being tried again at once; the others go on.
        surroundings.log.failure(
          "a group subscription can't go on", error,
          .safe("request_id", OperatorText(row.requestID.description)))
      }
      count += 1
    }
    return count
  }

  /// The latest end up to now behind which no day is left to be closed: of a subscription that ends
  /// at midnight the last day is closed some minutes later, and belongs to it.
  private func lastEnd(by now: WallTime, _ lastClosed: Int32) -> WallTime {
    let dayAfterOpen = CalendarDate(daysSince1970: Int(lastClosed) + 2)
    return min(now, WallTime(surroundings.zone.start(of: dayAfterOpen)) - .milliseconds(1))
  }

  /// Releases what is closed of one subscription, and ends it when nothing more of it will be.
  private func advance(
    _ row: GroupRequestRow, _ lastClosed: Int32, endedBy: WallTime
  ) async throws(ApplicationError) {
    // Only days that were over when the subscription ended belong to it.
    var last = lastClosed
    if let endsAt = row.endsAt {
      let endDay = Int32(surroundings.zone.day(of: endsAt.timestamp).daysSince1970)
      last = min(last, endDay - 1)
    }
    let next = row.nextDay ?? lastClosed + 1
    // A window that waits for more people never grows beyond what a request may ask for.
    let first = max(next, last - GroupRequestTerms.daysMax + 1)
    let search = try Self.search(row)
    let places = try await requests.places(of: search)
    var counted: [CountedType] = []
    if first <= last,
      case .counted(let found) = try await requests.count(
        GroupQuestion(
          types: row.types, breakdown: row.terms.breakdown,
          search: search, places: places, period: first...last),
        .subscriptions, for: row.thirdParty)
    {
      counted = found
    }
    let isOver = row.endsAt.map { $0 <= endedBy } ?? false
    let (types, isEnding) = (counted, isOver)
    try await surroundings.database.transaction(within: .seconds(20)) {
      (transaction) throws(ApplicationError) in
      let lock = LockGroupRequest(requestID: row.requestID)
      guard let current = try await transaction.runOne(lock), current.status == .approved,
        current.nextDay == row.nextDay
      else { return }
      if !types.isEmpty {
        try await requests.releasing.release(
          types, first...last, row.terms.breakdown, to: row.requestID, in: transaction)
      }
      try await transaction.run(
        MoveSubscription(
          requestID: row.requestID, nextDay: types.isEmpty ? next : last + 1,
          lookedDay: lastClosed))
      if isEnding {
        try await transaction.run(
          EndGroupRequest(requestID: row.requestID, reason: .periodOver))
      }
    }
  }

  /// The parameters, which were read when the request was made.
  private static func search(_ row: GroupRequestRow) throws(ApplicationError) -> [SearchParameter] {
    do throws(SearchListError) {
      return try SearchParameter.list(row.search)
    } catch {
      throw .internalError(because: "A stored search parameter is none any more.")
    }
  }
}
