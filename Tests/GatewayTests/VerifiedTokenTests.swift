import Cryptography
import Gateway
import Requirements
import Testing

@Suite("Verified tokens", .tags(.GW_3))
struct VerifiedTokenTests {
  private let authority = TokenAuthority(root: .random())

  @Test("a token is the same on the second look as on the first, of every kind")
  func again() throws {
    let tokens = VerifiedTokens(authority)
    let issued = TokenKind.allCases.flatMap { kind in (0..<50).map { _ in authority.issue(kind) } }
    for _ in 0..<2 {
      for token in issued {
        let found = try tokens.verify(token.text.utf8Span.span)
        #expect(found == GenuineToken(kind: token.kind, hash: token.hash))
      }
    }
  }

  @Test("a token that differs in any character from a verified one is refused")
  func forged() throws {
    let tokens = VerifiedTokens(authority)
    let text = Array(authority.issue(.session).text.utf8)
    _ = try tokens.verify(text.span)
    for index in text.indices {
      var forged = text
      forged[index] = text[index] == UInt8(ascii: "k") ? UInt8(ascii: "a") : UInt8(ascii: "k")
      #expect(throws: CryptographyError.self) { _ = try tokens.verify(forged.span) }
      #expect(throws: CryptographyError.self) { _ = try tokens.verify(forged.span) }
    }
    #expect(throws: CryptographyError.tokenMalformed) {
      _ = try tokens.verify(text.span.extracting(0..<67))
    }
    #expect(throws: CryptographyError.tokenMalformed) { _ = try tokens.verify((text + text).span) }
    _ = try tokens.verify(text.span)
  }

  @Test("more tokens than are remembered are all verified")
  func many() throws {
    let tokens = VerifiedTokens(authority)
    let issued = (0..<20_000).map { _ in authority.issue(.session) }
    for token in issued + issued {
      #expect(try tokens.verify(token.text.utf8Span.span).hash == token.hash)
    }
  }
}
