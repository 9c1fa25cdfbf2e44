/// A living person's birth date: not after today, and at most 130 years ago.
package struct BirthDate: Hashable, Sendable, Redacted {
  /// The calendar day.
  package let date: CalendarDate

  /// The largest age in whole years accepted at registration.
  package static let ageMax = 130

  /// The age in whole years under which a registration needs a parent's confirmation (ACC-13;
  /// article 2-quinquies of the Italian privacy code).
  package static let ageOfConsent = 14

  /// Creates a birth date, checked against the day `today`.
  ///
  /// Throws `inFuture` after today and `tooLongAgo` for an age over 130.
  package init(_ date: CalendarDate, today: CalendarDate) throws(BirthDateError) {
    guard date <= today else { throw .inFuture }
    guard Self.age(from: date, to: today) <= Self.ageMax else { throw .tooLongAgo }
    self.date = date
  }

  /// Creates a birth date that was checked before it was stored.
  package init(stored date: CalendarDate) { self.date = date }

  /// Whole years completed on a day. For a birth on 29 February the year completes on 1 March in
  /// common years. Negative before birth.
  package func age(on day: CalendarDate) -> Int { Self.age(from: date, to: day) }

  /// Whether a registration on that day needs a parent's confirmation: under the age of 14
  /// (ACC-13).
  package func needsParent(on day: CalendarDate) -> Bool { age(on: day) < Self.ageOfConsent }

  private static func age(from birth: CalendarDate, to day: CalendarDate) -> Int {
    let (birthYear, birthMonth, birthDay) = birth.components
    let (year, month, dayOfMonth) = day.components
    return year - birthYear - ((month, dayOfMonth) < (birthMonth, birthDay) ? 1 : 0)
  }
}

/// The reason why a day is not a valid birth date.
package enum BirthDateError: DomainError {
  /// The day is in the future.
  case inFuture
  /// The age would be over 130 years.
  case tooLongAgo

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .inFuture: "A birth date is not in the future."
    case .tooLongAgo: "A birth date is at most 130 years ago."
    }
  }
}
