import Domain
import JSON
import Postgres
import ServiceKit
import Time

/// The mean of an age band, as released.
struct AgeBandAverage: JSONReadable {
  /// Rounded to tens.
  let people: Int
  let mean: Double

  /// Reads the document of released statistics.
  init(from reader: inout JSONReader) throws(JSONError) {
    var people: Int?
    var mean: Double?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "people": people = try reader.integer()
      case "mean": mean = try reader.double()
      default: break
      }
    }
    self.people = try reader.mandatory("people", people)
    self.mean = try reader.mandatory("mean", mean)
  }
}

/// The averages that people compare their values with (DAT-4). Each is counted once for a type,
/// band and closed day, and released like the answer to a group request, with the same defences.
/// Every later caller gets the same figures until the next day is closed.
struct AgeBandAverages: Sendable {
  let database: Database
  let groups: GroupRequests

  /// The released mean of a band over a period, requested by an account, with its release time; nil
  /// if it would rest on 1000 people or fewer.
  ///
  /// - Throws: `rateLimited` when the account has too many waiting counts already, `unavailable` if
  ///   the database is unavailable or too many counts wait.
  func average(
    of type: DataType, _ band: Int, over period: ClosedRange<Int32>, for account: AccountID
  ) async throws(ApplicationError) -> (average: AgeBandAverage, releasedAt: Instant)? {
    let look = StatisticsOfAgeBand(type: type, lastDay: period.upperBound, band: Int16(band))
    if let kept = try await database.row(look) { return try Self.read(kept) }
    let row = try await groups.inTurn(.comparisons, for: account) { () throws(ApplicationError) in
      // An earlier waiter may have counted the same.
      if let kept = try await database.row(look) { return kept }
      return try await release(look, period)
    }
    return try Self.read(row)
  }

  private func release(
    _ look: StatisticsOfAgeBand, _ period: ClosedRange<Int32>
  ) async throws(ApplicationError) -> StatisticsOfAgeBand.Row {
    let band = AgeBand.all[Int(look.band)]
    var search = [SearchParameter.age(.atLeast, years: band.first)]
    if let last = band.last { search.append(.age(.atMost, years: last)) }
    let outcome = try await groups.counting.count(
      CohortQuery(
        types: DataTypeSet([look.type]), breakdown: nil, search: search,
        places: try await groups.places(of: search), period: period))
    return try await database.transaction { (transaction) throws(ApplicationError) in
      try await transaction.run(LockReleases())
      if let kept = try await transaction.runOne(look) { return kept }
      var statistic: Int64?
      if case .counted(let types) = outcome, let one = types.first {
        statistic = try await groups.releasing.statistic(one, period, nil, in: transaction)
      }
      try await transaction.run(
        KeepStatisticsOfAgeBand(
          type: look.type, lastDay: look.lastDay, band: look.band, statistic: statistic))
      guard let row = try await transaction.runOne(look) else {
        throw .internalError(because: "The statistics of an age band were not kept.")
      }
      return row
    }
  }

  private static func read(
    _ row: StatisticsOfAgeBand.Row
  ) throws(ApplicationError) -> (average: AgeBandAverage, releasedAt: Instant)? {
    guard let document = row.document, let releasedAt = row.releasedAt else { return nil }
    do throws(JSONError) {
      var reader = JSONReader(document)
      return (try AgeBandAverage(from: &reader), releasedAt)
    } catch {
      throw .internalError(because: "The stored statistics of an age band are corrupt.")
    }
  }
}
