import Accounts
import AutomatedSOS
import Domain
import JSON
import PublicAPI
import ServiceKit

extension ChooseThresholdsBody {
  /// The changed thresholds; nil restores the default.
  private var changes: [Threshold: Double?] {
    var changes: [Threshold: Double?] = [:]
    for threshold in Threshold.allCases {
      switch change(of: threshold) {
      case .keep: continue
      case .clear: changes[threshold] = .some(nil)
      case .set(let value): changes[threshold] = value
      }
    }
    return changes
  }

  private func change(of threshold: Threshold) -> Change<Double> {
    switch threshold {
    case .heartRateLow: heartRateLow
    case .heartRateHigh: heartRateHigh
    case .systolicLow: systolicLow
    case .systolicHigh: systolicHigh
    case .diastolicHigh: diastolicHigh
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
