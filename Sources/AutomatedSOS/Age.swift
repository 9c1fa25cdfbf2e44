/// A person's age in whole months, from birth to 130 years.
public struct Age: Hashable, Sendable {
  /// Whole months since birth.
  public let months: Int

  /// Months from which the thresholds are those of adults: 18 years (docs/facts.md, SOS).
  static let adultMonths = 216

  /// The greatest age, in months: 130 years, as at registration.
  private static let monthsMax = 1560

  /// The youngest age of adults.
  public static let eighteen = Age(checked: adultMonths)

  private init(checked months: Int) { self.months = months }

  /// The age of so many whole months; nil before birth and over 130 years.
  public init?(months: Int) {
    guard (0...Self.monthsMax).contains(months) else { return nil }
    self.init(checked: months)
  }

  /// Whole years since birth.
  public var years: Int { months / 12 }

  /// Whether the thresholds are those of adults.
  public var isAdult: Bool { months >= Self.adultMonths }
}
