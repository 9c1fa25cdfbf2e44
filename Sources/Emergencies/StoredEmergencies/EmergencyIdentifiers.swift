import AutomatedSOS
import Bytes
import Cryptography
import Domain

/// Derives the identifiers of emergencies: every replica that detects the same emergency derives
/// the same identifier (SOS-7).
///
/// It is a keyed hash, since its input contains the account's number.
struct EmergencyIdentifiers: Sendable {
  private let key: HMACKey

  /// Derives the key.
  init(root: RootSecret) { key = HMACKey(root.lastingKey(for: .emergencies)) }

  /// The identifier of an account's emergency.
  func identifier(of emergency: Emergency, _ account: AccountID) -> UniversalID {
    let code = key.code(of: emergency.name(ofAccount: account.rawValue).span).bytes
    let id = DataRequestID(
      random: UInt64(bigEndianBytes: code.prefix(8)),
      UInt64(bigEndianBytes: code.dropFirst(8).prefix(8)))
    return UniversalID(high: id.high, low: id.low)
  }
}
