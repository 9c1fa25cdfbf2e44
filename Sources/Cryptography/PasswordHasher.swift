/// Hashes and verifies passwords with Argon2id, taking the same time for an unknown user.
///
/// Every call blocks for tens of milliseconds and uses the cost's memory (19 MiB): run it on a
/// bounded pool and never on an event loop. May be shared between threads.
package struct PasswordHasher: Sendable {
  /// The length of new salts in bytes.
  package static let saltBytes = 16
  /// The length of new tags in bytes.
  package static let tagBytes = 32
  /// The cost of new hashes.
  package let cost: PasswordHashCost
  private let unmatchable: PasswordHash

  /// Creates a hasher; a cost other than the standard one is for tests.
  package init(cost: PasswordHashCost = .standard) {
    self.cost = cost
    unmatchable = PasswordHash(
      cost: cost, salt: secureRandom(count: Self.saltBytes),
      tag: secureRandom(count: Self.tagBytes))
  }

  /// Hashes a password with a new salt; the result is a PHC string of about 97 characters.
  ///
  /// Throws `passwordHashingFailed` if memory is exhausted.
  package func hash(_ password: SecretBytes) throws(CryptographyError) -> String {
    let salt = secureRandom(count: Self.saltBytes)
    let tag = try Argon2id.derive(
      from: password, salt: salt.span, cost: cost, count: Self.tagBytes)
    return PasswordHash(cost: cost, salt: salt, tag: tag).text
  }

  /// Whether the password matches the hash. For nil (no such user) it does the same work against a
  /// hash that no password matches, and returns false.
  ///
  /// Throws `passwordHashMalformed` for a stored text that is not one of our hashes, and
  /// `passwordHashingFailed` if memory is exhausted.
  package func verify(
    _ password: SecretBytes, against stored: String?
  ) throws(CryptographyError) -> Bool {
    let expected: PasswordHash = if let stored { try PasswordHash(stored) } else { unmatchable }
    let tag = try Argon2id.derive(
      from: password, salt: expected.salt.span, cost: expected.cost, count: expected.tag.count)
    let isEqual = areEqualInConstantTime(tag.span, expected.tag.span)
    return isEqual && stored != nil
  }

  /// Whether the password should be hashed again at the next login, because the cost or the lengths
  /// have changed; true for a text that is not one of our hashes.
  package func needsRehash(_ stored: String) -> Bool {
    let hash: PasswordHash
    do { hash = try PasswordHash(stored) } catch { return true }
    return hash.cost != cost || hash.salt.count != Self.saltBytes
      || hash.tag.count != Self.tagBytes
  }
}
