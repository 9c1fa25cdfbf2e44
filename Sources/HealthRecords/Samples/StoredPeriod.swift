import Domain
import Time

/// A period as the columns of chunks represent it: the days that it touches, and its bounds in
/// milliseconds since 1970, the last one excluded.
package struct StoredPeriod: Sendable {
  let firstDay: Int32
  let lastDay: Int32
  let from: Int64
  let to: Int64

  init(_ period: SamplePeriod, days: ClosedRange<Int32>) {
    firstDay = days.lowerBound
    lastDay = days.upperBound
    from = period.from.millisecondsSince1970
    to = period.to.map(\.millisecondsSince1970) ?? .max
  }

  /// A period whose days are those of a time zone.
  package init(_ period: SamplePeriod, zone: TimeZoneRules) {
    self.init(period, days: period.days(in: zone))
  }
}
