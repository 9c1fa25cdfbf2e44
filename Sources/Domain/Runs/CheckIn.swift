import Time

/// The time of check-in (R39).
package enum CheckIn {
  /// When check-in opens: at 00:00 of the day of the start, or `secondsBefore` the start if that is
  /// earlier.
  package static func opensAt(
    startsAt: Instant, in zone: TimeZoneRules, secondsBefore: Int64 = 0
  ) -> Instant {
    min(
      zone.start(of: zone.day(of: startsAt)), startsAt.adding(seconds: -max(secondsBefore, 0)))
  }
}
