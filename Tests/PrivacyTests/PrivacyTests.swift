import Privacy
import Requirements
import Testing

@Test("a token that was issued is genuine", .tags(.GW_3))
func issuedTokenIsGenuine() throws {
  let authority = TokenAuthority(root: .random())
  let token = authority.issue(.session)
  let genuine = try authority.verify(token.text.utf8.span)
  #expect(genuine == GenuineToken(kind: .session, hash: token.hash))
}
