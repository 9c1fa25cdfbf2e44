import Bytes
import Cryptography
import Domain

/// The identifiers of check-in requests.
///
/// They follow from run, runner and attempt, so that a batch sent before a crash is the same batch
/// after it; and from a server key, so that no third party can guess one and use it first.
package struct CheckInIdentifiers: Sendable {
  private let key: HMACKey

  /// Derives the key.
  package init(root: RootSecret) { key = HMACKey(root.lastingKey(for: .checkIns)) }

  /// The identifier of a runner's request; each attempt, counted from 1, has its own: a withdrawn
  /// request is not sent again under the same identifier.
  package func requestID(
    run: Int64, runner: AccountID, attempt: Int64 = 1
  ) -> DataRequestID {
    let words = [run, runner.rawValue, attempt]
    let message = words.flatMap { UInt64(bitPattern: $0).bigEndianBytes }
    let code = key.code(of: message.span).bytes
    return DataRequestID(
      random: UInt64(bigEndianBytes: code.prefix(8)),
      UInt64(bigEndianBytes: code.dropFirst(8).prefix(8)))
  }
}
