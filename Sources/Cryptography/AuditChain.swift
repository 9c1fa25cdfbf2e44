import Bytes

/// Chains one person's access records by HMAC under a key outside the database, so that an attacker
/// with write access to the table cannot change, reorder or insert an entry without detection.
///
/// Truncation at the end is detected only with a copy of the last link and the length stored
/// elsewhere (they are stored with the keys). May be shared between threads.
package struct AuditChain: Sendable {
  /// The keys of the file's secrets, that of the one in use first.
  private let codes: RootDerived<HMACKey>
  /// The same, followed by the keys that former secrets left, under which only entries up to an
  /// anchor are accepted.
  private let anchoredCodes: RootDerived<HMACKey>

  /// Derives the keys.
  package init(root: RootSecret) {
    codes = root.codes(for: .auditChain)
    anchoredCodes = root.lastingCodes(for: .auditChain)
  }

  /// The link before a person's first entry.
  package func start(subject account: Int64) -> AuditLink { Self.start(account, codes.current) }

  private static func start(_ account: Int64, _ key: HMACKey) -> AuditLink {
    let account = bigEndianBytes(UInt64(bitPattern: account))
    return AuditLink(digest: key.code(of: "subject ".utf8.span, then: account.span))
  }

  /// The link of an entry: HMAC over the previous link and the entry's bytes. The caller must
  /// encode entries unambiguously (one encoding per entry, lengths before the contents).
  package func link(after previous: AuditLink, entry: Span<UInt8>) -> AuditLink {
    Self.link(previous, entry, codes.current)
  }

  private static func link(
    _ previous: AuditLink, _ entry: Span<UInt8>, _ key: HMACKey
  ) -> AuditLink {
    AuditLink(digest: key.code(of: previous.digest.inlineBytes.span, then: entry))
  }

  /// Whether an entry has this link: under a secret of the file, or, if it `isAnchored`, under any
  /// former one. `previous` is nil for a person's first entry.
  package func isLink(
    _ link: AuditLink, after previous: AuditLink?, subject account: Int64, entry: Span<UInt8>,
    isAnchored: Bool
  ) -> Bool {
    let keys = isAnchored ? anchoredCodes.all : codes.all
    let starts = previous.map { [$0] } ?? keys.map { Self.start(account, $0) }
    for key in keys {
      for start in starts where Self.link(start, entry, key) == link { return true }
    }
    return false
  }

  /// Whether a link is the one before a person's first entry.
  package func isStart(_ link: AuditLink, subject account: Int64) -> Bool {
    anchoredCodes.all.contains { Self.start(account, $0) == link }
  }

  /// The code under the secret in use that anchors a person's record at an entry: entries up to it
  /// are accepted under former secrets, and later ones are not.
  package func anchorCode(
    subject account: Int64, count: Int64, link: AuditLink
  ) -> AuditAnchorCode {
    Self.anchorCode(account, count, link, codes.current)
  }

  /// Whether a secret of the file has made this code.
  package func isAnchor(
    _ code: AuditAnchorCode, subject account: Int64, count: Int64, link: AuditLink
  ) -> Bool {
    codes.all.contains { Self.anchorCode(account, count, link, $0) == code }
  }

  private static func anchorCode(
    _ account: Int64, _ count: Int64, _ link: AuditLink, _ key: HMACKey
  ) -> AuditAnchorCode {
    var place = Array("anchor ".utf8)
    for number in [account, count] {
      let bytes = bigEndianBytes(UInt64(bitPattern: number))
      for index in bytes.indices { place.append(bytes[index]) }
    }
    return AuditAnchorCode(
      digest: key.code(of: place.span, then: link.digest.inlineBytes.span))
  }
}

/// The code of an anchor of a record.
package struct AuditAnchorCode: DigestValue {
  package let digest: Digest256
  package init(digest: Digest256) { self.digest = digest }
}

/// One link of the chain; it depends on all entries up to its own.
package struct AuditLink: DigestValue {
  package let digest: Digest256
  package init(digest: Digest256) { self.digest = digest }
}
