/// The reason why a protected value was not opened, or a key could not be read.
///
/// No case carries a secret, a token or any rejected bytes, so each may be logged. The routes
/// decide which part of it a client sees.
package enum CryptographyError: Error, Hashable, Sendable {
  /// The sealed value is shorter than a nonce and a tag.
  case sealedValueTruncated
  /// The sealed value was changed, belongs to another row or column, or was sealed under another
  /// key.
  case sealedValueRefused
  /// The wrapped key has a length or a version that this program does not write.
  case wrappedKeyMalformed
  /// The wrapped key refers to a master key that is not in the key file.
  case masterKeyUnknown
  /// A key has the wrong number of bytes for its kind.
  case keyLengthWrong(expected: Int)
  /// The given line of a key file is not a key, or its identifier does not match its key.
  case keyFileMalformed(line: Int)
  /// The key file contains no key, or too many.
  case keyFileCountWrong
  /// The text does not have the form of any of our tokens.
  case tokenMalformed
  /// The token has the right form but was not issued under this server's key.
  case tokenForged
  /// The stored password hash is not an Argon2id string within our limits.
  case passwordHashMalformed
  /// Argon2 could not run; in practice, memory was exhausted.
  case passwordHashingFailed
  /// A callback secret is not `whsec_` and the base64 of 24 to 64 bytes.
  case webhookSecretMalformed
  /// A stored digest does not have 32 bytes.
  case digestLengthWrong
}

extension CryptographyError: CustomStringConvertible {
  /// One sentence for the log.
  package var description: String {
    switch self {
    case .sealedValueTruncated: "The sealed value is too short."
    case .sealedValueRefused: "The sealed value does not belong to this key and context."
    case .wrappedKeyMalformed: "The wrapped account key has an unknown format."
    case .masterKeyUnknown: "The account key is wrapped under a master key that is not loaded."
    case .keyLengthWrong(let expected): "A key of this kind must have \(expected) bytes."
    case .keyFileMalformed(let line): "Line \(line) of the key file is not a valid key."
    case .keyFileCountWrong: "The key file contains no key, or too many."
    case .tokenMalformed: "The token is malformed."
    case .tokenForged: "The token was not issued by this installation."
    case .passwordHashMalformed: "The stored password hash is malformed."
    case .passwordHashingFailed: "The password could not be hashed: out of memory."
    case .webhookSecretMalformed: "The callback secret is malformed."
    case .digestLengthWrong: "The stored digest does not have 32 bytes."
    }
  }
}
