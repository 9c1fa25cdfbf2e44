import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// Releases what was counted, or what was released of nearly the same people before (GRP-1).
struct GroupReleasing: Sendable {
  let surroundings: Surroundings
  let counting: GroupCounting

  /// Enters a release of the request, in the transaction that makes it known.
  ///
  /// Every type is compared by itself, with everything that was released of it for the same period
  /// and breakdown, whoever asked: so no second type can hide that the people of the first differ
  /// by one. A set that differs by 0 to 100 people gets the oldest answer it is near to.
  func release(
    _ counted: [CountedType], _ period: ClosedRange<Int32>, _ breakdown: GroupBreakdown?,
    to request: DataRequestID, in transaction: Transaction<Problem>
  ) async throws(Problem) {
    try await transaction.run(LockReleases(period))
    var statistics: [Int64] = []
    for one in counted {
      if let number = try await statistic(one, period, breakdown, in: transaction) {
        statistics.append(number)
      }
    }
    try await transaction.run(
      EnterRelease(
        requestID: request, firstDay: period.lowerBound, lastDay: period.upperBound,
        statistics: statistics))
  }

  /// The number of the statistics that may be given for what was counted of a type. Whoever calls
  /// it holds the lock of the period.
  func statistic(
    _ one: CountedType, _ period: ClosedRange<Int32>, _ breakdown: GroupBreakdown?,
    in transaction: Transaction<Problem>
  ) async throws(Problem) -> Int64? {
    if let earlier = try await earlier(one, period, breakdown, in: transaction) { return earlier }
    return try await keep(one, period, breakdown, in: transaction)
  }

  private func earlier(
    _ one: CountedType, _ period: ClosedRange<Int32>, _ breakdown: GroupBreakdown?,
    in transaction: Transaction<Problem>
  ) async throws(Problem) -> Int64? {
    var after: Int64 = 0
    while true {
      let rows = try await transaction.run(
        EarlierStatistics(
          type: one.type, firstDay: period.lowerBound, lastDay: period.upperBound,
          breakdown: breakdown?.stored ?? 0,
          peopleMin: Int32(one.people - GroupThreshold.differenceMax),
          peopleMax: Int32(one.people + GroupThreshold.differenceMax), after: after))
      guard let last = rows.last else { return nil }
      let near = try await counting.work {
        rows.first {
          MemberSet(bytes: $0.members).difference(from: one.members)
            <= GroupThreshold.differenceMax
        }?.id
      }
      if let near { return near }
      after = last.id
    }
  }

  private func keep(
    _ one: CountedType, _ period: ClosedRange<Int32>, _ breakdown: GroupBreakdown?,
    in transaction: Transaction<Problem>
  ) async throws(Problem) -> Int64? {
    let documents = try await counting.work { ReleaseDocuments(one) }
    return try await transaction.runOne(
      KeepStatistics(
        type: one.type, firstDay: period.lowerBound, lastDay: period.upperBound,
        breakdown: breakdown?.stored ?? 0, people: Int32(one.people),
        members: one.members.bytes, now: surroundings.world.now(),
        shownPeople: Int32(one.statistics.people), document: documents.document,
        parts: documents.parts, csv: documents.csv))
  }
}
