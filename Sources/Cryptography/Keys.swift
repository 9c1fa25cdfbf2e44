import Bytes

/// The key under which all data of one account is sealed; destroying it erases the account.
///
/// 32 bytes for AES-256-GCM. It is stored only wrapped (``KeyWrapper``), in the keys' database.
package struct AccountKey: Sendable {
  /// The length of a key in bytes.
  package static let byteCount = 32
  let bytes: SecretBytes

  /// Generates a new key.
  package static func random() -> AccountKey { AccountKey(checked: .random(count: byteCount)) }

  init(checked bytes: SecretBytes) { self.bytes = bytes }

  /// Creates a key from 32 bytes; throws `keyLengthWrong` for another length.
  package init(_ bytes: SecretBytes) throws(CryptographyError) {
    self.bytes = try bytes.requiring(count: Self.byteCount)
  }
}

/// A key that wraps account keys. It is stored in a file outside every database.
package struct MasterKey: RingKey {
  /// The length of a key in bytes.
  package static let byteCount = 32
  /// The identifier, derived from the key itself.
  package let identifier: KeyIdentifier
  let bytes: SecretBytes

  /// Generates a new key.
  package static func random() -> MasterKey { MasterKey(checked: .random(count: byteCount)) }

  init(checked bytes: SecretBytes) {
    self.bytes = bytes
    identifier = KeyIdentifier(of: bytes)
  }

  /// Creates a key from 32 bytes; throws `keyLengthWrong` for another length.
  package init(_ bytes: SecretBytes) throws(CryptographyError) {
    self.init(checked: try bytes.requiring(count: Self.byteCount))
  }
}

/// One of the secrets in the root secret's file. All keys that the processes of an installation
/// share derive from them (`RootSecret`).
package struct RootKey: RingKey {
  /// The length of a secret in bytes.
  package static let byteCount = 32
  /// The identifier, derived from the secret itself.
  package let identifier: KeyIdentifier
  let bytes: SecretBytes

  /// Generates a new secret.
  package static func random() -> RootKey { RootKey(checked: .random(count: byteCount)) }

  init(checked bytes: SecretBytes) {
    self.bytes = bytes
    identifier = KeyIdentifier(of: bytes)
  }

  /// Creates a secret from 32 bytes; throws `keyLengthWrong` for another length.
  package init(_ bytes: SecretBytes) throws(CryptographyError) {
    self.init(checked: try bytes.requiring(count: Self.byteCount))
  }

  /// The 32-byte key for one purpose (HKDF-SHA256 with the purpose as info).
  func key(for purpose: KeyPurpose) -> SecretBytes {
    HKDF.derive(from: bytes, label: purpose.rawValue, count: 32)
  }
}

/// Identifies a key without revealing it: 64 bits derived from the key by HKDF.
///
/// Because it is derived from the key, damage or a typing error in a key file is detected on
/// reading.
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
  /// Returns the bytes if they have this length; throws `keyLengthWrong` otherwise.
  func requiring(count expected: Int) throws(CryptographyError) -> SecretBytes {
    guard count == expected else { throw .keyLengthWrong(expected: expected) }
    return self
  }

  /// Generates bytes from the secure random source.
  package static func random(count: Int) -> SecretBytes {
    var bytes = secureRandom(count: count)
    return SecretBytes(consuming: &bytes)
  }
}
