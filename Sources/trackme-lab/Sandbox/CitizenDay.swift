import Domain
import Foundation

/// A day in the life of a person: sleep, work, sport and health, in hours after midnight.
package struct CitizenDay: Sendable {
  /// A training or a run.
  package struct Sport: Hashable, Sendable {
    /// The hours of the day.
    package let hours: ClosedRange<Double>
    /// From 0 to 1, the share of the heart rate reserve.
    package let intensity: Double
    /// Whether it is the weekly run.
    package let isRace: Bool

    /// Hours from the start to the end.
    package var length: Double { hours.upperBound - hours.lowerBound }
  }

  /// The person.
  package let citizen: Citizen
  /// The day.
  package let date: CalendarDate
  /// The end of the night, and the begin of the next one.
  package let wakesAt: Double
  package let fallsAsleepAt: Double
  /// Hours of sleep of the night that ends on this day.
  package let sleepHours: Double
  /// The hours at work or at school; nil on a day off.
  package let work: ClosedRange<Double>?
  /// Nil for a day without sport.
  package let sport: Sport?
  /// Degrees above the usual temperature; 0 for a healthy day.
  package let fever: Double
  /// Whether the watch measures heart rate and sleep.
  package let wearsWatch: Bool
  /// Steps of the whole day.
  package let steps: Double

  /// The start of the weekly run on Sundays, in hours after midnight.
  package static let raceHour = 9.0
  /// The longest time that a runner of the town needs for it, in hours.
  package static let raceHours = 0.9

  /// The day of a person.
  package init(of citizen: Citizen, on date: CalendarDate) {
    let body = citizen.body
    let day = date.daysSince1970
    var random = DeterministicRandom(citizen.seed, .day, citizen.number, day)
    let fever = Illness.fever(of: citizen, on: day)
    let isIll = fever > 0
    let isWorkday = !isIll && date.weekday <= 5 && Self.works(citizen) && !random.happens(0.08)
    let work = isWorkday ? Self.work(citizen, &random) : nil
    let sport = isIll ? nil : Self.sport(citizen, date, after: work, &random)
    let begin = work?.lowerBound ?? (sport?.isRace == true ? Self.raceHour : 9.8)
    let wanted = body.sleepNeed + (isWorkday ? -0.3 : 0.5) + (isIll ? 1.2 : 0) + random.around(0.5)
    self.citizen = citizen
    self.date = date
    self.fever = fever
    self.work = work
    self.sport = sport
    wakesAt = max(begin - 1.2 - 0.5 * random.fraction() - (isWorkday ? 0 : random.fraction()), 5)
    sleepHours = min(max(wanted, 3.5), 12)
    let evening = 24 + 6.7 - body.sleepNeed + random.around(0.5)
    fallsAsleepAt = min(max(evening, sport.map { $0.hours.upperBound + 0.5 } ?? 20.5), 23.9)
    var watch = DeterministicRandom(citizen.seed, .adherence, citizen.number, day)
    wearsWatch = watch.happens(body.adherence)
    steps = Self.steps(body, isIll: isIll, isWorkday: isWorkday, sport, &random)
  }

  private static func works(_ citizen: Citizen) -> Bool {
    switch citizen.occupation {
    case .employed, .selfEmployed, .student: true
    case .unemployed, .retired, .other: false
    }
  }

  private static func work(
    _ citizen: Citizen, _ random: inout DeterministicRandom
  ) -> ClosedRange<Double> {
    let start = min(max(8.2 + random.around(0.4), 6.5), 9.5)
    let length = citizen.occupation == .student ? 5.5 : 8 + random.around(0.5)
    return start...start + length
  }

  private static func sport(
    _ citizen: Citizen, _ date: CalendarDate, after work: ClosedRange<Double>?,
    _ random: inout DeterministicRandom
  ) -> Sport? {
    if runsRace(citizen, on: date) {
      return Sport(hours: raceHour...raceHour + raceHours, intensity: 0.8, isRace: true)
    }
    guard random.happens(0.6 * citizen.body.fitness) else { return nil }
    let start = (work?.upperBound ?? 9.4) + 0.6 + 0.8 * random.fraction()
    let length = 0.5 + 0.7 * random.fraction()
    return Sport(
      hours: start...start + length, intensity: 0.45 + 0.3 * random.fraction(), isRace: false)
  }

  /// Whether the person runs the weekly run of a Sunday: healthy runners do every second time.
  static func runsRace(_ citizen: Citizen, on date: CalendarDate) -> Bool {
    guard date.weekday == 7, citizen.isRunner else { return false }
    var random = DeterministicRandom(
      citizen.seed, .race, citizen.number, date.daysSince1970)
    return random.happens(0.5) && Illness.fever(of: citizen, on: date.daysSince1970) == 0
  }

  private static func steps(
    _ body: CitizenBody, isIll: Bool, isWorkday: Bool, _ sport: Sport?,
    _ random: inout DeterministicRandom
  ) -> Double {
    let usual = body.dailySteps * (isWorkday ? 1.05 : 0.9) * (1 + random.around(0.22))
    let walked = isIll ? usual * 0.3 : usual
    return max(walked + (sport.map { $0.length * 6_500 * $0.intensity } ?? 0), 200).rounded()
  }
}

// MARK: Measurements of the day

extension CitizenDay {
  /// Degrees Celsius at an hour: the fever is higher in the evening.
  package func temperature(at hour: Double) -> Double {
    citizen.body.temperature + 0.25 * sin((hour - 11) / 24 * 2 * .pi)
      + fever * (hour > 14 ? 1 : 0.8)
  }

  /// Beats a minute at an hour, before the noise of a measurement.
  ///
  /// Sport raises the rate by a share of the reserve between the resting rate and 208 − 0.7 × age
  /// (Tanaka et al., J Am Coll Cardiol 37 (2001): 153–156), and fever by 8 beats a degree
  /// (Liebermeister's rule).
  package func heartRate(at hour: Double) -> Double {
    let resting = citizen.body.restingRate + 8 * fever
    if hour < wakesAt || hour >= fallsAsleepAt {
      return resting - 5 + 2 * sin((hour - 4) / 24 * 2 * .pi)
    }
    if let sport, sport.hours.contains(hour) {
      let age = Double(BirthDate(stored: citizen.birthDate).age(on: date))
      return resting + sport.intensity * (208 - 0.7 * age - resting)
    }
    let isAtWork = work?.contains(hour) ?? false
    return resting + (isAtWork ? 12 : 9) + 3 * sin((hour - 9) / 24 * 2 * .pi)
  }

  /// Kilograms: a slow trend, and a little more in winter.
  package var weight: Double {
    let years = Double(date.daysSince1970) / 365.25
    let trend = citizen.body.weightSwing * sin((years / 2.5 + Double(citizen.number) / 7) * 2 * .pi)
    return citizen.body.weight + trend + 0.5 * cos(years * 2 * .pi)
  }

  /// Kilocalories of the sport of the day; nil without sport.
  package var sportEnergy: Double? {
    // About 10 MET at full intensity: 10 kcal per kilogram and hour (Compendium of Physical
    // Activities, 2011).
    sport.map { ($0.length * 10 * $0.intensity * citizen.body.weight).rounded() }
  }
}
