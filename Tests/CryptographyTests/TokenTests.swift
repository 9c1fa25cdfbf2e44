import Cryptography
import Requirements
import Testing

private let authority = TokenAuthority(root: .random())

@Test("an issued token is genuine", .tags(.GW_3), arguments: TokenKind.allCases)
func issuedTokenIsGenuine(_ kind: TokenKind) throws {
  let token = authority.issue(kind)
  #expect(token.text.utf8.count == TokenAuthority.textBytes)
  #expect(token.text.hasPrefix(kind.prefix))
  let genuine = try authority.verify(token.text.utf8.span)
  #expect(genuine == GenuineToken(kind: kind, hash: token.hash))
}

@Test("tokens have the prefixes known to secret scanners")
func tokensHavePrefixes() {
  #expect(
    TokenKind.allCases.map(\.prefix) == ["tms_", "tmk_", "tma_", "tmr_", "tmd_", "tmp_", "tmc_"])
}

@Test("a token with any bit changed is rejected before any look-up", .tags(.GW_3))
func forgedTokenIsRefused() {
  let text = Array(authority.issue(.session).text.utf8)
  for bit in 0..<text.count * 8 {
    var forged = text
    forged[bit / 8] ^= 1 << (bit % 8)
    #expect(throws: CryptographyError.self) { try authority.verify(forged.span) }
  }
}

@Test("a token under another kind's prefix is forged", .tags(.GW_3))
func tokenOfAnotherKindIsForged() {
  let text = authority.issue(.activation).text
  for kind in TokenKind.allCases where kind != .activation {
    let forged = kind.prefix + text.dropFirst(4)
    #expect(throws: CryptographyError.tokenForged) { try authority.verify(forged.utf8.span) }
  }
}

@Test("a token of another installation is forged", .tags(.GW_3))
func tokenOfAnotherInstallationIsForged() {
  let token = TokenAuthority(root: .random()).issue(.session)
  #expect(throws: CryptographyError.tokenForged) { try authority.verify(token.text.utf8.span) }
}

@Test("a token truncated, extended, of unknown kind or with a foreign character is malformed")
func oddTokensAreMalformed() {
  let text = authority.issue(.session).text
  var odd = ["", "tms_", text + "A", " " + text.dropFirst(), "tmx_" + text.dropFirst(4)]
  odd += (0..<68).map { String(text.prefix($0)) }
  for character in ["+", "/", "=", "\u{0}", "~", ".", " "] {
    odd.append(text.dropLast() + character)
  }
  for text in odd {
    #expect(throws: CryptographyError.tokenMalformed) { try authority.verify(text.utf8.span) }
  }
}

@Test("many tasks can share one authority at the same time", .tags(.GW_3))
func authorityIsShared() async {
  let tokens = (0..<50).map { _ in authority.issue(.session) }
  let genuine = await withTaskGroup(of: Int.self) { group in
    for _ in 0..<8 {
      group.addTask {
        tokens.count { (try? authority.verify($0.text.utf8.span))?.hash == $0.hash }
      }
    }
    return await group.reduce(0, +)
  }
  #expect(genuine == 8 * 50)
}

@Test("no two tokens and no two of their hashes are equal")
func tokensAreUnpredictable() {
  let tokens = (0..<100).map { _ in authority.issue(.apiKey) }
  #expect(Set(tokens.map(\.text)).count == 100)
  #expect(Set(tokens.map(\.hash)).count == 100)
}

@Test("an issued token does not show its text when printed")
func issuedTokenIsRedacted() {
  let token = authority.issue(.session)
  var dumped = ""
  dump(token, to: &dumped)
  for text in ["\(token)", String(reflecting: token), dumped] {
    #expect(!text.contains(token.text))
  }
}

@Test("a token's hash reads back from its 32 bytes, and not from 31 or 33")
func tokenHashReadsBack() throws {
  let hash = authority.issue(.session).hash
  #expect(hash.bytes.count == 32)
  #expect(try TokenHash(bytes: hash.bytes.span) == hash)
  for count in [31, 33] {
    let bytes = [UInt8](repeating: 0, count: count)
    #expect(throws: CryptographyError.digestLengthWrong) { try TokenHash(bytes: bytes.span) }
  }
}
