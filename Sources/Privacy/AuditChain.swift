/// Chains the record of accesses of one person by HMAC under a key outside the database, so that
/// who can write the table can neither change, reorder nor insert an entry unnoticed.
///
/// Cutting entries off the end is noticed only by who keeps the last link and the length elsewhere
/// (they are kept with the keys). May be shared between threads.
package struct AuditChain: Sendable {
  private let key: HMACKey

  /// Derives the key.
  package init(root: RootSecret) { key = HMACKey(root.key(for: .auditChain)) }

  /// The link before a person's first entry.
  package func start(subject account: Int64) -> AuditLink {
    let account = bigEndianBytes(UInt64(bitPattern: account))
    return AuditLink(digest: key.code(of: "subject ".utf8.span, then: account.span))
  }

  /// The link of an entry: HMAC over the previous link and the entry's bytes, whose form the caller
  /// fixes (one entry, one form, lengths in front).
  package func link(after previous: AuditLink, entry: Span<UInt8>) -> AuditLink {
    AuditLink(digest: key.code(of: previous.digest.inlineBytes.span, then: entry))
  }
}

/// One link of the chain; it depends on all entries up to its own.
package struct AuditLink: DigestValue {
  package let digest: Digest256
  package init(digest: Digest256) { self.digest = digest }
}
