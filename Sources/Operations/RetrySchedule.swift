/// When to retry a failed delivery.
package struct RetrySchedule: Sendable {
  /// The pause after each attempt; one more failed attempt after the last pause is final.
  package let pauses: [Duration]

  /// A schedule of these pauses.
  package init(pauses: [Duration]) { self.pauses = pauses }

  /// The pause after this number of attempts (1 or more); nil after the last one.
  ///
  /// `randomness` spreads the pause between 80 % and 120 %, so that deliveries that failed together
  /// are not retried together.
  package func pause(afterAttempts attempts: Int, randomness: UInt8) -> Duration? {
    guard attempts >= 1, attempts <= pauses.count else { return nil }
    return pauses[attempts - 1] * (816 + Int(randomness) * 8 / 5) / 1020
  }
}
