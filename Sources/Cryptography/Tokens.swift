import Bytes

/// The purpose of a token. Each kind has a prefix by which people and secret scanners recognise it,
/// and which the authentication code covers.
package enum TokenKind: UInt8, CaseIterable, Sendable {
  /// A login: `tms_`.
  case session = 0x73
  /// A third party's key for its own programs: `tmk_`.
  case apiKey = 0x6b
  /// The link that activates an account: `tma_`.
  case activation = 0x61
  /// The link that resets a password: `tmr_`.
  case passwordReset = 0x72
  /// A paired device: `tmd_`.
  case device = 0x64
  /// A device that is being paired: `tmp_`.
  case pairing = 0x70
  /// The link by which an emergency contact answers: `tmc_`.
  case contact = 0x63

  /// The first four characters.
  package var prefix: String { "tm\(Unicode.Scalar(rawValue))_" }
}

/// The key under which the database and the gateway's memory store a token: SHA-256 of its random
/// part.
package struct TokenHash: DigestValue {
  package let digest: Digest256
  package init(digest: Digest256) { self.digest = digest }
}

/// A new token: the text for its bearer, shown once, and the hash to store.
package struct IssuedToken: Sendable, CustomStringConvertible, CustomReflectable {
  /// The secret text, 68 characters.
  package let text: String
  /// The hash to store.
  package let hash: TokenHash
  /// The kind.
  package let kind: TokenKind

  /// The kind only.
  package var description: String { "IssuedToken(\(kind))" }
  /// Empty.
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// A token that this installation issued. Whether it is still valid is up to the sessions.
package struct GenuineToken: Hashable, Sendable {
  /// The kind named by its prefix.
  package let kind: TokenKind
  /// The hash by which it is looked up.
  package let hash: TokenHash

  /// Creates a token of this kind and hash.
  package init(kind: TokenKind, hash: TokenHash) {
    self.kind = kind
    self.hash = hash
  }
}

/// Issues tokens and distinguishes genuine ones from forged ones without a look-up.
///
/// A token is its prefix and base64url of 256 random bits and 128 bits of HMAC-SHA256 over prefix
/// and random bits, 68 characters. A token is valid because its hash is stored, not because of the
/// code: a stolen server key reveals no random part. The code only keeps guesses from reaching the
/// database. May be shared between threads.
package struct TokenAuthority: Sendable {
  /// The length of every token in characters.
  package static let textBytes = 68
  private static let randomBytes = 32
  private static let codeBytes = 16
  private let codes: RootDerived<HMACKey>

  /// An authority that issues under the secret in use, and accepts codes under each, also under
  /// former ones: a token from before a rotation stays valid by its hash.
  package init(root: RootSecret) { codes = root.lastingCodes(for: .tokens) }

  /// Issues a token with new random bits.
  package func issue(_ kind: TokenKind) -> IssuedToken {
    let random = secureRandom(count: Self.randomBytes)
    let code = Self.code(kind, random.span, codes.current)
    var body = random
    for index in 0..<Self.codeBytes { body.append(code[index]) }
    var text = Array(kind.prefix.utf8)
    Base64.url.append(body.span, to: &text)
    return IssuedToken(
      text: String(decoding: text, as: UTF8.self), hash: hash(random.span), kind: kind)
  }

  /// Parses a token and checks its code without an allocation.
  ///
  /// Throws `tokenMalformed` for a text that cannot be one of our tokens and `tokenForged` for a
  /// wrong code; clients get the same error for both.
  package func verify(_ text: Span<UInt8>) throws(CryptographyError) -> GenuineToken {
    guard text.count == Self.textBytes, text[0] == UInt8(ascii: "t"),
      text[1] == UInt8(ascii: "m"), text[3] == UInt8(ascii: "_"),
      let kind = TokenKind(rawValue: text[2])
    else { throw .tokenMalformed }
    guard let body = Self.decode(text.extracting(droppingFirst: 4)) else { throw .tokenMalformed }
    let random = body.span.extracting(first: Self.randomBytes)
    for key in codes.all {
      let expected = Self.code(kind, random, key)
      var difference: UInt8 = 0
      for index in 0..<Self.codeBytes {
        difference |= expected[index] ^ body[Self.randomBytes + index]
      }
      if difference == 0 { return GenuineToken(kind: kind, hash: hash(random)) }
    }
    throw .tokenForged
  }

  private static func code(
    _ kind: TokenKind, _ random: Span<UInt8>, _ key: HMACKey
  ) -> InlineArray<32, UInt8> {
    let prefix: InlineArray<4, UInt8> = [
      UInt8(ascii: "t"), UInt8(ascii: "m"), kind.rawValue, UInt8(ascii: "_"),
    ]
    return key.code(of: prefix.span, then: random).inlineBytes
  }

  private func hash(_ random: Span<UInt8>) -> TokenHash {
    TokenHash(digest: SHA256.digest(of: random))
  }

  /// Decodes 64 characters of base64url to 48 bytes.
  private static func decode(_ text: Span<UInt8>) -> InlineArray<48, UInt8>? {
    var bytes = InlineArray<48, UInt8>(repeating: 0)
    var faults: Int32 = 0
    let alphabet = Base64.url
    for group in 0..<16 {
      var bits: Int32 = 0
      for place in 0..<4 {
        let value = alphabet.value(text[4 * group + place])
        faults |= value
        bits = bits << 6 | value & 63
      }
      bytes[3 * group] = UInt8(truncatingIfNeeded: bits >> 16)
      bytes[3 * group + 1] = UInt8(truncatingIfNeeded: bits >> 8)
      bytes[3 * group + 2] = UInt8(truncatingIfNeeded: bits)
    }
    return faults >= 0 ? bytes : nil
  }
}
