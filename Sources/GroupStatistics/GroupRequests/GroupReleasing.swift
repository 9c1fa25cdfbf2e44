import Domain
import EventLoop
import Postgres
import ServiceKit
import Sharing

/// Releases new statistics, or those released earlier for nearly the same people (GRP-1).
struct GroupReleasing: Sendable {
  let environment: Environment
  let counting: GroupCounting
  let noise: ReleaseNoise

  /// Stores a release of the request, in the transaction that makes it known.
  ///
  /// Every type is compared separately with all earlier releases of that type, for any third party:
  /// a second type so can't hide that the people of the first differ by one. A set that differs by
  /// 0 to 100 people from an earlier set of the same period and breakdown gets the oldest such
  /// answer; a set close to the first set of a cohort belongs to that cohort.
  ///
  /// - Throws: `unavailable` if the database is unavailable, or too much work is queued.
  func release(
    _ counted: [CountedType], _ period: ClosedRange<Int32>, _ breakdown: GroupBreakdown?,
    to request: DataRequestID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    try await transaction.run(LockReleases())
    var statistics: [Int64] = []
    for one in counted {
      statistics.append(try await statistic(one, period, breakdown, in: transaction))
    }
    try await transaction.run(
      EnterRelease(
        requestID: request, firstDay: period.lowerBound, lastDay: period.upperBound,
        statistics: statistics))
  }

  /// The number of the statistics to release for a counted type. The caller holds the lock of
  /// releases.
  ///
  /// - Throws: `unavailable` if the database is unavailable, or too much work is queued.
  func statistic(
    _ one: CountedType, _ period: ClosedRange<Int32>, _ breakdown: GroupBreakdown?,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Int64 {
    let query = ReleaseQuery(one: one, period: period, breakdown: breakdown?.stored ?? 0)
    let earlier = try await near(one) { (after) async throws(ApplicationError) in
      try await transaction.run(query.earlier(after: after))
    }
    if let earlier { return earlier.id }
    let cohort = try await near(one) { (after) async throws(ApplicationError) in
      try await transaction.run(query.cohorts(after: after))
    }
    guard let cohort else {
      return try await keep(query, wholeOf: nil, of: nil, in: transaction)
    }
    // Days on which few people have a value do not make it another answer.
    let same = StatisticsOfCohort(
      cohort: cohort.id, days: one.tally.distinguishingDays, firstDay: period.lowerBound,
      lastDay: period.upperBound, breakdown: query.breakdown)
    let released = try await transaction.runOne(same)
    if let released, released.breakdown == query.breakdown { return released.id }
    return try await keep(query, wholeOf: released?.id, of: cohort.id, in: transaction)
  }

  /// The oldest set that differs from the counted one by at most 100 people; `page` reads the sets
  /// after an identifier.
  private func near(
    _ one: CountedType, _ page: (Int64) async throws(ApplicationError) -> [KeptSet]
  ) async throws(ApplicationError) -> KeptSet? {
    var after: Int64 = 0
    while true {
      let rows = try await page(after)
      guard let last = rows.last else { return nil }
      let near = try await counting.work {
        rows.first {
          MemberSet(bytes: $0.members).difference(from: one.members)
            <= GroupThreshold.differenceMax
        }
      }
      if let near { return near }
      after = last.id
    }
  }

  /// Stores a new answer, with the whole of earlier statistics if there are some; in a cohort, or
  /// as the first of a new one.
  private func keep(
    _ query: ReleaseQuery, wholeOf earlier: Int64?, of cohort: Int64?,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Int64 {
    let (one, period) = (query.one, query.period)
    var figures = CohortFigures()
    if let cohort {
      figures = try await CohortFigures(cohort, period, query.breakdown, in: transaction)
    }
    let released = try await whole(of: earlier, in: transaction)
    let release = try await counting.work { [noise, figures] in
      ReleasedType(one, figures, released, noise)
    }
    guard let release else {
      throw .internalError(because: "A type with too few people must not be released.")
    }
    let statistics = KeepStatistics(
      type: one.type, firstDay: period.lowerBound, lastDay: period.upperBound,
      breakdown: query.breakdown, people: Int32(one.people), members: one.members.bytes,
      cohort: cohort, days: release.distinguishingDays, now: environment.now(),
      shownPeople: release.shownPeople, document: release.whole.json, csv: release.whole.csv,
      parts: release.partDocuments.json, partCSV: release.partDocuments.csv)
    guard let kept = try await transaction.runOne(statistics) else {
      throw .internalError(because: "Statistics were not kept.")
    }
    try await figures.keep(
      release.days, release.parts, query.breakdown, of: cohort ?? kept, in: transaction)
    return kept
  }

  /// The released whole of earlier statistics, if there are some.
  private func whole(
    of earlier: Int64?, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> WholeOfStatistics.Row? {
    guard let earlier else { return nil }
    guard let released = try await transaction.runOne(WholeOfStatistics(id: earlier)) else {
      throw .internalError(because: "Statistics that were found no longer exist.")
    }
    return released
  }
}

/// A counted type with the query it answers.
private struct ReleaseQuery: Sendable {
  let one: CountedType
  let period: ClosedRange<Int32>
  let breakdown: Int16
  var peopleMin: Int32 { Int32(one.people - GroupThreshold.differenceMax) }
  var peopleMax: Int32 { Int32(one.people + GroupThreshold.differenceMax) }

  func earlier(after: Int64) -> EarlierStatistics {
    EarlierStatistics(
      type: one.type, firstDay: period.lowerBound, lastDay: period.upperBound,
      breakdown: breakdown, peopleMin: peopleMin, peopleMax: peopleMax, after: after)
  }

  func cohorts(after: Int64) -> Cohorts {
    Cohorts(type: one.type, peopleMin: peopleMin, peopleMax: peopleMax, after: after)
  }
}

/// The release of a type, with its documents.
private struct ReleasedType: Sendable {
  let shownPeople: Int32
  /// The days that the whole covers.
  let distinguishingDays: [Int32]
  /// The days that were computed for this release.
  let days: [CohortFigures.ReleasedDay]
  let parts: [(name: String, statistics: ReleasedStatistics)]
  let whole: ReleaseDocuments
  let partDocuments: ReleaseDocuments

  /// Nil for 1000 people or fewer.
  init?(
    _ one: CountedType, _ figures: CohortFigures, _ released: WholeOfStatistics.Row?,
    _ noise: ReleaseNoise
  ) {
    parts = figures.parts(of: one, with: noise)
    partDocuments = ReleaseDocuments(one.type, parts: parts)
    if let released {
      (shownPeople, distinguishingDays, days) = (released.shownPeople, released.days, [])
      whole = ReleaseDocuments(json: released.document, csv: released.csv)
    } else {
      guard let (statistics, days) = figures.whole(of: one, with: noise) else { return nil }
      (shownPeople, distinguishingDays) = (Int32(statistics.people), one.tally.distinguishingDays)
      self.days = days
      whole = ReleaseDocuments(one.type, statistics, days.map(\.day))
    }
  }
}
