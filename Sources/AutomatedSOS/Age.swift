/// A person's age in whole months, from birth to 130 years.
public struct Age: Hashable, Sendable {
  /// Whole months since birth.
  public let months: Int

  /// The age in months from which adults' thresholds apply: 18 years (docs/facts.md, SOS).
  static let adultMonths = 216

  /// The largest age in months: 130 years, as at registration.
  private static let monthsMax = 1560

  /// The youngest adult age.
  public static let eighteen = Age(checked: adultMonths)

  private init(checked months: Int) { self.months = months }

  /// Creates an age from whole months; nil for a negative number and over 130 years.
  public init?(months: Int) {
    guard (0...Self.monthsMax).contains(months) else { return nil }
    self.init(checked: months)
  }

  /// Whole years since birth.
  public var years: Int { months / 12 }

  /// Whether adults' thresholds apply.
  public var isAdult: Bool { months >= Self.adultMonths }
}
