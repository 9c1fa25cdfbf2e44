import Bytes
import Cryptography
import ServiceKit

/// Remembers the tokens whose authentication code one loop has verified, so that each costs its
/// HMAC and hash once. Confined to its loop.
///
/// A token is found by all of its bytes. Swift's `Hasher` is SipHash with a random key for each
/// process, so that clients cannot choose tokens of one slot. Only genuine tokens enter, so that
/// guesses replace none. Whether a session is open is not remembered: the session table decides it
/// for each request.
package final class VerifiedTokens {
  /// The largest number of remembered tokens, some 4 MB for each loop.
  private static let countMax = 16_384

  private struct Text: Hashable {
    private var words: InlineArray<9, UInt64>

    /// Nil for a text that has another length than a token.
    init?(_ text: Span<UInt8>) {
      guard text.count == TokenAuthority.textBytes else { return nil }
      words = InlineArray { word in
        var value: UInt64 = 0
        for index in 8 * word..<min(8 * word + 8, TokenAuthority.textBytes) {
          value = value << 8 | UInt64(text[index])
        }
        return value
      }
    }

    static func == (left: Self, right: Self) -> Bool {
      var difference: UInt64 = 0
      for index in left.words.indices { difference |= left.words[index] ^ right.words[index] }
      return difference == 0
    }

    func hash(into hasher: inout Hasher) {
      for index in words.indices { hasher.combine(words[index]) }
    }
  }

  private let authority: TokenAuthority
  private var genuine = RecentlyUsed<Text, GenuineToken>(countMax: countMax)

  /// An empty memory in front of `authority`.
  package init(_ authority: TokenAuthority) { self.authority = authority }

  /// Parses a token and checks its code, or finds it among those checked before. Errors: those of
  /// `TokenAuthority.verify`.
  package func verify(_ text: Span<UInt8>) throws(CryptographyError) -> GenuineToken {
    guard let key = Text(text) else { throw .tokenMalformed }
    if let token = genuine[key] { return token }
    let token = try authority.verify(text)
    genuine[key] = token
    return token
  }
}
