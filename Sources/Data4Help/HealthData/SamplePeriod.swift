import Domain
import HTTP
import Services

/// The period that a query asks for, `from` included and `to` not; open where one is left out.
struct SamplePeriod: Sendable {
  let from: Timestamp
  /// Nil where there is no end.
  let to: Timestamp?

  /// Reads `from` and `to`.
  ///
  /// - Throws: `ApplicationError.malformed` for a time that is none, and for an end before the beginning.
  init(_ query: Query) throws(ApplicationError) {
    from = try Self.time(query, "from") ?? .first
    to = try Self.time(query, "to")
    if let to, to < from {
      throw .invalid("The period must not end before it begins.", field: "to")
    }
  }

  init(from: Timestamp, to: Timestamp?) {
    self.from = from
    self.to = to
  }

  /// Whether it holds all times from one to another.
  func holds(_ first: Timestamp, through last: Timestamp) -> Bool {
    first >= from && to.map { last < $0 } ?? true
  }

  /// Whether it holds a time.
  func contains(_ time: Timestamp) -> Bool { holds(time, through: time) }

  /// The days that may hold samples of the period: one more on each side, so that it does not
  /// matter by which zone rows were once cut.
  func days(in zone: TimeZoneRules) -> ClosedRange<Int32> {
    let first = zone.day(of: from).adding(days: -1)
    let last = to.map { zone.day(of: $0).adding(days: 1) } ?? .last
    return Int32(first.daysSince1970)...Int32(max(first, last).daysSince1970)
  }

  private static func time(_ query: Query, _ name: String) throws(ApplicationError) -> Timestamp? {
    guard let text = query[name] else { return nil }
    do throws(TimestampError) {
      return try Timestamp(text)
    } catch {
      throw .invalid(error, field: name)
    }
  }
}
