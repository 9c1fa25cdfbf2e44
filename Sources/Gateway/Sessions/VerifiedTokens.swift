import Bytes
import Cryptography
import ServiceKit

/// Remembers the tokens whose authentication code one loop has verified, so that each costs its
/// HMAC and hash once. Confined to its loop.
///
/// A token is found by all of its bytes. Its slot depends on its authentication code, which clients
/// cannot choose, and on the random key that Swift's `Hasher` has in each process. Only genuine
/// tokens enter, so that guesses replace none. Whether a session is open is not remembered: the
/// session table decides it for each request.
package final class VerifiedTokens {
  /// The largest number of remembered tokens, some 4 MB for each loop.
  private static let countMax = 16_384

  private struct Text: Hashable {
    private var words: InlineArray<9, UInt64>

    /// Nil for a text that has another length than a token.
    init?(_ text: Span<UInt8>) {
      guard text.count == TokenAuthority.textBytes else { return nil }
      // The last word overlaps the one before.
      words = InlineArray { text.bigEndianWord(at: min(8 * $0, TokenAuthority.textBytes - 8)) }
    }

    static func == (left: Self, right: Self) -> Bool {
      var difference: UInt64 = 0
      for index in left.words.indices { difference |= left.words[index] ^ right.words[index] }
      return difference == 0
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(words[words.count - 2])
      hasher.combine(words[words.count - 1])
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
    // Moved out meanwhile, so that the compiler proves exclusive access.
    var known = RecentlyUsed<Text, GenuineToken>(countMax: 0)
    swap(&known, &genuine)
    defer { swap(&known, &genuine) }
    if let token = known[key] { return token }
    let token = try authority.verify(text)
    known[key] = token
    return token
  }
}
