import Bytes
import Cryptography
import Domain
import EventLoop
import ServiceKit

/// Seals the number of a deleted account in Track4Run's sequence by a server key, since the data
/// must contain neither the number nor a name of a deleted account (ACC-8).
package struct DeletedAccountSeal: Sendable {
  private let key: LoopBound<SealingKey>
  private let environment: Environment

  /// A seal under a key that derives from `root`; for `loop` only.
  package init(root: RootSecret, environment: Environment, on loop: EventLoop) {
    key = LoopBound(SealingKey(deletedAccountsOf: root), on: loop)
    self.environment = environment
  }

  /// Appends that an account was deleted, in an entry with a new identifier.
  package func append(_ account: AccountID, to events: inout EnterEvents) {
    let entry = DataRequestID(environment)
    events.appendDeletion(
      entry, sealed: key.value.seal(account.description, for: Self.context(entry)))
  }

  /// The account of an entry; nil for an entry that reports no deletion.
  ///
  /// - Throws: `internalError` if it was not sealed for this entry.
  func account(of entry: EventRow) throws(ApplicationError) -> AccountID? {
    guard let sealed = entry.sealedAccount else { return nil }
    let text = try mapStorageError { () throws(CryptographyError) in
      try key.value.openText(sealed.span, for: Self.context(entry.requestID))
    }
    return Int64(text).map(AccountID.init(rawValue:))
  }

  static func context(_ entry: DataRequestID) -> SealContext {
    SealContext(
      table: "third_party_log", column: "sealed_account",
      row: SealRow(UniversalID(high: entry.high, low: entry.low)))
  }
}
