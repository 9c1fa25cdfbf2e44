import Accounts
import Domain

/// The data types that the rules of AutomatedSOS need and no paired device delivers (SOS-11).
struct DeviceCoverage {
  /// The data types that the rules judge.
  static let needed: [DataType] = [
    .heartRate, .bloodPressureSystolic, .bloodPressureDiastolic, .fall, .shaking,
  ]

  /// In the order of `needed`.
  let missing: [DataType]

  /// The needed types that these devices do not deliver; each device is represented by the types it
  /// was paired for.
  init(_ deviceTypes: [Int64]) {
    let delivered = deviceTypes.reduce(DataTypeSet.none) { $0.union(DataTypeSet(stored: $1)) }
    missing = Self.needed.filter { !delivered.contains($0) }
  }

  /// These types as text, after the statement that AutomatedSOS is not a medical device.
  var notice: String {
    let disclaimer =
      "AutomatedSOS is not a medical device and does not replace 112: in danger, call 112."
    guard !missing.isEmpty else { return disclaimer }
    let names = missing.map(\.name).joined(separator: ", ")
    guard missing.count < Self.needed.count else {
      return disclaimer
        + " No paired device delivers any data that it checks (\(names)): without one, no "
        + "emergency is detected."
    }
    return disclaimer
      + " No paired device delivers \(names): no emergency of these types is detected."
  }
}
