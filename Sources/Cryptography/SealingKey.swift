/// Seals and opens values under one key with AES-256-GCM: nonce ‖ ciphertext ‖ tag, 28 bytes more
/// than the value.
///
/// Nonces are 96 random bits, so one key may seal 2^32 values (NIST SP 800-38D, 8.3: the
/// probability that two of them share a nonce is then below 2^-32). An account of 10 MB is far
/// below that; a caller that seals more than a few hundred million values must change keys. Two
/// threads must not use a key at once: every event loop creates its own from the account's key
/// (about 1 µs).
package final class SealingKey {
  /// The difference between the lengths of a sealed value and its plaintext, in bytes.
  package static let overheadBytes = AESGCM.nonceBytes + AESGCM.tagBytes
  /// The longest plaintext in bytes, 1 GiB, far below what the mode allows (64 GiB).
  package static let plaintextBytesMax = 1 << 30
  private var cipher: AESGCM
  /// The keys under the further root secrets, which open values only.
  private var others: [AESGCM] = []
  /// Nil for a key that does not derive from the root secret.
  private let source: RootSource?
  /// The changes of the root secret that this key has followed.
  private var changesSeen = 0

  /// How a key derives from the root secret.
  private struct RootSource {
    let root: RootSecret
    let derive: (RootKey) -> SecretBytes

    /// The derived keys, that of the secret in use first.
    var ciphers: [AESGCM] { root.ring.keys.map { AESGCM(key: derive($0)) } }
  }

  /// Expands an account's key.
  package convenience init(_ key: AccountKey) { self.init(derived: key.bytes) }

  /// Expands the server's key for queued mail, which belongs to no account.
  package convenience init(mailOf root: RootSecret) {
    self.init(following: root) { $0.key(for: .mail) }
  }

  /// Expands the server's key for the numbers of deleted accounts.
  package convenience init(deletedAccountsOf root: RootSecret) {
    self.init(following: root) { $0.key(for: .deletedAccounts) }
  }

  /// Expands the server's key for the names of devices that do not yet belong to an account.
  package convenience init(pairingOf root: RootSecret) {
    self.init(following: root) { $0.key(for: .pairing) }
  }

  /// Expands the server's key for the names that runners choose in a run.
  package convenience init(runnerNamesOf root: RootSecret) {
    self.init(following: root) { $0.key(for: .runnerName) }
  }

  /// Expands the server's key for the data that runners share in one run. Each run has its own key,
  /// because a single key for all runs would soon have sealed too many values.
  package convenience init(runDataOf root: RootSecret, run: Int64) {
    let info = InlineArray<8, UInt8> { UInt8(truncatingIfNeeded: run >> (56 - 8 * Int64($0))) }
    self.init(following: root) { key in
      HKDF.expand(key.key(for: .runData), info: info.span, count: 32)
    }
  }

  /// Expands the server's key for the requests that Track4Run has queued for Data4Help.
  package convenience init(outboxOf root: RootSecret) {
    self.init(following: root) { $0.key(for: .outbox) }
  }

  /// Expands a key of 32 bytes derived for sealing.
  init(derived key: SecretBytes) {
    cipher = AESGCM(key: key)
    source = nil
  }

  /// Seals under the key derived from the root secret in use, opens under that of each, and follows
  /// a change of the file at its next use.
  private init(following root: RootSecret, _ derive: @escaping (RootKey) -> SecretBytes) {
    let source = RootSource(root: root, derive: derive)
    self.source = source
    // Before the secrets, so that a change meanwhile is followed at the next use.
    changesSeen = root.changes
    let ciphers = source.ciphers
    cipher = ciphers[0]
    others = Array(ciphers.dropFirst())
  }

  private func follow() {
    guard let source, source.root.changes != changesSeen else { return }
    changesSeen = source.root.changes
    let ciphers = source.ciphers
    cipher = ciphers[0]
    others = Array(ciphers.dropFirst())
  }

  /// Appends the sealed value to `output`; at most 1 GiB.
  package func seal(
    _ plaintext: Span<UInt8>, for context: SealContext, into output: inout [UInt8]
  ) {
    follow()
    let nonce: InlineArray<12, UInt8> = PublicRandomness.draw()
    context.withEncoded {
      cipher.seal(plaintext, nonce: nonce.span, associated: $0, into: &output)
    }
  }

  /// The sealed value.
  package func seal(_ plaintext: Span<UInt8>, for context: SealContext) -> [UInt8] {
    var output: [UInt8] = []
    seal(plaintext, for: context, into: &output)
    return output
  }

  /// The sealed UTF-8 form of a text.
  package func seal(_ text: String, for context: SealContext) -> [UInt8] {
    seal(text.utf8.span, for: context)
  }

  /// Appends the opened value to `output`.
  ///
  /// Throws `sealedValueTruncated` below 28 bytes, and `sealedValueRefused` if a bit was changed or
  /// key or context differ from those used for sealing; `output` is then unchanged.
  package func open(
    _ sealed: Span<UInt8>, for context: SealContext, into output: inout [UInt8]
  ) throws(CryptographyError) {
    follow()
    try context.withEncoded { (associated) throws(CryptographyError) in
      do throws(CryptographyError) {
        try cipher.open(sealed, associated: associated, into: &output)
      } catch {
        for other in others {
          if Self.opens(other, sealed, associated, into: &output) { return }
        }
        throw error
      }
    }
  }

  /// The value sealed again under the root secret in use; nil if it is sealed under that one.
  ///
  /// - Throws: as `open`.
  package func resealed(
    _ sealed: Span<UInt8>, for context: SealContext
  ) throws(CryptographyError) -> [UInt8]? {
    follow()
    var plaintext: [UInt8] = []
    defer { plaintext.wipe() }
    let isCurrent = context.withEncoded {
      Self.opens(cipher, sealed, $0, into: &plaintext)
    }
    guard !isCurrent else { return nil }
    try open(sealed, for: context, into: &plaintext)
    return seal(plaintext.span, for: context)
  }

  private static func opens(
    _ cipher: AESGCM, _ sealed: Span<UInt8>, _ associated: Span<UInt8>, into output: inout [UInt8]
  ) -> Bool {
    do throws(CryptographyError) {
      try cipher.open(sealed, associated: associated, into: &output)
      return true
    } catch {
      return false
    }
  }

  /// The opened value; throws as the function above.
  package func open(
    _ sealed: Span<UInt8>, for context: SealContext
  ) throws(CryptographyError) -> [UInt8] {
    var output: [UInt8] = []
    try open(sealed, for: context, into: &output)
    return output
  }

  /// The opened text; one that is not UTF-8 is rejected like a changed value.
  package func openText(
    _ sealed: Span<UInt8>, for context: SealContext
  ) throws(CryptographyError) -> String {
    guard let text = String(validating: try open(sealed, for: context), as: UTF8.self) else {
      throw .sealedValueRefused
    }
    return text
  }
}
