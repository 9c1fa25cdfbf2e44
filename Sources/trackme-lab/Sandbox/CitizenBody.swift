import Domain

/// The body and the habits of a person of the town, from which each day follows.
///
/// The figures are chosen to be plausible, not to reproduce a study. The mean resting rate is near
/// that of 92,457 adults, 65 beats a minute (Quer et al., PLoS ONE 15(2), 2020: e0227709).
package struct CitizenBody: Hashable, Sendable {
  /// Metres.
  package let height: Double
  /// The usual weight in kilograms.
  package let weight: Double
  /// Kilograms above and below it, gained and lost again in two and a half years.
  package let weightSwing: Double
  /// Beats a minute of a healthy day at rest.
  package let restingRate: Double
  /// The usual blood pressure, in millimetres of mercury.
  package let systolic: Double
  package let diastolic: Double
  /// Degrees Celsius of a healthy day.
  package let temperature: Double
  /// Steps of a usual day without sport.
  package let dailySteps: Double
  /// Hours of sleep of a usual night.
  package let sleepNeed: Double
  /// From 0, no sport at all, to 1, sport almost every day.
  package let fitness: Double
  /// The share of days on which the watch is worn.
  package let adherence: Double

  /// A body for a person of this sex and age in years.
  init(_ sex: Sex, age: Int, _ random: inout DeterministicRandom) {
    let isMan = sex == .male
    let years = Double(age)
    fitness = min(max(0.55 - max(years - 35, 0) * 0.006 + random.around(0.22), 0), 1)
    height = (isMan ? 1.77 : 1.64) - max(years - 50, 0) * 0.001 + random.around(0.06)
    let index = 21.5 + min(years - 16, 44) * 0.09 + (isMan ? 0.8 : 0) + random.around(2.4)
    weight = min(max(index - 2 * fitness, 17), 40) * height * height
    weightSwing = 1 + random.around(1.5)
    restingRate = (isMan ? 66 : 69) - 12 * (fitness - 0.45) + random.around(5)
    let pressure = random.around(9)
    systolic = (isMan ? 117 : 112) + max(years - 25, 0) * 0.45 + pressure
    diastolic = 72 + min(max(years - 25, 0), 30) * 0.25 + pressure * 0.5
    temperature = 36.6 + random.around(0.15)
    dailySteps = max(8500 - max(years - 60, 0) * 120 + random.around(2200), 1800)
    sleepNeed = min(max(7.3 - max(years - 60, 0) * 0.015 + random.around(0.5), 5.5), 9)
    adherence = min(max(0.75 + random.around(0.12), 0.4), 0.97)
  }
}
