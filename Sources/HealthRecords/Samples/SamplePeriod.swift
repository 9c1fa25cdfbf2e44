import Domain
import ServiceKit
import Time
import Web

/// The period of a query, including `from` and excluding `to`; a missing bound is open.
package struct SamplePeriod: Sendable {
  let from: Instant
  /// Nil without an end.
  let to: Instant?

  /// Reads `from` and `to`.
  ///
  /// - Throws: `invalid` for a malformed time, and for an end before the beginning.
  init(_ query: Query) throws(ApplicationError) {
    from = try Self.time(query, "from") ?? .firstWritable
    to = try Self.time(query, "to")
    if let to, to < from {
      throw .invalid("The period must not end before it begins.", field: "to")
    }
  }

  package init(from: Instant, to: Instant?) {
    self.from = from
    self.to = to
  }

  /// Whether it contains all times from `first` to `last`.
  func holds(_ first: Instant, through last: Instant) -> Bool {
    first >= from && to.map { last < $0 } ?? true
  }

  /// Whether it contains a time.
  func contains(_ time: Instant) -> Bool { holds(time, through: time) }

  /// The days that may have samples of the period, and one more on each side, because rows may have
  /// been divided by another zone.
  func days(in zone: TimeZoneRules) -> ClosedRange<Int32> {
    let first = zone.day(of: from).adding(days: -1)
    let last = to.map { zone.day(of: $0).adding(days: 1) } ?? .last
    return Int32(first.daysSince1970)...Int32(max(first, last).daysSince1970)
  }

  private static func time(_ query: Query, _ name: String) throws(ApplicationError) -> Instant? {
    guard let text = query[name] else { return nil }
    do throws(InstantError) {
      return try Instant(text)
    } catch {
      throw .invalid(error, field: name)
    }
  }
}
