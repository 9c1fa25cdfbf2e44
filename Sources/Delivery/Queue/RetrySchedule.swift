/// When to retry a failed delivery.
package struct RetrySchedule: Sendable {
  /// The pause after each attempt; one more failed attempt after the last pause is final.
  package let pauses: [Duration]

  /// A schedule of these pauses.
  package init(pauses: [Duration]) { self.pauses = pauses }

  /// Mail: 10 s, 1 min, 5 min, 30 min, 2 h, 6 h, 24 h, then failed: a day and a half in all.
  package static let mail = RetrySchedule(pauses: [
    .seconds(10), .seconds(60), .seconds(300), .seconds(1800), .seconds(7200), .seconds(21_600),
    .seconds(86_400),
  ])

  /// The pause after this number of attempts (1 or more); nil after the last one.
  ///
  /// `randomness` spreads the pause between 80 % and 120 %, so that deliveries that failed together
  /// are not retried together.
  package func pause(afterAttempts attempts: Int, randomness: UInt8) -> Duration? {
    guard attempts >= 1, attempts <= pauses.count else { return nil }
    return pauses[attempts - 1] * (816 + Int(randomness) * 8 / 5) / 1020
  }
}
