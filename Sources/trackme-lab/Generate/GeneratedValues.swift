import Domain
import ServiceKit
import Time

/// Plausible daily values: each person's values vary around a personal level, and are the same for
/// the same account number.
struct GeneratedValues {
  /// One day of a block of people.
  struct Column {
    let type: DataType
    let day: Int32
    let block: Int32
    var values = DayColumn()
  }

  /// The types with their usual level, the variation between people, and the variation between
  /// days.
  private static let levels: [(type: DataType, level: Double, people: Double, days: Double)] = [
    (.heartRate, 70, 25, 8), (.steps, 7_000, 5_000, 2_500), (.weight, 72, 30, 0.5),
  ]
  static var types: [DataType] { levels.map(\.type) }

  /// Months since January 1970, newest first.
  let months: [Int32]
  private let lastDay: Int32

  /// Values up to yesterday, by the days of the installation's time zone.
  init(until now: Instant, in zone: TimeZoneRules, months count: Int) {
    lastDay = Int32(zone.day(of: now).daysSince1970) - 1
    let newest = MonthDays(day: lastDay).number
    months = (0..<Int32(count)).map { newest - $0 }
  }

  /// The columns of a month for these people.
  func columns(
    _ type: DataType, _ month: Int32, of people: [(number: Int64, position: ColumnPosition)]
  ) -> [Column] {
    guard let coding = DayValueCode(type),
      let level = Self.levels.first(where: { $0.type == type })
    else { return [] }
    let days = MonthDays(number: month).days
    let last = Int(min(days.upperBound, lastDay) - days.lowerBound)
    guard last >= 0 else { return [] }
    var columns: [Column] = []
    var starts: [Int32: Int] = [:]
    for (number, position) in people {
      let start: Int
      if let known = starts[position.block] {
        start = known
      } else {
        start = columns.count
        starts[position.block] = start
        for day in 0...Int32(last) {
          columns.append(Column(type: type, day: days.lowerBound + day, block: position.block))
        }
      }
      var person = DeterministicRandom(seed: UInt64(number) << 8 | UInt64(type.rawValue))
      let usual = level.level + level.people * (2 * person.fraction() - 1)
      var random = DeterministicRandom(seed: UInt64(number) << 20 | UInt64(month) << 8)
      for day in 0...last where random.fraction() < 0.95 {
        columns[start + day].values[position.index] =
          coding.code(of: usual + level.days * (2 * random.fraction() - 1), with: 0)
      }
    }
    return columns
  }
}
