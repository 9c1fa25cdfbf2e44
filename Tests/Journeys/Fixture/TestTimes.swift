import Foundation

/// Times near now in the format of documents.
enum TestTimes {
  /// The time after a duration from `start`, by default from now, with milliseconds.
  static func text(after duration: Duration = .zero, _ start: Date = Date()) -> String {
    moment(after: duration, start)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  /// The time after a duration from now, in whole seconds.
  static func second(after duration: Duration) -> String {
    moment(after: duration, Date()).formatted(.iso8601)
  }

  /// A document's time in seconds since 1970.
  static func seconds(_ text: String) -> Double? {
    let parts = [true, false].lazy.map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }
    return parts.compactMap { try? $0.parse(text) }.first?.timeIntervalSince1970
  }

  private static func moment(after duration: Duration, _ start: Date) -> Date {
    let (seconds, attoseconds) = duration.components
    return start.addingTimeInterval(Double(seconds) + Double(attoseconds) / 1e18)
  }
}
