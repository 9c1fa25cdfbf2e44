import Domain

/// An illness with fever that begins in one calendar month.
///
/// It follows from the person and the month alone, so that each day can be computed without the
/// days before it. Most illnesses begin from November to March.
struct Illness {
  /// The first day, in days since 1970-01-01.
  let firstDay: Int
  /// The number of days.
  let length: Int
  /// The highest fever, in degrees above the usual temperature.
  let peak: Double

  /// The most days of an illness: the months that affect a day are its own and the one before.
  static let lengthMax = 9

  /// The illness of a person that begins in this month (`MonthDays`); nil for none.
  init?(of citizen: Citizen, in month: MonthDays) {
    var random = DeterministicRandom(
      citizen.seed, .illness, citizen.number, Int(month.number))
    let isWinter = [10, 11, 0, 1, 2].contains(((month.number % 12) + 12) % 12)
    guard random.happens(isWinter ? 0.15 : 0.04) else { return nil }
    firstDay = Int(month.days.lowerBound) + random.whole(0...month.days.count - 1)
    length = random.whole(3...Self.lengthMax)
    peak = 0.9 + 1.7 * random.fraction()
  }

  /// Degrees above the usual temperature on a day: the peak is on the second day, and the fever
  /// falls until the end.
  func fever(on day: Int) -> Double {
    let passed = day - firstDay
    guard (0..<length).contains(passed) else { return 0 }
    if passed == 0 { return peak * 0.6 }
    return peak * Double(length - passed) / Double(length - 1)
  }

  /// The fever of a person on a day, in degrees above the usual temperature; 0 for a healthy day.
  static func fever(of citizen: Citizen, on day: Int) -> Double {
    let month = MonthDays(day: Int32(day))
    return [month, MonthDays(number: month.number - 1)]
      .compactMap { Illness(of: citizen, in: $0)?.fever(on: day) }
      .max() ?? 0
  }
}
