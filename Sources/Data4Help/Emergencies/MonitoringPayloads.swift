import AutomatedSOS
import Domain
import HTTP
import JSON
import Services

/// The body of `POST /sos/enable`.
struct EnableSOSPayload: JSONReadable {
  /// Whether emergency calls may be placed; false switches monitoring off.
  let isPermitted: Bool
  let language: EmergencyLanguage

  init(from reader: inout JSONReader) throws(JSONError) {
    var isPermitted: Bool?
    var language = EmergencyLanguage.italian
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "callPermission": isPermitted = try reader.boolean()
      case "language": language = try reader.enumCase(EmergencyLanguage.self)
      default: break
      }
    }
    self.isPermitted = try reader.mandatory("callPermission", isPermitted)
    self.language = language
  }
}

/// The body of `POST /sos/thresholds`.
struct ThresholdsPayload: JSONReadable {
  private var changes: [Threshold: Double?] = [:]

  init(from reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let key = try reader.nextField() {
      guard let threshold = Self.threshold(key) else { continue }
      let isNull = try reader.null()
      changes[threshold] = .some(isNull ? nil : try reader.double())
    }
    guard !changes.isEmpty else {
      let names = Threshold.allCases.map(\.rawValue).joined(separator: ", ")
      throw JSONError(
        .refused(sentence: "Name one of \(names), with a number, or null to remove it."),
        offset: 0, path: Threshold.heartRateHigh.rawValue)
    }
  }

  private static func threshold(_ key: JSONKey) -> Threshold? {
    switch key {
    case "heartRateLow": .heartRateLow
    case "heartRateHigh": .heartRateHigh
    case "systolicLow": .systolicLow
    case "systolicHigh": .systolicHigh
    case "diastolicHigh": .diastolicHigh
    default: nil
    }
  }

  /// A person's thresholds with the changes; omitted ones stay.
  ///
  /// - Throws: `invalid` for one outside the safe bounds, and for any under the age of 18.
  func applied(to stored: PersonalThresholds, at age: Age) throws(ApplicationError)
    -> PersonalThresholds
  {
    var personal = stored
    for (threshold, value) in changes { personal[threshold] = value }
    do throws(ThresholdError) {
      _ = try Thresholds(age: age, personal: personal)
      return personal
    } catch {
      throw .invalid(error.description, field: field(of: error))
    }
  }

  private func field(of error: ThresholdError) -> String {
    switch error {
    case .outsideSafeBounds(let threshold): threshold.rawValue
    case .underAge:
      Threshold.allCases.first { changes[$0] != nil }?.rawValue
        ?? Threshold.heartRateHigh.rawValue
    }
  }
}

extension PersonalThresholds {
  /// The value set for a threshold.
  subscript(threshold: Threshold) -> Double? {
    get {
      switch threshold {
      case .heartRateLow: heartRateLow
      case .heartRateHigh: heartRateHigh
      case .systolicLow: systolicLow
      case .systolicHigh: systolicHigh
      case .diastolicHigh: diastolicHigh
      }
    }
    set {
      switch threshold {
      case .heartRateLow: heartRateLow = newValue
      case .heartRateHigh: heartRateHigh = newValue
      case .systolicLow: systolicLow = newValue
      case .systolicHigh: systolicHigh = newValue
      case .diastolicHigh: diastolicHigh = newValue
      }
    }
  }
}
