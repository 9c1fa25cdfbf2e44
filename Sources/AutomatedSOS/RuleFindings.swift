/// The rules that one plausible measurement breaks, and those for which it is in bounds; it says
/// nothing about other rules.
struct RuleFindings {
  /// The broken rules.
  var critical: Rules = []
  /// The rules for which the measurement is in bounds.
  var normal: Rules = []

  /// Judges a measurement by a person's thresholds.
  init(_ measurement: Measurement, by thresholds: Thresholds, isExercising: Bool) {
    switch measurement {
    case .heartRate(let rate):
      let (rate, high) = (
        Float(rate), isExercising ? thresholds.exerciseHigh : thresholds.heartRateHigh
      )
      note(.heartRateLow, isCritical: rate < thresholds.heartRateLow)
      note(.heartRateHigh, isCritical: rate > high)
      note(.lossOfPulse, isCritical: false)
    case .bloodPressure(let systolic, let diastolic):
      judge(Float(systolic), Float(diastolic), by: thresholds)
    case .systolicPressure(let pressure): judge(Float(pressure), nil, by: thresholds)
    case .diastolicPressure(let pressure): judge(nil, Float(pressure), by: thresholds)
    case .fall: note(.fall, isCritical: true)
    case .shaking: note(.shaking, isCritical: true)
    case .speed, .steps, .exercise: break
    }
  }

  /// A single pressure can be too high, but only both together can be in bounds.
  private mutating func judge(
    _ systolic: Float?, _ diastolic: Float?, by thresholds: Thresholds
  ) {
    if let systolic {
      note(.bloodPressureLow, isCritical: systolic <= thresholds.systolicLow)
    }
    let isHigh =
      (systolic ?? 0) > thresholds.systolicHigh || (diastolic ?? 0) > thresholds.diastolicHigh
    if isHigh || (systolic != nil && diastolic != nil) {
      note(.bloodPressureHigh, isCritical: isHigh)
    }
  }

  private mutating func note(_ rule: Rule, isCritical: Bool) {
    if isCritical { critical.insert(Rules(rule)) } else { normal.insert(Rules(rule)) }
  }
}
