/// What somebody who joins a run is warned of, without being refused (RUN-14); the raw value is the
/// API's word.
package enum RunWarning: String, Hashable, Sendable, CaseIterable {
  /// No device delivers the position, without which nobody checks in (R48).
  case noPosition = "no position"
  /// Recent values are such that a doctor should be asked.
  case askDoctor = "ask a doctor"

  /// What it means, for the person; no medical advice.
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
      run. TrackMe is no medical device and does not replace one.
      """
    }
  }
}

/// What a person's values of the last days say about running (RUN-14).
package enum RecentHealth {
  /// How many days count.
  package static let days = 7

  /// The types that are looked at.
  package static let types: [DataType] = [
    .bloodPressureSystolic, .bloodPressureDiastolic, .oxygenSaturation, .bodyTemperature,
    .heartRate, .respiratoryRate,
  ]

  /// Whether the means of those days advise to ask a doctor: one that is above what is usual at the
  /// age, or an oxygen saturation below it. A slow pulse or breath at rest is what training brings.
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
