import Cryptography
import Requirements
import Testing

@Test("an identifier always has one blind value under one root, kind and text", .tags(.NFR_5))
func blindValuesAreStable() {
  let root = RootSecret.random()
  let index = BlindIndex(.email, root: root)
  let value = index.value(of: "someone@example.org")
  #expect(BlindIndex(.email, root: root).value(of: "someone@example.org") == value)
  #expect(index.value(of: "Someone@example.org") != value)
  #expect(BlindIndex(.email, root: .random()).value(of: "someone@example.org") != value)
  let kinds: [BlindIndex.Kind] = [
    .email, .fiscalCode, .vatNumber, .companyName, .diseaseCode, .positionCell,
  ]
  let values = kinds.map { BlindIndex($0, root: root).value(of: "someone@example.org") }
  #expect(Set(values).count == kinds.count)
}

@Test("an audit chain detects a changed, swapped, dropped or inserted entry", .tags(.NFR_6))
func auditChainNoticesChanges() {
  let chain = AuditChain(root: .random())
  func head(_ entries: [String], subject: Int64 = 7) -> AuditLink {
    entries.reduce(chain.start(subject: subject)) { chain.link(after: $0, entry: $1.utf8.span) }
  }
  let entries = ["first", "second", "third"]
  let expected = head(entries)
  #expect(head(entries) == expected)
  #expect(head(["first", "Second", "third"]) != expected)
  #expect(head(["second", "first", "third"]) != expected)
  #expect(head(["first", "third"]) != expected)
  #expect(head(["first", "second"]) != expected)
  #expect(head(["first", "second", "third", ""]) != expected)
  #expect(head(["firstsecond", "third"]) != expected)
  #expect(head(entries, subject: 8) != expected)
}

@Test("an audit chain cannot be computed without the key", .tags(.NFR_6))
func auditChainNeedsItsKey() throws {
  let chain = AuditChain(root: .random())
  let link = chain.link(after: chain.start(subject: 1), entry: "entry".utf8.span)
  let other = AuditChain(root: .random())
  #expect(other.link(after: chain.start(subject: 1), entry: "entry".utf8.span) != link)
  #expect(try AuditLink(bytes: link.bytes.span) == link)
}

@Test("the internal secret is the same only for the processes of one installation")
func internalSecretIsShared() {
  let root = RootSecret.random()
  let secret = InternalSecret(root: root)
  let value = secret.withHeaderValue { span in span.indices.map { span[$0] } }
  func isShown(_ value: [UInt8], to secret: InternalSecret) -> Bool { secret.matches(value.span) }
  #expect(value.count == 64)
  #expect(isShown(value, to: InternalSecret(root: root)))
  #expect(!isShown(value, to: InternalSecret(root: .random())))
  for index in value.indices {
    var changed = value
    changed[index] ^= 1
    #expect(!isShown(changed, to: secret))
    #expect(!isShown(Array(value[..<index]), to: secret))
  }
  #expect("\(secret)" == "InternalSecret")
}

@Test("a stored response opens only with the same account, path and client's key")
func keptAnswerOpensForItsKey() throws {
  let keys = IdempotencyKeys(root: .random())
  let place = SealContext(table: "idempotent_answers", column: "answer", row: SealRow(1))
  let own = keys.answer(account: 7, path: "/a".utf8.span, clientKey: "bc".utf8.span)
  let sealed = own.sealingKey.seal("answer", for: place)
  let again = keys.answer(account: 7, path: "/a".utf8.span, clientKey: "bc".utf8.span)
  #expect(again.name == own.name)
  #expect(try again.sealingKey.openText(sealed.span, for: place) == "answer")
  let others = [
    keys.answer(account: 8, path: "/a".utf8.span, clientKey: "bc".utf8.span),
    keys.answer(account: 7, path: "/ab".utf8.span, clientKey: "c".utf8.span),
    keys.answer(account: 7, path: "/a".utf8.span, clientKey: "bd".utf8.span),
    IdempotencyKeys(root: .random())
      .answer(account: 7, path: "/a".utf8.span, clientKey: "bc".utf8.span),
  ]
  for other in others {
    #expect(other.name != own.name)
    #expect(throws: CryptographyError.sealedValueRefused) {
      try other.sealingKey.open(sealed.span, for: place)
    }
  }
}

@Test("bytes compare equal only if all bytes and their number are equal")
func constantTimeComparison() {
  func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    areEqualInConstantTime(left.span, right.span)
  }
  #expect(areEqual([1, 2, 3], [1, 2, 3]))
  #expect(areEqual([], []))
  #expect(!areEqual([1, 2, 3], [1, 2]))
  #expect(!areEqual([1, 2, 3], [1, 2, 131]))
  #expect(!areEqual([1, 2, 3], [0, 2, 3]))
}
