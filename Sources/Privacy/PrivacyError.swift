/// Why something protected was not handed out, or why a key could not be read.
///
/// No case carries a secret, a token or any of the bytes that were refused, so that each may be
/// logged; what a client is told is decided at the edge.
package enum PrivacyError: Error, Hashable, Sendable {
  /// The sealed value is shorter than a nonce and a tag.
  case sealedValueTruncated
  /// The sealed value was changed, belongs to another place, or was sealed under another key.
  case sealedValueRefused
  /// The wrapped key has a length or a version that this program does not write.
  case wrappedKeyMalformed
  /// The wrapped key names a master key that the key file does not hold.
  case masterKeyUnknown
  /// A key has another number of bytes than its kind demands.
  case keyLengthWrong(expected: Int)
  /// The given line of a key file is not a key, or its identifier does not belong to its key.
  case keyFileMalformed(line: Int)
  /// The key file holds no key, or more than it may.
  case keyFileCountWrong
  /// The text does not have the form of any of our tokens.
  case tokenMalformed
  /// The token has the right form but was not issued under this server's key.
  case tokenForged
  /// The stored password hash is not an Argon2id string within our limits.
  case passwordHashMalformed
  /// Argon2 could not run, which in practice means that there was no memory for it.
  case passwordHashingFailed
  /// A callback secret is not `whsec_` and the base64 of 24 to 64 bytes.
  case webhookSecretMalformed
  /// A stored digest does not have 32 bytes.
  case digestLengthWrong
}

extension PrivacyError: CustomStringConvertible {
  /// One sentence for the log.
  package var description: String {
    switch self {
    case .sealedValueTruncated: "The sealed value is too short to be one."
    case .sealedValueRefused: "The sealed value does not belong to this key and place."
    case .wrappedKeyMalformed: "The wrapped account key has an unknown form."
    case .masterKeyUnknown: "The account key is wrapped under a master key that is not loaded."
    case .keyLengthWrong(let expected): "A key of this kind must have \(expected) bytes."
    case .keyFileMalformed(let line): "Line \(line) of the key file is not an intact key."
    case .keyFileCountWrong: "The key file holds no key, or too many."
    case .tokenMalformed: "The token does not have the form of a token."
    case .tokenForged: "The token was not issued by this installation."
    case .passwordHashMalformed: "The stored password hash is not one of ours."
    case .passwordHashingFailed: "The password could not be hashed for want of memory."
    case .webhookSecretMalformed: "The callback secret does not have the form of one."
    case .digestLengthWrong: "The stored digest does not have 32 bytes."
    }
  }
}
