/// The key under which everything of one account is sealed; destroying it erases the account.
///
/// 32 bytes for AES-256-GCM. It is stored only wrapped (``KeyWrapper``), in the keys' database.
package struct AccountKey: Sendable {
  /// The length of a key in bytes.
  package static let byteCount = 32
  let bytes: SecretBytes

  /// Draws a new key.
  package static func random() -> AccountKey { AccountKey(checked: .random(count: byteCount)) }

  init(checked bytes: SecretBytes) { self.bytes = bytes }

  /// Takes a key of 32 bytes, else throws `keyLengthWrong`.
  package init(_ bytes: SecretBytes) throws(PrivacyError) {
    self.bytes = try bytes.requiring(count: Self.byteCount)
  }
}

/// A key that wraps account keys; it lives in a file outside every database.
package struct MasterKey: Sendable {
  /// The length of a key in bytes.
  package static let byteCount = 32
  /// Which key it is, derived from the key itself.
  package let identifier: KeyIdentifier
  let bytes: SecretBytes

  /// Draws a new key.
  package static func random() -> MasterKey { MasterKey(checked: .random(count: byteCount)) }

  init(checked bytes: SecretBytes) {
    self.bytes = bytes
    identifier = KeyIdentifier(of: bytes)
  }

  /// Takes a key of 32 bytes, else throws `keyLengthWrong`.
  package init(_ bytes: SecretBytes) throws(PrivacyError) {
    self.init(checked: try bytes.requiring(count: Self.byteCount))
  }
}

/// The secret that all processes of one installation share and derive their keys from.
///
/// It lives in a file outside every database. Replacing it ends all tokens and makes the blind
/// indexes useless until they are computed anew, hence it is not rotated with the master keys.
package struct RootSecret: Sendable {
  /// The length of the secret in bytes.
  package static let byteCount = 32
  let bytes: SecretBytes

  /// Draws a new secret.
  package static func random() -> RootSecret { RootSecret(checked: .random(count: byteCount)) }

  init(checked bytes: SecretBytes) { self.bytes = bytes }

  /// Which secret it is, derived from the secret itself.
  package var identifier: KeyIdentifier { KeyIdentifier(of: bytes) }

  /// Takes a secret of 32 bytes, else throws `keyLengthWrong`.
  package init(_ bytes: SecretBytes) throws(PrivacyError) {
    self.bytes = try bytes.requiring(count: Self.byteCount)
  }
}

/// Names a key without telling anything about it: 64 bits derived from the key by HKDF.
///
/// Because it follows from the key, a key file that was damaged or edited is noticed on reading.
package struct KeyIdentifier: Hashable, Sendable, CustomStringConvertible {
  /// The 64 bits.
  package let value: UInt64

  init(value: UInt64) { self.value = value }

  init(of key: SecretBytes) {
    let derived = HKDF.derive(from: key, label: "trackme/1/key-identifier", count: 8)
    value = derived.withBytes { $0.bigEndianWord(at: 0) }
  }

  /// Sixteen lower-case hexadecimal digits.
  package var description: String { Hexadecimal.encode(bigEndianBytes(value).span) }
}

extension SecretBytes {
  /// The same bytes if there are that many, else throws `keyLengthWrong`.
  func requiring(count expected: Int) throws(PrivacyError) -> SecretBytes {
    guard count == expected else { throw .keyLengthWrong(expected: expected) }
    return self
  }

  /// Draws bytes from the secure random source.
  package static func random(count: Int) -> SecretBytes {
    var bytes = secureRandom(count: count)
    return SecretBytes(consuming: &bytes)
  }
}
