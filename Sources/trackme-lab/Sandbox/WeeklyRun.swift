import Domain
import Operations
import Time

/// The weekly run of the town along the Adda: its course, its dates, and the results of a Sunday.
package struct WeeklyRun: Sendable {
  /// The result of a runner.
  package struct Result: Hashable, Sendable {
    /// The runner.
    package let citizen: Citizen
    /// As in `RunResult.Outcome`.
    package let outcome: RunResult.Outcome
    /// Metres along the course.
    package let metres: Double
    /// Milliseconds after the start when that was reached; nil for a runner who did not start.
    package let reachedAfter: Int64?
    /// Milliseconds after the start of each whole kilometre.
    package let kilometresAfter: [Int64]
  }

  /// The name of each run.
  package static let name = "Corsa dell'Adda"
  /// How many runners it admits.
  package static let participantsMax = 300
  /// The longest time, in seconds.
  package static let seconds: Int64 = 5400

  /// A loop of some 5.6 km from the bridge of Lodi along the river and back.
  private static let corners = [
    (45.3206, 9.4990), (45.3236, 9.5034), (45.3259, 9.5102), (45.3248, 9.5178), (45.3221, 9.5243),
    (45.3187, 9.5296), (45.3150, 9.5262), (45.3138, 9.5189), (45.3161, 9.5121), (45.3183, 9.5054),
    (45.3206, 9.4990),
  ]

  private let town: Town
  /// The path that all runs share.
  package let path: RunPath
  /// The length of the course in metres.
  package let metres: Double

  /// The run of a town.
  ///
  /// - Throws: a sentence if the course is invalid.
  package init(of town: Town) throws(StartError) {
    self.town = town
    let points: [GeoPoint]
    do throws(GeoPointError) {
      points = try Self.corners.map { (corner) throws(GeoPointError) in
        try GeoPoint(latitude: corner.0, longitude: corner.1)
      }
    } catch {
      throw StartError("The course of the weekly run is invalid: \(error.description)")
    }
    path = try SimulatedCourse.path(points, smaller: 1)
    metres = Course(path).length
  }

  /// The Sundays before today with a run, oldest first.
  package var pastDays: [CalendarDate] {
    town.days.dropLast().map { CalendarDate(daysSince1970: $0) }.filter { $0.weekday == 7 }
  }

  /// The first Sunday from the second day after this one on: enrolment is open until it starts.
  package static func nextDay(after today: CalendarDate) -> CalendarDate {
    let earliest = today.adding(days: 2)
    return earliest.adding(days: 7 - earliest.weekday)
  }

  /// The start on a day, at nine by the clock also on the Sundays on which it changes.
  package static func start(on day: CalendarDate, in zone: TimeZoneRules) -> Instant {
    let midnight = zone.start(of: day)
    let start = midnight.adding(seconds: Int64(CitizenDay.raceHour * 3600))
    let change = zone.offsetSeconds(at: midnight) - zone.offsetSeconds(at: start)
    return start.adding(seconds: Int64(change))
  }

  /// The results of a Sunday, in the order of the ranks: finished, not finished, not started.
  package func results(on day: CalendarDate) -> [Result] {
    town.citizens.filter { CitizenDay.runsRace($0, on: day) }
      .map { result(of: $0, on: day) }
      .sorted { one, other in
        let ranks = (one.outcome.rawValue, other.outcome.rawValue)
        if ranks.0 != ranks.1 { return ranks.0 < ranks.1 }
        if one.metres != other.metres { return one.metres > other.metres }
        return (one.reachedAfter ?? 0, one.citizen.number)
          < (other.reachedAfter ?? 0, other.citizen.number)
      }
  }

  private func result(of citizen: Citizen, on day: CalendarDate) -> Result {
    var random = DeterministicRandom(
      citizen.seed, .race, citizen.number, day.daysSince1970, 1)
    // From 4:20 to 6:50 a kilometre.
    let speed = min(max(2.5 + 1.6 * (citizen.body.fitness - 0.6) + random.around(0.12), 2.44), 3.85)
    let fate = random.fraction()
    if fate < 0.03 {
      return Result(
        citizen: citizen, outcome: .didNotStart, metres: 0, reachedAfter: nil, kilometresAfter: [])
    }
    let isBroken = fate < 0.05
    let run = isBroken ? metres * (0.3 + 0.5 * random.fraction()) : metres
    return Result(
      citizen: citizen, outcome: isBroken ? .didNotFinish : .finished, metres: run,
      reachedAfter: Self.milliseconds(toRun: run, speed),
      kilometresAfter: stride(from: 1000, through: run, by: 1000).map {
        Self.milliseconds(toRun: $0, speed)
      })
  }

  /// Each kilometre takes one per cent more than the one before.
  private static func milliseconds(toRun metres: Double, _ speed: Double) -> Int64 {
    Int64((metres / speed * (1 + metres / 200_000) * 1000).rounded())
  }
}
