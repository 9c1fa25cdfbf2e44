/// An instant in milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted (POSIX).
///
/// The range is exactly the years 1970 to 9999, so that the sum of a moment and any time span of
/// the detector never overflows.
public struct Moment: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970.
  public let milliseconds: Int64

  /// 1970-01-01T00:00:00Z, before every reading.
  static let first = Moment(milliseconds: 0)

  /// The last millisecond of the year 9999.
  private static let lastMilliseconds: Int64 = 253_402_300_799_999

  /// The instant this many milliseconds after 1970, clamped to the range.
  public init(milliseconds: Int64) {
    self.milliseconds = min(max(milliseconds, 0), Self.lastMilliseconds)
  }

  /// Whether the left instant comes before the right one.
  public static func < (left: Self, right: Self) -> Bool {
    left.milliseconds < right.milliseconds
  }

  /// The instant this many milliseconds later.
  static func + (moment: Self, milliseconds: Int64) -> Moment {
    Moment(milliseconds: moment.milliseconds + milliseconds)
  }

  /// Milliseconds from the right instant to the left one.
  static func - (left: Self, right: Self) -> Int64 { left.milliseconds - right.milliseconds }
}
