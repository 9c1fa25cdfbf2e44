import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit
import Sharing
import Time

/// Releases the closed windows of subscriptions (R31, R32). The threshold applies to every window;
/// a window below it is merged into the next one.
struct GroupSubscriptions: Sendable {
  /// The time that a worker has for a window before another worker may claim it.
  static let claimedFor = Duration.seconds(300)

  let requests: GroupRequests

  private var dependencies: GroupStatisticsDependencies { requests.dependencies }

  /// Advances every subscription that is due; returns their number.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  func run(countMax: Int) async throws(ApplicationError) -> Int {
    let lastClosed = try await requests.lastClosedDay()
    var count = 0
    while count < countMax {
      let now = dependencies.environment.now()
      let endedBy = lastEnd(by: now, lastClosed)
      let claim = ClaimSubscription(
        lastClosed: lastClosed, endedBy: endedBy, now: now, claimedUntil: now + Self.claimedFor)
      guard let row = try await dependencies.database.effect(claim) else { break }
      do throws(ApplicationError) {
        try await advance(row, lastClosed, endedBy: endedBy)
      } catch {
        guard error.reason != .unavailable else { throw error }
        // Its claim prevents an immediate retry; the other subscriptions are not affected.
        dependencies.log.failure(
          "advance group subscription failed", error,
          .safe("request_id", OperatorText(row.requestID.description)))
      }
      count += 1
    }
    return count
  }

  /// The latest end, at most now, whose days are all closed: the last day of a subscription that
  /// ends at midnight is closed some minutes later, and belongs to it.
  private func lastEnd(by now: Instant, _ lastClosed: Int32) -> Instant {
    let dayAfterOpen = CalendarDate(daysSince1970: Int(lastClosed) + 2)
    return min(now, dependencies.zone.start(of: dayAfterOpen) - .milliseconds(1))
  }

  /// Releases the closed windows of one subscription, and ends it after its last one.
  private func advance(
    _ row: GroupRequestRow, _ lastClosed: Int32, endedBy: Instant
  ) async throws(ApplicationError) {
    // Only days that were over when the subscription ended belong to it.
    var last = lastClosed
    if let endsAt = row.endsAt {
      let endDay = Int32(dependencies.zone.day(of: endsAt).daysSince1970)
      last = min(last, endDay - 1)
    }
    let next = row.nextDay ?? lastClosed + 1
    // A window that grows until enough people match never exceeds the maximum period of a request.
    let first = max(next, last - GroupRequestTerms.daysMax + 1)
    let search = try Self.search(row)
    let places = try await requests.places(of: search)
    var counted: [CountedType] = []
    if first <= last,
      case .counted(let found) = try await requests.count(
        CohortQuery(
          types: row.types, breakdown: row.terms.breakdown,
          search: search, places: places, period: first...last),
        .subscriptions, for: row.thirdParty)
    {
      counted = found
    }
    let isOver = row.endsAt.map { $0 <= endedBy } ?? false
    let (types, isEnding) = (counted, isOver)
    try await dependencies.database.transaction(within: .seconds(20)) {
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

  /// The search parameters, which were parsed when the request was created.
  private static func search(_ row: GroupRequestRow) throws(ApplicationError) -> [SearchParameter] {
    do throws(SearchListError) {
      return try SearchParameter.list(row.search)
    } catch {
      throw .internalError(because: "A stored search parameter is invalid.")
    }
  }
}
