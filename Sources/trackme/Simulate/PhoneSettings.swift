import AutomatedSOS
import Domain
import JSON
import Services

/// How the account is monitored, as the service says: what a phone needs to judge alike.
package struct PhoneSettings: JSONReadable, Sendable, Equatable {
  /// Whether the person permits it.
  package var isEnabled = true
  /// The age that thresholds follow; nil where the service says an impossible one.
  package var age: Age?
  /// The thresholds that the person set.
  package var personal = PersonalThresholds()
  /// The times of confirming and aborting.
  package var timing = Timing()
  /// Until then nothing is judged.
  package var pausedUntil: Timestamp?

  /// Monitored by age alone, as long as nothing else is known.
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
      case "pausedUntil": pausedUntil = try reader.null() ? nil : try reader.timestamp()
      case "thresholds":
        for own in try reader.list(of: OwnThreshold.self) where own.isOwn {
          personal.set(own.name, own.value)
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

private struct OwnThreshold: JSONReadable {
  private(set) var name = ""
  private(set) var value: Double?
  private(set) var isOwn = false

  init(from reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "name": name = try reader.string()
      case "value": value = try reader.value()
      case "own": isOwn = try reader.boolean()
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
