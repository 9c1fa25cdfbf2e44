/// Thresholds that a person set for themselves; what is nil stays as the age has it.
///
/// They are accepted from 18 years on, within the safe bounds of docs/facts.md (SOS): those are
/// adults' bounds, and would be wrong for a child.
public struct PersonalThresholds: Hashable, Sendable {
  /// A heart rate under it is critical, in BPM; from 30 to 55.
  public var heartRateLow: Double?
  /// A heart rate over it is critical at rest, in BPM; from 110 to 180.
  public var heartRateHigh: Double?
  /// A systolic pressure at or under it is critical, in mmHg; from 70 to 100.
  public var systolicLow: Double?
  /// A systolic pressure over it is critical, in mmHg; from 150 to 200.
  public var systolicHigh: Double?
  /// A diastolic pressure over it is critical, in mmHg; from 90 to 120.
  public var diastolicHigh: Double?

  /// The thresholds that are given.
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

  /// The values that a person may choose, both ends included (docs/facts.md, SOS).
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

/// Why thresholds are refused.
public enum ThresholdError: Error, Hashable, CustomStringConvertible {
  /// The person is under 18 years.
  case underAge
  /// The value lies outside the safe bounds, or is no number.
  case outsideSafeBounds(Threshold)

  /// What is wrong and what to change, as a sentence.
  public var description: String {
    switch self {
    case .underAge: "Thresholds of one's own can be set from 18 years on."
    case .outsideSafeBounds(let threshold):
      """
      \(threshold.rawValue) must lie between \(Int(threshold.safeBounds.lowerBound)) and \
      \(Int(threshold.safeBounds.upperBound)).
      """
    }
  }
}
