import Cryptography
import Requirements
import Testing

private let cheap = PasswordHashCost(memoryKiB: 64, passes: 1, lanes: 1)!

@Test("Argon2id yields the answers of its reference implementation", .tags(.NFR_5))
func passwordHashGivesPublishedAnswers() throws {
  // phc-winner-argon2, src/test.c: hashtest(0x13, 2, 16 and 8, 1, "password", "somesalt").
  let hasher = PasswordHasher(cost: cheap)
  let stored = """
    $argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc
    """
  #expect(try hasher.verify(SecretBytes(utf8: "password"), against: stored))
  #expect(try !hasher.verify(SecretBytes(utf8: "passwore"), against: stored))
  let cost = try #require(PasswordHashCost(memoryKiB: 256, passes: 2, lanes: 1))
  let tag = try Argon2id.derive(
    from: SecretBytes(utf8: "password"), salt: "somesalt".utf8.span, cost: cost, count: 32)
  #expect(tag == hex("9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe"))
}

@Test("the standard cost is Argon2id with 19456 KiB, two passes, one lane", .tags(.NFR_5))
func standardCostIsAsDecided() throws {
  let hasher = PasswordHasher()
  let stored = try hasher.hash(SecretBytes(utf8: "correct horse"))
  #expect(stored.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
  let read = try PasswordHash(stored)
  #expect(read.salt.count == 16)
  #expect(read.tag.count == 32)
  #expect(read.text == stored)
  #expect(try hasher.verify(SecretBytes(utf8: "correct horse"), against: stored))
  #expect(!hasher.needsRehash(stored))
}

@Test("only the same password is accepted, and equal passwords hash differently", .tags(.NFR_5))
func onlyTheVeryPasswordIsRight() throws {
  let hasher = PasswordHasher(cost: cheap)
  let stored = try hasher.hash(SecretBytes(utf8: "pässword"))
  #expect(try hasher.hash(SecretBytes(utf8: "pässword")) != stored)
  #expect(try hasher.verify(SecretBytes(utf8: "pässword"), against: stored))
  for wrong in ["", "pässwor", "pässword ", "Pässword", "pässword\u{0}"] {
    #expect(try !hasher.verify(SecretBytes(utf8: wrong), against: stored))
  }
}

@Test("an unknown user's password is rejected, whatever it is", .tags(.NFR_5))
func unknownUserIsWrong() throws {
  let hasher = PasswordHasher(cost: cheap)
  for password in ["", "password"] {
    #expect(try !hasher.verify(SecretBytes(utf8: password), against: nil))
  }
}

@Test("a hash with another cost, salt or tag length needs a rehash")
func otherCostNeedsRehash() throws {
  let stored = try PasswordHasher(cost: cheap).hash(SecretBytes(utf8: "password"))
  #expect(!PasswordHasher(cost: cheap).needsRehash(stored))
  #expect(PasswordHasher().needsRehash(stored))
  #expect(PasswordHasher(cost: cheap).needsRehash("$2b$12$abcdefghijklmnopqrstuv"))
  let short = PasswordHash(
    cost: cheap, salt: secureRandom(count: 8), tag: secureRandom(count: 32))
  #expect(PasswordHasher(cost: cheap).needsRehash(short.text))
}

@Test(
  "a stored hash of a different form is malformed, and is rejected without hashing",
  arguments: [
    "", "$", "password", "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ",
    "$argon2i$v=19$m=64,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
    "$argon2id$v=16$m=64,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
    "$argon2id$v=19$m=7,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
    "$argon2id$v=19$m=1048577,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
    "$argon2id$v=19$m=64,t=0,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
    "$argon2id$v=19$m=64,t=65,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
    "$argon2id$v=19$m=9999999999,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
    "$argon2id$v=19$m=64,t=1,p=17$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
    "$argon2id$v=19$t=1,m=64,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
    "$argon2id$v=19$m=64,t=1,p=1$c29tZXNh$AAAAAAAAAAAAAAAAAAAAAA",
    "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAA",
    "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ=$AAAAAAAAAAAAAAAAAAAAAA",
    "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA$",
    "$argon2id$v=19$m=64,t=1,p=1$" + String(repeating: "A", count: 300) + "$AAAA",
  ])
func foreignHashIsMalformed(_ stored: String) {
  let password = SecretBytes(utf8: "password")
  #expect(throws: CryptographyError.passwordHashMalformed) {
    try PasswordHasher(cost: cheap).verify(password, against: stored)
  }
}

@Test("costs are accepted within the limits and rejected beyond")
func costsAreLimited() {
  #expect(PasswordHashCost(memoryKiB: 8, passes: 1, lanes: 1) != nil)
  #expect(PasswordHashCost(memoryKiB: 7, passes: 1, lanes: 1) == nil)
  #expect(PasswordHashCost(memoryKiB: 15, passes: 1, lanes: 2) == nil)
  #expect(PasswordHashCost(memoryKiB: 1_048_576, passes: 64, lanes: 16) != nil)
  #expect(PasswordHashCost(memoryKiB: 1_048_577, passes: 1, lanes: 1) == nil)
  #expect(PasswordHashCost(memoryKiB: 1_024, passes: 65, lanes: 1) == nil)
  #expect(PasswordHashCost(memoryKiB: 1_024, passes: 1, lanes: 17) == nil)
  #expect(PasswordHashCost(memoryKiB: 1_024, passes: 1, lanes: 0) == nil)
}
