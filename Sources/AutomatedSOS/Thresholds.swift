/// The thresholds from which a person's readings are critical.
///
/// Recreated when the person's age or personal thresholds change. Values are compared in single
/// precision, which distinguishes heart rates to a fifty-thousandth of a beat.
public struct Thresholds: Hashable, Sendable {
  /// A lower heart rate is critical.
  let heartRateLow: Float
  /// A higher heart rate is critical at rest.
  let heartRateHigh: Float
  /// A higher heart rate is critical during exercise; never below the threshold at rest.
  let exerciseHigh: Float
  /// A systolic pressure equal or lower is critical; minus infinity if there is no rule.
  let systolicLow: Float
  /// A higher systolic pressure is critical; infinite if there is no rule.
  let systolicHigh: Float
  /// A higher diastolic pressure is critical; infinite if there is no rule.
  let diastolicHigh: Float

  /// Adults' blood pressure in mmHg: critical at or under 90 and over 170 systolic, over 100
  /// diastolic (docs/facts.md, SOS).
  private static let adultPressure = PersonalThresholds(
    systolicLow: 90, systolicHigh: 170, diastolicHigh: 100)

  /// The thresholds of an age. Under the age of 18, no blood pressure is critical: normal values
  /// depend on age, sex and height, and no source of this project specifies them.
  public init(age: Age) {
    self.init(age: age, checked: PersonalThresholds())
  }

  /// The thresholds of an age, with those that the person set.
  ///
  /// - Throws: `underAge` if one is set before 18 years, `outsideSafeBounds` for the first that is
  ///   outside its safe bounds.
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

  /// The effective threshold, in BPM or mmHg; nil if there is no rule.
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
  /// The value set for a threshold.
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
