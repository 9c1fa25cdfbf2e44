import Operations

extension RetrySchedule {
  /// Mail: 10 s, 1 min, 5 min, 30 min, 2 h, 6 h, 24 h, then failed: a day and a half in total.
  package static let mail = RetrySchedule(pauses: [
    .seconds(10), .seconds(60), .seconds(300), .seconds(1800), .seconds(7200), .seconds(21_600),
    .seconds(86_400),
  ])
}
