import Domain
import Operations
import Time

/// The people of the sandbox and the days of their measurements.
package struct Town: Sendable {
  /// The people, by their number.
  package let citizens: [Citizen]
  /// The days with measurements; the last one is the day of the creation.
  package let days: ClosedRange<Int>
  /// The seed of everything that is random.
  package let seed: UInt64

  /// A town of this many people, whose measurements of this number of days end on `today`.
  ///
  /// - Throws: `StartError` for an invalid person, which no seed makes.
  package init(
    people: Int, days count: Int, seed: UInt64, today: CalendarDate
  ) throws(StartError) {
    self.seed = seed
    days = today.daysSince1970 - count + 1...today.daysSince1970
    var citizens: [Citizen] = []
    var codes: Set<FiscalCode> = []
    for number in 0..<people {
      var attempt = 0
      while true {
        let made = try Citizen(number: number, attempt: attempt, seed: seed, today: today)
        attempt += 1
        guard codes.insert(made.fiscalCode).inserted else { continue }
        citizens.append(made)
        break
      }
    }
    self.citizens = citizens
  }

  /// The days of each calendar month, oldest first. Measurements are uploaded in this order: then
  /// the day values of groups change for many people at once, not for each of them.
  package var months: [ClosedRange<Int>] {
    let period = Int32(days.lowerBound)...Int32(days.upperBound)
    return MonthDays.touched(by: period).compactMap { month in
      month.days(in: period).map { Int($0.lowerBound)...Int($0.upperBound) }
    }
  }
}
