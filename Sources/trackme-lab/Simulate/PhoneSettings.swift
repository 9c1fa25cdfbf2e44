import AutomatedSOS
import Domain
import JSON
import ServiceKit
import Time

/// The monitoring settings of the account, with which the phone decides as the server does.
package struct PhoneSettings: JSONReadable, Sendable, Equatable {
  /// Whether the person permits monitoring.
  package var isEnabled = true
  /// The age that selects the thresholds; nil if the service reports an impossible one.
  package var age: Age?
  /// The personal thresholds.
  package var personal = PersonalThresholds()
  /// The confirmation and abort times.
  package var timing = Timing()
  /// The end of a pause of monitoring.
  package var pausedUntil: Instant?

  /// Default settings for an age, used until the service has reported the settings.
  package init(age: Age) { self.age = age }

  /// The thresholds in force.
  package func thresholds(or age: Age) -> Thresholds {
    let age = self.age ?? age
    return (try? Thresholds(age: age, personal: personal)) ?? Thresholds(age: age)
  }

  /// Reads the answer of `GET /sos/settings`.
  package init(from reader: inout JSONReader) throws(JSONError) {
    var (confirmSeconds, abortSeconds, pulseAbortSeconds) = (3, 5, 20)
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "enabled": isEnabled = try reader.boolean()
      case "ageMonths": age = Age(months: try reader.integer())
      case "confirmSeconds": confirmSeconds = try reader.integer()
      case "abortSeconds": abortSeconds = try reader.integer()
      case "pulseAbortSeconds": pulseAbortSeconds = try reader.integer()
      case "pausedUntil": pausedUntil = try reader.null() ? nil : try reader.instant()
      case "thresholds":
        for threshold in try reader.list(of: PersonalThreshold.self) where threshold.isPersonal {
          personal.set(threshold.name, threshold.value)
        }
      default: break
      }
    }
    timing =
      Timing(
        confirmSeconds: confirmSeconds, abortSeconds: abortSeconds,
        pulseAbortSeconds: pulseAbortSeconds) ?? Timing()
  }
}

private struct PersonalThreshold: JSONReadable {
  private(set) var name = ""
  private(set) var value: Double?
  private(set) var isPersonal = false

  init(from reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "name": name = try reader.string()
      case "value": value = try reader.value()
      case "own": isPersonal = try reader.boolean()
      default: break
      }
    }
  }
}

extension PersonalThresholds {
  fileprivate mutating func set(_ name: String, _ value: Double?) {
    switch Threshold(rawValue: name) {
    case .heartRateLow: heartRateLow = value
    case .heartRateHigh: heartRateHigh = value
    case .systolicLow: systolicLow = value
    case .systolicHigh: systolicHigh = value
    case .diastolicHigh: diastolicHigh = value
    case nil: break
    }
  }
}
