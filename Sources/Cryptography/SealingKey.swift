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
  private let cipher: AESGCM

  /// Expands an account's key.
  package init(_ key: AccountKey) { cipher = AESGCM(key: key.bytes) }

  /// Expands the server's key for queued mail, which belongs to no account.
  package convenience init(mailOf root: RootSecret) {
    self.init(derived: root.key(for: .mail))
  }

  /// Expands the server's key for the numbers of deleted accounts.
  package convenience init(deletedAccountsOf root: RootSecret) {
    self.init(derived: root.key(for: .deletedAccounts))
  }

  /// Expands the server's key for the names of devices that do not yet belong to an account.
  package convenience init(pairingOf root: RootSecret) {
    self.init(derived: root.key(for: .pairing))
  }

  /// Expands the server's key for the names that runners choose in a run.
  package convenience init(runnerNamesOf root: RootSecret) {
    self.init(derived: root.key(for: .runnerName))
  }

  /// Expands the server's key for the data that runners share in one run. Each run has its own key,
  /// because a single key for all runs would soon have sealed too many values.
  package convenience init(runDataOf root: RootSecret, run: Int64) {
    let info = InlineArray<8, UInt8> { UInt8(truncatingIfNeeded: run >> (56 - 8 * Int64($0))) }
    self.init(derived: HKDF.expand(root.key(for: .runData), info: info.span, count: 32))
  }

  /// Expands the server's key for the requests that Track4Run has queued for Data4Help.
  package convenience init(outboxOf root: RootSecret) {
    self.init(derived: root.key(for: .outbox))
  }

  /// Expands a key of 32 bytes derived for sealing.
  init(derived key: SecretBytes) { cipher = AESGCM(key: key) }

  /// Appends the sealed value to `output`; at most 1 GiB.
  package func seal(
    _ plaintext: Span<UInt8>, for context: SealContext, into output: inout [UInt8]
  ) {
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
    try context.withEncoded { (associated) throws(CryptographyError) in
      try cipher.open(sealed, associated: associated, into: &output)
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
