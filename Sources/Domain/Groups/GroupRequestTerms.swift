import Time

/// The terms of a group request except its conditions: types, breakdown, subscription, period (R27,
/// R31).
package struct GroupRequestTerms: Hashable, Sendable {
  /// The requested types, at least one, all with numbers.
  package let types: DataTypeSet
  /// The breakdown of the answer; nil for none.
  package let breakdown: GroupBreakdown?
  /// Whether later windows are requested too.
  package let subscribing: Bool
  /// The length of the subscription; nil without one, or where `to` ends it.
  package let duration: RequestDuration?
  /// The start of the period, which has whole days only.
  package let from: Instant?
  /// The end of the period, which has whole days only.
  package let to: Instant?

  /// Days of a period without `from`.
  package static let standardDays: Int32 = 30
  /// The largest number of days of a period.
  package static let daysMax: Int32 = 366

  /// Creates the terms of a new request at `now`; a duration without subscription is dropped.
  ///
  /// Throws every `GroupRequestTermsError` except those about the period's days.
  package init(
    types: [DataType], breakdown: GroupBreakdown?, subscribing: Bool,
    duration: RequestDuration?, from: Instant?, to: Instant?, now: Instant
  ) throws(GroupRequestTermsError) {
    guard !types.isEmpty else { throw .noTypes }
    guard let distinct = DataTypeSet(distinct: types) else { throw .typeNamedTwice }
    if let odd = types.firstIndex(where: { !$0.isNumeric }) {
      throw .notANumber(types[odd], index: odd)
    }
    if let from, let to, from >= to { throw .periodEmpty }
    let endsLater = to.map { $0 > now } ?? false
    if !subscribing, endsLater || (from.map { $0 > now } ?? false) {
      throw .futureNeedsSubscription
    }
    if subscribing, duration == nil, !endsLater { throw .durationMissing }
    self.init(
      stored: distinct, breakdown: breakdown, subscribing: subscribing,
      duration: subscribing ? duration : nil, from: from, to: to)
  }

  /// Creates terms that were checked before they were stored.
  package init(
    stored types: DataTypeSet, breakdown: GroupBreakdown?, subscribing: Bool,
    duration: RequestDuration?, from: Instant?, to: Instant?
  ) {
    self.types = types
    self.breakdown = breakdown
    self.subscribing = subscribing
    self.duration = duration
    self.from = from
    self.to = to
  }

  /// The whole closed days of the first answer, counted from 1970-01-01; nil for a subscription
  /// that has none yet. `lastClosed` is the last day whose values are counted.
  ///
  /// Throws `noClosedDay` if there is none and none will follow, and `periodTooLong`.
  package func firstPeriod(
    lastClosed: Int32, zone: TimeZoneRules
  ) throws(GroupRequestTermsError) -> ClosedRange<Int32>? {
    let last = min(lastClosed, lastDay(zone) ?? lastClosed)
    let first = firstDay(zone) ?? last - Self.standardDays + 1
    guard first <= last else {
      if subscribing { return nil }
      throw .noClosedDay
    }
    guard last - first < Self.daysMax else { throw .periodTooLong }
    return first...last
  }

  /// The first whole day at or after `from`.
  package func firstDay(_ zone: TimeZoneRules) -> Int32? {
    from.map { from in
      let day = zone.day(of: from)
      return Int32(day.daysSince1970) + (zone.start(of: day) < from ? 1 : 0)
    }
  }

  /// The last whole day that has ended by `to`.
  package func lastDay(_ zone: TimeZoneRules) -> Int32? {
    to.map { Int32(zone.day(of: $0).daysSince1970) - 1 }
  }

  /// The automatic end of a subscription that begins at `now` (R20).
  package func end(from now: Instant) -> Instant? {
    guard subscribing else { return nil }
    let byDuration = duration.map { now.adding(seconds: $0.seconds) }
    return [byDuration, to].compactMap { $0 }.min()
  }
}

/// The reason why a third party cannot create this group request.
package enum GroupRequestTermsError: DomainError {
  /// No data type.
  case noTypes
  /// A data type twice.
  case typeNamedTwice
  /// A data type without numbers, at this index.
  case notANumber(DataType, index: Int)
  /// The period ends before it begins.
  case periodEmpty
  /// The period extends into the future without a subscription.
  case futureNeedsSubscription
  /// A subscription without an end.
  case durationMissing
  /// The period has no whole day that is closed.
  case noClosedDay
  /// The period is longer than a year.
  case periodTooLong

  /// The error and its remedy, as a sentence.
  package var description: String {
    switch self {
    case .noTypes: "A group request lists at least one data type."
    case .typeNamedTwice: "A data type is listed twice."
    case .notANumber(let type, _):
      "There are no statistics of \(type.name): list types whose values are numbers."
    case .periodEmpty: "The period's `from` must be before its `to`."
    case .futureNeedsSubscription:
      "A period that reaches into the future needs subscribing to be true."
    case .durationMissing: "A subscription needs a duration, or a to in the future."
    case .noClosedDay: "The period contains no whole day that is over: choose an earlier from."
    case .periodTooLong: "A period has 366 days at most."
    }
  }

  /// The field that the client has to change.
  package var field: String {
    switch self {
    case .noTypes, .typeNamedTwice: "dataTypes"
    case .notANumber(_, let index): "dataTypes[\(index)]"
    case .periodEmpty, .noClosedDay, .periodTooLong: "from"
    case .futureNeedsSubscription: "subscribing"
    case .durationMissing: "duration"
    }
  }
}
