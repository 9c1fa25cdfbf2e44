/// When to try again what could not be delivered.
package struct RetrySchedule: Sendable {
  /// The pause after each attempt; after one more attempt it has failed for good.
  package let pauses: [Duration]

  /// A schedule of the given pauses.
  package init(pauses: [Duration]) { self.pauses = pauses }

  /// Mail: 10 s, 1 min, 5 min, 30 min, 2 h, 6 h, 24 h, then failed: a day and a half in all.
  package static let mail = RetrySchedule(pauses: [
    .seconds(10), .seconds(60), .seconds(300), .seconds(1800), .seconds(7200), .seconds(21_600),
    .seconds(86_400),
  ])

  /// The pause after so many attempts (1 or more); nil when there will be no other.
  ///
  /// `chance` spreads it from 80 % to 120 %, so that what failed together does not come together.
  package func pause(afterAttempts attempts: Int, chance: UInt8) -> Duration? {
    guard attempts >= 1, attempts <= pauses.count else { return nil }
    return pauses[attempts - 1] * (816 + Int(chance) * 8 / 5) / 1020
  }
}
