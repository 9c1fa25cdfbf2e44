import Cryptography
import Domain
import ServiceKit

/// The keys of several accounts; accounts may be deleted, and keys damaged. Confined to the loop
/// that read them.
package struct FoundKeys {
  /// The usable keys.
  package internal(set) var keys: [AccountID: SealingKey] = [:]
  /// Accounts whose stored key can't be unwrapped: their data becomes readable again once the key
  /// is restored, so they must not count as deleted.
  private(set) var damaged: Set<AccountID> = []

  /// The key of an account; nil if it is deleted or damaged.
  package subscript(account: AccountID) -> SealingKey? { keys[account] }

  /// The key of an account; nil if it is deleted.
  ///
  /// - Throws: `internalError` if it is damaged.
  package func key(of account: AccountID) throws(ApplicationError) -> SealingKey? {
    guard !damaged.contains(account) else {
      throw .internalError(because: "an account's key is damaged")
    }
    return keys[account]
  }

  /// Adds the key of an account as unwrapped, or marks it as damaged.
  mutating func add(_ account: AccountID, _ unwrap: () throws(ApplicationError) -> SealingKey) {
    do throws(ApplicationError) { keys[account] = try unwrap() } catch { damaged.insert(account) }
  }
}
