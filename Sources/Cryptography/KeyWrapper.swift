import Bytes

/// Wraps account keys under the newest master key, and unwraps them under the one they refer to.
///
/// A wrapped key is version (1) ‖ master key identifier (8) ‖ nonce (12) ‖ ciphertext (32) ‖ tag
/// (16), 69 bytes. AES-256-GCM was chosen over AES-KW (RFC 3394) because its associated data binds
/// the wrapped key to its account: with AES-KW, an attacker with write access to the table could
/// move one person's key into another's row. Its random nonces allow 2^32 wraps under one master
/// key. Two threads must not use a wrapper at once.
package final class KeyWrapper {
  /// The length of a wrapped key.
  package static let wrappedBytes = 1 + 8 + SealingKey.overheadBytes + AccountKey.byteCount
  private static let version: UInt8 = 1
  private let newest: KeyIdentifier
  private let ciphers: [KeyIdentifier: SealingKey]

  /// Expands the keys of a ring.
  package init(_ ring: MasterKeyRing) {
    newest = ring.keys[0].identifier
    var ciphers: [KeyIdentifier: SealingKey] = [:]
    for key in ring.keys { ciphers[key.identifier] = SealingKey(derived: key.bytes) }
    self.ciphers = ciphers
  }

  /// Wraps an account's key; the result can be unwrapped for this account number only.
  package func wrap(_ key: AccountKey, account: Int64) -> [UInt8] {
    var wrapped: [UInt8] = []
    wrapped.reserveCapacity(Self.wrappedBytes)
    wrapped.append(Self.version)
    let name = bigEndianBytes(newest.value)
    for index in name.indices { wrapped.append(name[index]) }
    key.bytes.withBytes {
      ciphers[newest]?.seal($0, for: Self.context(account), into: &wrapped)
    }
    return wrapped
  }

  /// Unwraps an account's key.
  ///
  /// Throws `wrappedKeyMalformed` for another length or version, `masterKeyUnknown` if the ring
  /// lacks the master key it refers to, and `sealedValueRefused` if it was changed or belongs to
  /// another account.
  package func unwrap(
    _ wrapped: Span<UInt8>, account: Int64
  ) throws(CryptographyError) -> AccountKey {
    guard let cipher = ciphers[try Self.masterKey(of: wrapped)] else { throw .masterKeyUnknown }
    var key = try cipher.open(wrapped.extracting(droppingFirst: 9), for: Self.context(account))
    return AccountKey(checked: SecretBytes(consuming: &key))
  }

  /// The master key that a wrapped key refers to; throws `wrappedKeyMalformed`.
  package static func masterKey(
    of wrapped: Span<UInt8>
  ) throws(CryptographyError) -> KeyIdentifier {
    guard wrapped.count == wrappedBytes, wrapped[0] == version else { throw .wrappedKeyMalformed }
    return KeyIdentifier(value: wrapped.bigEndianWord(at: 1))
  }

  private static func context(_ account: Int64) -> SealContext {
    SealContext(table: "account_keys", column: "wrapped", row: SealRow(account))
  }
}
