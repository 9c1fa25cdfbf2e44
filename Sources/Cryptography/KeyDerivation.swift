/// HKDF-SHA256 (RFC 5869): derives many independent keys from one secret.
package enum HKDF {
  /// The largest output of one key: 255 blocks of 32 bytes.
  package static let outputBytesMax = 255 * 32

  /// Extracts a uniform key from key material of any quality (RFC 5869, 2.2).
  package static func extract(salt: Span<UInt8>, material: Span<UInt8>) -> SecretBytes {
    SecretBytes(copying: HMACKey(salt).code(of: material).inlineBytes.span)
  }

  /// Expands a uniform key into `count` bytes, at most 8160, that depend on `info` (RFC 5869, 2.3).
  package static func expand(_ key: SecretBytes, info: Span<UInt8>, count: Int) -> SecretBytes {
    precondition((0...outputBytesMax).contains(count), "HKDF yields at most 8160 bytes.")
    let authenticator = HMACKey(key)
    var output: [UInt8] = []
    output.reserveCapacity(count + Digest256.byteCount)
    var message: [UInt8] = []
    message.reserveCapacity(Digest256.byteCount + info.count + 1)
    var counter: UInt8 = 0
    while output.count < count {
      counter += 1
      for index in info.indices { message.append(info[index]) }
      message.append(counter)
      let block = authenticator.code(of: message.span).inlineBytes
      message.wipe()
      for index in block.indices where output.count < count { output.append(block[index]) }
      for index in block.indices { message.append(block[index]) }
    }
    message.wipe()
    return SecretBytes(consuming: &output)
  }

  /// Extracts without salt and expands with a label, for secrets that are already uniform keys.
  package static func derive(from secret: SecretBytes, label: String, count: Int) -> SecretBytes {
    let uniform = secret.withBytes { extract(salt: Span(), material: $0) }
    return expand(uniform, info: label.utf8.span, count: count)
  }
}

/// The purpose of a key derived from the root secret. Keys of different purposes are independent,
/// and a purpose is never reused.
package enum KeyPurpose: String, CaseIterable, Sendable {
  case emailIndex = "trackme/1/blind-index/email"
  case fiscalCodeIndex = "trackme/1/blind-index/fiscal-code"
  case vatNumberIndex = "trackme/1/blind-index/vat-number"
  case companyNameIndex = "trackme/1/blind-index/company-name"
  case companyNamePrefix = "trackme/1/blind-index/company-name-prefix"
  case fullName = "trackme/1/blind-index/full-name"
  case diseaseCode = "trackme/1/blind-index/disease-code"
  case positionCell = "trackme/1/blind-index/position-cell"
  case pairingCode = "trackme/1/blind-index/pairing-code"
  case invitedAddress = "trackme/1/blind-index/invited-address"
  case emergencyContact = "trackme/1/blind-index/emergency-contact"
  case pushEndpoint = "trackme/1/blind-index/push-endpoint"
  case pairing = "trackme/1/pairing"
  case tokens = "trackme/1/token-code"
  case idempotency = "trackme/1/idempotent-answer"
  case auditChain = "trackme/1/audit-chain"
  case internalSecret = "trackme/1/internal-secret"
  case mail = "trackme/1/mail"
  case runnerName = "trackme/1/runner-name"
  case deletedAccounts = "trackme/1/deleted-accounts"
  case checkIns = "trackme/1/check-ins"
  case runData = "trackme/1/run-data"
  case outbox = "trackme/1/outbox"
  case emergencies = "trackme/1/episodes"
  case groupNoise = "trackme/1/group-noise"
}
