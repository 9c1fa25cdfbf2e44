import Domain
import HTTP
import Postgres
import Services

/// What a cohort was told once and is told again, in answers of whatever period: how many people it
/// has, and its parts, and everything of single days. So nobody can move these figures by choosing
/// periods, and by accounts that have values in some of them (GRP-1).
struct CohortFigures: Sendable {
  /// A day as it is told, with how many people were counted where its number was drawn for it.
  typealias ToldDay = (day: ReleasedStatistics.Day, drawnFor: Int?)

  /// How many people it had, and was told to have; nil of a cohort that is new.
  private var people: NumbersOfDays.Drawn?
  private var numbersOfDays: [NumbersOfDays.Drawn] = []
  private var days: [Int32: ReleasedStatistics.Day] = [:]
  private var parts: [String: Int] = [:]

  /// Those of a cohort that is new, which has none.
  init() {}

  /// Those that were told to a cohort, of some days and a breakdown.
  ///
  /// - Throws: 503; 500 if there is no such cohort.
  init(
    _ cohort: Int64, _ period: ClosedRange<Int32>, _ breakdown: Int16,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    guard let people = try await transaction.runOne(PeopleOfCohort(cohort: cohort)) else {
      throw .internalError(because: "The first statistics of a cohort are gone.")
    }
    self.people = people.drawn
    numbersOfDays = try await transaction.run(NumbersOfCohort(cohort: cohort)).map(\.drawn)
    let told = try await transaction.run(
      DaysOfCohort(cohort: cohort, firstDay: period.lowerBound, lastDay: period.upperBound))
    for row in told {
      days[row.day] = ReleasedStatistics.Day(
        day: row.day, people: Int(row.people), mean: row.mean)
    }
    let sizes = try await transaction.run(PartsOfCohort(cohort: cohort, breakdown: breakdown))
    for row in sizes { parts[row.part] = Int(row.people) }
  }

  /// What is released of the whole of a type; nil for 1000 people or fewer.
  func whole(
    of one: CountedType, with noise: ReleaseNoise
  ) -> (statistics: ReleasedStatistics, days: [ToldDay])? {
    let tally = one.tally
    guard let statistics = tally.histogram.released(with: noise, shownPeople: people?.told) else {
      return nil
    }
    let whole = people ?? NumbersOfDays.Drawn(counted: one.people, told: statistics.people)
    var numbers = NumbersOfDays(whole: whole, days: numbersOfDays)
    let days = tally.releasedDays.map { day -> ToldDay in
      if let told = self.days[day] { return (told, nil) }
      let people = tally.people(on: day)
      let (told, isDrawn) = numbers.number(of: people, with: noise)
      return (tally.released(day, toldPeople: told, with: noise), isDrawn ? people : nil)
    }
    return (statistics, days)
  }

  /// What is released of its parts.
  func parts(
    of one: CountedType, with noise: ReleaseNoise
  ) -> [(name: String, statistics: ReleasedStatistics)] {
    one.parts.compactMap { part in
      part.histogram.released(with: noise, shownPeople: parts[part.name]).map { (part.name, $0) }
    }
  }

  /// Keeps what was told for the first time.
  ///
  /// - Throws: 503.
  func keep(
    _ days: [ToldDay],
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
