import Domain
import HTTP
import Privacy
import Services

/// The keys of several accounts, of which some may be gone and some damaged. For the loop that the
/// keys are for.
package struct FoundKeys {
  /// Those that can be used.
  package internal(set) var keys: [AccountID: SealingKey] = [:]
  /// Whose key is there and can't be unwrapped: what it seals may be read again once it was
  /// restored, and must not pass for deleted.
  private(set) var damaged: Set<AccountID> = []

  /// The key of an account; nil where it is gone, or damaged.
  package subscript(account: AccountID) -> SealingKey? { keys[account] }

  /// The key of an account; nil where it is gone.
  ///
  /// - Throws: 500 for one that is damaged.
  func key(of account: AccountID) throws(ApplicationError) -> SealingKey? {
    guard !damaged.contains(account) else {
      throw .internalError(because: "an account's key is damaged")
    }
    return keys[account]
  }

  /// Adds the key of an account as it is unwrapped, or that it can't be.
  mutating func add(_ account: AccountID, _ unwrap: () throws(ApplicationError) -> SealingKey) {
    do throws(ApplicationError) { keys[account] = try unwrap() } catch { damaged.insert(account) }
  }
}
