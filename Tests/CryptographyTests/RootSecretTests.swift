import Cryptography
import Requirements
import Testing

/// A root secret that has replaced another one, and both alone.
private struct Replaced {
  let former = RootKeyRing.random()
  let both: RootKeyRing
  let new: RootKeyRing

  init() throws {
    let announced = try former.announcing()
    both = announced.promoting(announced.identifiers[1])
    new = both.removingFormer()
  }
}

private func opens(
  _ sealed: [UInt8], by root: RootSecret, _ key: (RootSecret) -> SealingKey, _ place: SealContext
) -> Bool {
  do throws(CryptographyError) {
    return try key(root).openText(sealed.span, for: place) == "text"
  } catch {
    return false
  }
}

private func isGenuine(_ token: IssuedToken, for root: RootSecret) -> Bool {
  do throws(CryptographyError) {
    return try TokenAuthority(root: root).verify(token.text.utf8.span).hash == token.hash
  } catch {
    return false
  }
}

@Test(
  "calls under a former root secret are accepted while the file has it, and its tokens for ever",
  .tags(.OPS_6))
func formerRootSecretIsAccepted() throws {
  let rings = try Replaced()
  let (former, both, new) = (
    RootSecret(rings.former), RootSecret(rings.both), RootSecret(rings.new)
  )
  for kind in TokenKind.allCases {
    let old = TokenAuthority(root: former).issue(kind)
    #expect(isGenuine(old, for: both))
    #expect(isGenuine(old, for: new))
    let fresh = TokenAuthority(root: both).issue(kind)
    #expect(isGenuine(fresh, for: both))
    #expect(isGenuine(fresh, for: new))
    #expect(!isGenuine(fresh, for: former))
  }
  func isShown(_ sender: RootSecret, to receiver: RootSecret) -> Bool {
    InternalSecret(root: sender).withHeaderValue { InternalSecret(root: receiver).matches($0) }
  }
  #expect(isShown(former, to: both) && !isShown(former, to: new))
  #expect(isShown(both, to: new) && !isShown(both, to: former))
}

@Test(
  "rows sealed under a former root secret open while the file has it, and new ones not under it",
  .tags(.OPS_6))
func formerSealedRowsOpen() throws {
  let rings = try Replaced()
  let (former, both, new) = (
    RootSecret(rings.former), RootSecret(rings.both), RootSecret(rings.new)
  )
  let place = SealContext(table: "t", column: "c", row: SealRow(1))
  let keys: [(RootSecret) -> SealingKey] = [
    { SealingKey(mailOf: $0) }, { SealingKey(deletedAccountsOf: $0) },
    { SealingKey(pairingOf: $0) }, { SealingKey(runnerNamesOf: $0) },
    { SealingKey(runDataOf: $0, run: 7) }, { SealingKey(outboxOf: $0) },
  ]
  for key in keys {
    let old = key(former).seal("text", for: place)
    #expect(opens(old, by: both, key, place))
    #expect(!opens(old, by: new, key, place))
    let fresh = key(both).seal("text", for: place)
    #expect(opens(fresh, by: both, key, place))
    #expect(opens(fresh, by: new, key, place))
    #expect(!opens(fresh, by: former, key, place))
    var changed = old
    changed[20] ^= 1
    #expect(!opens(changed, by: both, key, place))
  }
}

@Test("a row is sealed again once, under the secret in use", .tags(.OPS_6))
func rowsAreResealed() throws {
  let rings = try Replaced()
  let place = SealContext(table: "t", column: "c", row: SealRow(1))
  let old = SealingKey(outboxOf: RootSecret(rings.former)).seal("text", for: place)
  let key = SealingKey(outboxOf: RootSecret(rings.both))
  let renewed = try #require(try key.resealed(old.span, for: place))
  #expect(try key.resealed(renewed.span, for: place) == nil)
  let new = SealingKey(outboxOf: RootSecret(rings.new))
  #expect(try new.openText(renewed.span, for: place) == "text")
  #expect(throws: CryptographyError.sealedValueRefused) {
    try new.resealed(old.span, for: place)
  }
}

@Test("every use of a running process follows a change of its root secrets", .tags(.OPS_6))
func usesFollowTheFile() throws {
  let rings = try Replaced()
  let root = RootSecret(rings.former)
  let (authority, internalSecret) = (TokenAuthority(root: root), InternalSecret(root: root))
  let key = SealingKey(mailOf: root)
  let place = SealContext(table: "t", column: "c", row: SealRow(1))
  let old = (token: authority.issue(.session), sealed: key.seal("old", for: place))

  root.use(rings.both)
  #expect(root.identifier == rings.new.identifiers[0])
  #expect(try authority.verify(old.token.text.utf8.span).hash == old.token.hash)
  #expect(try key.openText(old.sealed.span, for: place) == "old")
  let new = (token: authority.issue(.session), sealed: key.seal("new", for: place))

  root.use(rings.new)
  #expect(try authority.verify(old.token.text.utf8.span).hash == old.token.hash)
  #expect(throws: CryptographyError.sealedValueRefused) {
    try key.openText(old.sealed.span, for: place)
  }
  #expect(try authority.verify(new.token.text.utf8.span).hash == new.token.hash)
  #expect(try key.openText(new.sealed.span, for: place) == "new")
  func accepts(_ ring: RootKeyRing) -> Bool {
    InternalSecret(root: RootSecret(ring)).withHeaderValue { internalSecret.matches($0) }
  }
  #expect(accepts(rings.new))
  #expect(!accepts(rings.former))
}
