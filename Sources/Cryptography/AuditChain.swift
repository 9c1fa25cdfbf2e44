import Bytes

/// Chains one person's access records by HMAC under a key outside the database, so that an attacker
/// with write access to the table cannot change, reorder or insert an entry without detection.
///
/// Truncation at the end is detected only with a copy of the last link and the length stored
/// elsewhere (they are stored with the keys). May be shared between threads.
package struct AuditChain: Sendable {
  private let key: HMACKey

  /// Derives the key.
  package init(root: RootSecret) { key = HMACKey(root.key(for: .auditChain)) }

  /// The link before a person's first entry.
  package func start(subject account: Int64) -> AuditLink {
    let account = bigEndianBytes(UInt64(bitPattern: account))
    return AuditLink(digest: key.code(of: "subject ".utf8.span, then: account.span))
  }

  /// The link of an entry: HMAC over the previous link and the entry's bytes. The caller must
  /// encode entries unambiguously (one encoding per entry, lengths before the contents).
  package func link(after previous: AuditLink, entry: Span<UInt8>) -> AuditLink {
    AuditLink(digest: key.code(of: previous.digest.inlineBytes.span, then: entry))
  }
}

/// One link of the chain; it depends on all entries up to its own.
package struct AuditLink: DigestValue {
  package let digest: Digest256
  package init(digest: Digest256) { self.digest = digest }
}
