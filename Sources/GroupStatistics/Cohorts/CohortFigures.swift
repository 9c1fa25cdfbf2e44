import Domain
import Postgres
import ServiceKit

/// The figures that were released for a cohort and are repeated in every later answer, whatever its
/// period: the number of people in the cohort and in its parts, and everything about single days.
/// Callers therefore can't shift these figures by choosing periods, or with accounts that have
/// values in some of them (GRP-1).
struct CohortFigures: Sendable {
  /// A released day, with the counted number of people if its released number was drawn for this
  /// day.
  typealias ReleasedDay = (day: ReleasedStatistics.Day, drawnFor: Int?)

  /// The counted and the released number of people; nil for a new cohort.
  private var people: NumbersOfDays.Drawn?
  private var numbersOfDays: [NumbersOfDays.Drawn] = []
  private var days: [Int32: ReleasedStatistics.Day] = [:]
  private var parts: [String: Int] = [:]

  /// The figures of a new cohort: none.
  init() {}

  /// The released figures of a cohort, for some days and a breakdown.
  ///
  /// - Throws: `unavailable`; `internalError` if there is no such cohort.
  init(
    _ cohort: Int64, _ period: ClosedRange<Int32>, _ breakdown: Int16,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    guard let people = try await transaction.runOne(PeopleOfCohort(cohort: cohort)) else {
      throw .internalError(because: "The first statistics of a cohort are missing.")
    }
    self.people = people.drawn
    numbersOfDays = try await transaction.run(NumbersOfCohort(cohort: cohort)).map(\.drawn)
    let released = try await transaction.run(
      DaysOfCohort(cohort: cohort, firstDay: period.lowerBound, lastDay: period.upperBound))
    for row in released {
      days[row.day] = ReleasedStatistics.Day(
        day: row.day, people: Int(row.people), mean: row.mean)
    }
    let sizes = try await transaction.run(PartsOfCohort(cohort: cohort, breakdown: breakdown))
    for row in sizes { parts[row.part] = Int(row.people) }
  }

  /// The release for all people of a type; nil for 1000 people or fewer.
  func whole(
    of one: CountedType, with noise: ReleaseNoise
  ) -> (statistics: ReleasedStatistics, days: [ReleasedDay])? {
    let tally = one.tally
    guard let statistics = tally.histogram.released(with: noise, shownPeople: people?.released)
    else {
      return nil
    }
    let whole = people ?? NumbersOfDays.Drawn(counted: one.people, released: statistics.people)
    var numbers = NumbersOfDays(whole: whole, days: numbersOfDays)
    let days = tally.releasedDays.map { day -> ReleasedDay in
      if let released = self.days[day] { return (released, nil) }
      let people = tally.people(on: day)
      let (released, isDrawn) = numbers.number(of: people, with: noise)
      return (tally.released(day, releasedPeople: released, with: noise), isDrawn ? people : nil)
    }
    return (statistics, days)
  }

  /// The release for the parts of a type's breakdown.
  func parts(
    of one: CountedType, with noise: ReleaseNoise
  ) -> [(name: String, statistics: ReleasedStatistics)] {
    one.parts.compactMap { part in
      part.histogram.released(with: noise, shownPeople: parts[part.name]).map { (part.name, $0) }
    }
  }

  /// Stores the figures that are released for the first time.
  ///
  /// - Throws: `unavailable`.
  func keep(
    _ days: [ReleasedDay],
    _ parts: [(name: String, statistics: ReleasedStatistics)], _ breakdown: Int16,
    of cohort: Int64, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let newDays = days.filter { self.days[$0.day.day] == nil }
    if !newDays.isEmpty { try await transaction.run(KeepDays(newDays, of: cohort)) }
    let newParts = parts.filter { self.parts[$0.name] == nil }
    guard !newParts.isEmpty else { return }
    try await transaction.run(
      KeepParts(
        cohort: cohort, breakdown: breakdown, parts: newParts.map(\.name),
        people: newParts.map { Int32($0.statistics.people) }))
  }
}
