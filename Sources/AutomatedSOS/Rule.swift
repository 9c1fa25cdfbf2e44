/// A rule that raises an emergency. Low and high values of a vital sign have separate rules.
public enum Rule: UInt8, Hashable, Sendable, CaseIterable {
  /// A heart rate under the threshold.
  case heartRateLow = 1
  /// A heart rate over the threshold.
  case heartRateHigh = 2
  /// A systolic pressure at or under the threshold.
  case bloodPressureLow = 3
  /// A systolic or diastolic pressure over its threshold.
  case bloodPressureHigh = 4
  /// A fall.
  case fall = 5
  /// Shaking.
  case shaking = 6
  /// Heart rates of 0 to 19 BPM after plausible ones (SOS-13).
  case lossOfPulse = 7

  /// The name in the API.
  public var apiName: String {
    switch self {
    case .heartRateLow: "heartRateLow"
    case .heartRateHigh: "heartRateHigh"
    case .bloodPressureLow: "bloodPressureLow"
    case .bloodPressureHigh: "bloodPressureHigh"
    case .fall: "fall"
    case .shaking: "shaking"
    case .lossOfPulse: "lossOfPulse"
    }
  }

  /// Whether the device detects the event itself (DAT-2): no second reading can confirm it, so the
  /// person is asked at once.
  var isConcluded: Bool { self == .fall || self == .shaking }
}

/// A set of rules.
struct Rules: OptionSet {
  let rawValue: UInt8

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The set of one rule.
  init(_ rule: Rule) { rawValue = 1 << rule.rawValue }
}
