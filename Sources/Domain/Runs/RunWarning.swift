/// A warning on joining a run, which does not prevent joining (RUN-14); the raw value is that of
/// the API.
package enum RunWarning: String, Hashable, Sendable, CaseIterable {
  /// No device delivers the position, which check-in requires (R48).
  case noPosition = "no position"
  /// Recent values suggest asking a doctor.
  case askDoctor = "ask a doctor"

  /// The meaning, for the person; not medical advice.
  package var detail: String {
    switch self {
    case .noPosition:
      """
      No device of yours delivers your position: upload one, by hand or by a device, before the \
      start, or you can't check in.
      """
    case .askDoctor:
      """
      Some of your values of the last days are out of the usual range: ask a doctor before you \
      run. TrackMe is not a medical device and does not replace one.
      """
    }
  }
}

/// Evaluates a person's recent values with regard to running (RUN-14).
package enum RecentHealth {
  /// The number of days evaluated.
  package static let days = 7

  /// The evaluated types.
  package static let types: [DataType] = [
    .bloodPressureSystolic, .bloodPressureDiastolic, .oxygenSaturation, .bodyTemperature,
    .heartRate, .respiratoryRate,
  ]

  /// Whether the means of those days suggest asking a doctor: a value above the usual range for the
  /// age, or an oxygen saturation below it. A slow pulse or breathing at rest is an effect of
  /// training.
  package static func advisesDoctor(
    _ means: [DataType: Double], born: CalendarDate, on day: CalendarDate
  ) -> Bool {
    types.contains { type in
      guard let mean = means[type], let range = ReferenceRange.of(type, born: born, on: day)
      else { return false }
      switch range.mark(mean) {
      case .above: return true
      case .below: return type == .oxygenSaturation
      case .within: return false
      }
    }
  }
}
