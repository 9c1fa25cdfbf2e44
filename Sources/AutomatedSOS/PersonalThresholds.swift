/// Thresholds that a person has set; nil keeps the threshold of the person's age.
///
/// They are accepted from 18 years, within the safe bounds of docs/facts.md (SOS): the bounds are
/// for adults, and would be wrong for a child.
public struct PersonalThresholds: Hashable, Sendable {
  /// A lower heart rate is critical, in BPM; from 30 to 55.
  public var heartRateLow: Double?
  /// A higher heart rate is critical at rest, in BPM; from 110 to 180.
  public var heartRateHigh: Double?
  /// A systolic pressure equal or lower is critical, in mmHg; from 70 to 100.
  public var systolicLow: Double?
  /// A higher systolic pressure is critical, in mmHg; from 150 to 200.
  public var systolicHigh: Double?
  /// A higher diastolic pressure is critical, in mmHg; from 90 to 120.
  public var diastolicHigh: Double?

  /// Creates thresholds; nil for those that are not set.
  public init(
    heartRateLow: Double? = nil, heartRateHigh: Double? = nil, systolicLow: Double? = nil,
    systolicHigh: Double? = nil, diastolicHigh: Double? = nil
  ) {
    self.heartRateLow = heartRateLow
    self.heartRateHigh = heartRateHigh
    self.systolicLow = systolicLow
    self.systolicHigh = systolicHigh
    self.diastolicHigh = diastolicHigh
  }

  /// Whether none is set.
  public var isEmpty: Bool { self == PersonalThresholds() }
}

/// A threshold that a person can set.
public enum Threshold: String, Hashable, Sendable, CaseIterable {
  case heartRateLow, heartRateHigh, systolicLow, systolicHigh, diastolicHigh

  /// The allowed values, both ends included (docs/facts.md, SOS).
  public var safeBounds: ClosedRange<Double> {
    switch self {
    case .heartRateLow: 30...55
    case .heartRateHigh: 110...180
    case .systolicLow: 70...100
    case .systolicHigh: 150...200
    case .diastolicHigh: 90...120
    }
  }
}

/// The reason why thresholds are rejected.
public enum ThresholdError: Error, Hashable, CustomStringConvertible {
  /// The person is under the age of 18.
  case underAge
  /// The value is outside the safe bounds, or not a number.
  case outsideSafeBounds(Threshold)

  /// The error and its remedy, as a sentence.
  public var description: String {
    switch self {
    case .underAge: "Personal thresholds can be set from 18 years of age."
    case .outsideSafeBounds(let threshold):
      """
      \(threshold.rawValue) must lie between \(Int(threshold.safeBounds.lowerBound)) and \
      \(Int(threshold.safeBounds.upperBound)).
      """
    }
  }
}
