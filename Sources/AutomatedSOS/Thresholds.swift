/// From which values on a reading of a person is critical.
///
/// Made anew when the person's age or their own thresholds change. Values are compared in single
/// precision, which tells heart rates apart to a fifty-thousandth of a beat.
public struct Thresholds: Hashable, Sendable {
  /// Under it a heart rate is critical.
  let heartRateLow: Float
  /// Over it a heart rate is critical at rest.
  let heartRateHigh: Float
  /// Over it a heart rate is critical while the person exercises; never below the one at rest.
  let exerciseHigh: Float
  /// At or under it a systolic pressure is critical; infinitely low where there is no rule.
  let systolicLow: Float
  /// Over it a systolic pressure is critical; infinite where there is no rule.
  let systolicHigh: Float
  /// Over it a diastolic pressure is critical; infinite where there is no rule.
  let diastolicHigh: Float

  /// Adults' blood pressure, in mmHg: at or under 90 and over 170 systolic, over 100 diastolic
  /// (docs/facts.md, SOS).
  private static let adultPressure = PersonalThresholds(
    systolicLow: 90, systolicHigh: 170, diastolicHigh: 100)

  /// The thresholds of an age. Under 18 years no blood pressure is critical: what is usual follows
  /// age, sex and height there, and no source of this project gives it.
  public init(age: Age) {
    self.init(age: age, checked: PersonalThresholds())
  }

  /// The thresholds of an age with those that the person set.
  ///
  /// - Throws: `underAge` if one is set before 18 years, `outsideSafeBounds` for the first that is
  ///   not within its safe bounds.
  public init(age: Age, personal: PersonalThresholds) throws(ThresholdError) {
    guard personal.isEmpty || age.isAdult else { throw .underAge }
    for threshold in Threshold.allCases {
      guard let value = personal[threshold] else { continue }
      guard threshold.safeBounds.contains(value) else { throw .outsideSafeBounds(threshold) }
    }
    self.init(age: age, checked: personal)
  }

  private init(age: Age, checked personal: PersonalThresholds) {
    let resting = HeartRateByAge.resting(at: age)
    let pressure = age.isAdult ? Self.adultPressure : PersonalThresholds()
    heartRateLow = personal.heartRateLow.map { Float($0) } ?? resting.from
    heartRateHigh = personal.heartRateHigh.map { Float($0) } ?? resting.to
    exerciseHigh = max(HeartRateByAge.exercising(at: age), heartRateHigh)
    systolicLow = Float(personal.systolicLow ?? pressure.systolicLow ?? -.infinity)
    systolicHigh = Float(personal.systolicHigh ?? pressure.systolicHigh ?? .infinity)
    diastolicHigh = Float(personal.diastolicHigh ?? pressure.diastolicHigh ?? .infinity)
  }

  /// The threshold in force, in BPM or mmHg; nil where there is no rule.
  public subscript(threshold: Threshold) -> Double? {
    let bound =
      switch threshold {
      case .heartRateLow: heartRateLow
      case .heartRateHigh: heartRateHigh
      case .systolicLow: systolicLow
      case .systolicHigh: systolicHigh
      case .diastolicHigh: diastolicHigh
      }
    return bound.isFinite ? Double(bound) : nil
  }
}

extension PersonalThresholds {
  /// What is set for a threshold.
  fileprivate subscript(threshold: Threshold) -> Double? {
    switch threshold {
    case .heartRateLow: heartRateLow
    case .heartRateHigh: heartRateHigh
    case .systolicLow: systolicLow
    case .systolicHigh: systolicHigh
    case .diastolicHigh: diastolicHigh
    }
  }
}
