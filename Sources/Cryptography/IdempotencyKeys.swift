import Bytes

/// Seals the responses stored for `Idempotency-Key`, so that only a client with the same key can
/// read them.
///
/// Both name and sealing key derive from the server's key, the account, the path and the client's
/// key; a database with its stored responses reveals none of them. May be shared between threads.
package struct IdempotencyKeys: Sendable {
  private let key: HMACKey

  /// Derives the server's key, which no rotation changes: a response opens only with the client's
  /// key too, and is stored for a day.
  package init(root: RootSecret) { key = HMACKey(root.lastingKey(for: .idempotency)) }

  /// The name and sealing key of a response, for one account, path and client's key.
  ///
  /// A request without login has no account and counts as account 0; real accounts are numbered
  /// from 1.
  package func answer(
    account: Int64?, path: Span<UInt8>, clientKey: Span<UInt8>
  ) -> IdempotentAnswerKey {
    var scope: [UInt8] = []
    scope.reserveCapacity(17 + path.count)
    let account = bigEndianBytes(UInt64(bitPattern: account ?? 0))
    let length = bigEndianBytes(UInt64(path.count))
    for index in account.indices { scope.append(account[index]) }
    for index in length.indices { scope.append(length[index]) }
    for index in path.indices { scope.append(path[index]) }
    let secret = SecretBytes(
      copying: key.code(of: scope.span, then: clientKey).inlineBytes.span)
    let name = HKDF.expand(secret, info: "name".utf8.span, count: 32)
    return IdempotentAnswerKey(
      name: IdempotencyName(digest: name.withBytes { Digest256(first32Of: $0) }),
      sealingKey: SealingKey(derived: HKDF.expand(secret, info: "seal".utf8.span, count: 32)))
  }
}

/// The name under which a stored response is found, and the key that opens it.
package struct IdempotentAnswerKey {
  /// The primary key of the stored response.
  package let name: IdempotencyName
  /// Seals and opens the response.
  package let sealingKey: SealingKey
}

/// Identifies a stored response without revealing whose it is.
package struct IdempotencyName: DigestValue {
  package let digest: Digest256
  package init(digest: Digest256) { self.digest = digest }
}
