/// The day a living person was born: not after today, and at most 130 years ago.
package struct BirthDate: Hashable, Sendable, Redacted {
  /// The day itself.
  package let date: CalendarDate

  /// Greatest age in whole years that a registration may claim.
  package static let ageMax = 130

  /// Age in whole years under which a registration needs a parent's confirmation (ACC-13; article
  /// 2-quinquies of the Italian privacy code).
  package static let ageOfConsent = 14

  /// A birth date as seen on the day `today`.
  ///
  /// Throws `inFuture` after today and `tooLongAgo` for an age over 130.
  package init(_ date: CalendarDate, today: CalendarDate) throws(BirthDateError) {
    guard date <= today else { throw .inFuture }
    guard Self.age(from: date, to: today) <= Self.ageMax else { throw .tooLongAgo }
    self.date = date
  }

  /// A birth date that was checked when it was stored.
  package init(stored date: CalendarDate) { self.date = date }

  /// Whole years completed on a day; who was born on 29 February completes one on 1 March where
  /// the year has no such day. Negative before birth.
  package func age(on day: CalendarDate) -> Int { Self.age(from: date, to: day) }

  /// Whether a registration on that day needs a parent's confirmation: under 14 years (ACC-13).
  package func needsParent(on day: CalendarDate) -> Bool { age(on: day) < Self.ageOfConsent }

  private static func age(from birth: CalendarDate, to day: CalendarDate) -> Int {
    let (birthYear, birthMonth, birthDay) = birth.components
    let (year, month, dayOfMonth) = day.components
    return year - birthYear - ((month, dayOfMonth) < (birthMonth, birthDay) ? 1 : 0)
  }
}

/// Why a day is nobody's birth date.
package enum BirthDateError: DomainError {
  /// The day is still to come.
  case inFuture
  /// Nobody is over 130 years old.
  case tooLongAgo

  /// What is wrong, as a sentence.
  package var description: String {
    switch self {
    case .inFuture: "A birth date does not lie in the future."
    case .tooLongAgo: "A birth date lies at most 130 years back."
    }
  }
}
