import Cryptography
import Requirements
import Testing

private func bytes(of secret: SecretBytes) -> [UInt8] {
  secret.withBytes { span in span.indices.map { span[$0] } }
}

@Test("a secret shows only its length")
func secretIsRedacted() {
  let secret = SecretBytes(utf8: "hunter2")
  var dumped = ""
  dump([secret], to: &dumped)
  for text in ["\(secret)", String(reflecting: secret), dumped] {
    #expect(!text.contains("hunter2"))
    #expect(!text.contains("104"))
  }
  #expect("\(secret)" == "SecretBytes(7 bytes)")
  #expect(bytes(of: secret) == Array("hunter2".utf8))
}

@Test("the source array of a secret is empty afterwards")
func consumedArrayIsEmpty() {
  var source: [UInt8] = [1, 2, 3]
  let secret = SecretBytes(consuming: &source)
  #expect(source.isEmpty)
  #expect(bytes(of: secret) == [1, 2, 3])
  #expect(SecretBytes(copying: Span()).count == 0)
}

@Test("keys that do not have 32 bytes are rejected", arguments: [0, 31, 33])
func wrongLengthIsRefused(_ count: Int) {
  let bytes = SecretBytes(copying: [UInt8](repeating: 1, count: count).span)
  #expect(throws: CryptographyError.keyLengthWrong(expected: 32)) { try AccountKey(bytes) }
  #expect(throws: CryptographyError.keyLengthWrong(expected: 32)) { try MasterKey(bytes) }
  #expect(throws: CryptographyError.keyLengthWrong(expected: 32)) { try RootKey(bytes) }
}

@Test("a wrapped account key unwraps to the same key", .tags(.NFR_5))
func wrappedKeyUnwraps() throws {
  let ring = MasterKeyRing.random()
  let key = AccountKey.random()
  let wrapped = KeyWrapper(ring).wrap(key, account: 7)
  #expect(wrapped.count == KeyWrapper.wrappedBytes)
  let place = SealContext(table: "accounts", column: "email", row: SealRow(7))
  let sealed = SealingKey(key).seal("text", for: place)
  let unwrapped = try KeyWrapper(ring).unwrap(wrapped.span, account: 7)
  #expect(try SealingKey(unwrapped).openText(sealed.span, for: place) == "text")
}

@Test("a wrapped key is rejected for another account, changed or truncated", .tags(.NFR_5))
func foreignWrappedKeyIsRefused() {
  let wrapper = KeyWrapper(.random())
  let wrapped = wrapper.wrap(.random(), account: 7)
  #expect(throws: CryptographyError.sealedValueRefused) {
    try wrapper.unwrap(wrapped.span, account: 8)
  }
  for index in wrapped.indices {
    var changed = wrapped
    changed[index] ^= 0x80
    let expected: CryptographyError =
      index == 0 ? .wrappedKeyMalformed : index < 9 ? .masterKeyUnknown : .sealedValueRefused
    #expect(throws: expected) { try wrapper.unwrap(changed.span, account: 7) }
    #expect(throws: CryptographyError.wrappedKeyMalformed) {
      try wrapper.unwrap(wrapped.span.extracting(first: index), account: 7)
    }
  }
}

@Test(
  "after a rotation old wraps open, and once they are rewrapped the old key can be removed",
  .tags(.NFR_5))
func masterKeysRotate() throws {
  let old = MasterKeyRing.random()
  let key = AccountKey.random()
  let wrapped = KeyWrapper(old).wrap(key, account: 7)
  let ring = try old.rotated()
  let wrapper = KeyWrapper(ring)
  let again = wrapper.wrap(try wrapper.unwrap(wrapped.span, account: 7), account: 7)
  let pruned = ring.keeping([try KeyWrapper.masterKey(of: again.span)])
  #expect(pruned.identifiers == [ring.identifiers[0]])
  #expect(throws: CryptographyError.masterKeyUnknown) {
    try KeyWrapper(pruned).unwrap(wrapped.span, account: 7)
  }
  _ = try KeyWrapper(pruned).unwrap(again.span, account: 7)
}

@Test("a master key file reads back as it was written, newest first", .tags(.NFR_5))
func masterKeyFileReadsBack() throws {
  let ring = try MasterKeyRing.random().rotated().rotated()
  let file = bytes(of: KeyFile.text(of: ring))
  #expect(try KeyFile.masterKeys(file.span).identifiers == ring.identifiers)
  let wrapped = KeyWrapper(ring).wrap(.random(), account: 1)
  _ = try KeyWrapper(KeyFile.masterKeys(file.span)).unwrap(wrapped.span, account: 1)
  #expect(throws: CryptographyError.keyFileMalformed(line: 3)) { try KeyFile.rootKeys(file.span) }
}

@Test("a root secret file reads back as it was written, the secret in use first", .tags(.OPS_6))
func rootSecretFileReadsBack() throws {
  let ring = try RootKeyRing.random().announcing()
  let file = bytes(of: KeyFile.text(of: ring))
  let token = TokenAuthority(root: RootSecret(ring)).issue(.apiKey)
  let read = try KeyFile.rootKeys(file.span)
  #expect(read.identifiers == ring.identifiers)
  let authority = TokenAuthority(root: RootSecret(read.removingFormer()))
  #expect(try authority.verify(token.text.utf8.span).hash == token.hash)
  #expect(throws: CryptographyError.keyFileMalformed(line: 8)) {
    try KeyFile.rootKeys((file + file).span)
  }
}

@Test("a key file damaged anywhere in a key line is rejected with its line")
func damagedKeyFileIsRefused() throws {
  let file = bytes(of: KeyFile.text(of: MasterKeyRing.random()))
  let start = try #require(file.lastIndex(of: UInt8(ascii: "#")))
  let line = try #require(file[start...].firstIndex(of: UInt8(ascii: "\n"))) + 1
  for index in line..<file.count - 1 {
    var changed = file
    changed[index] = changed[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
    #expect(throws: CryptographyError.keyFileMalformed(line: 3)) {
      try KeyFile.masterKeys(changed.span)
    }
  }
}

@Test("a duplicate key, an empty file and an endless one are rejected")
func oddKeyFilesAreRefused() throws {
  let file = bytes(of: KeyFile.text(of: MasterKeyRing.random()))
  #expect(throws: CryptographyError.keyFileMalformed(line: 6)) {
    try KeyFile.masterKeys((file + file).span)
  }
  #expect(throws: CryptographyError.keyFileCountWrong) { try KeyFile.masterKeys(Span()) }
  #expect(throws: CryptographyError.keyFileCountWrong) {
    try KeyFile.masterKeys("\n# x\n".utf8.span)
  }
  let limit = [UInt8](repeating: UInt8(ascii: "\n"), count: KeyFile.bytesMax)
  #expect(throws: CryptographyError.keyFileCountWrong) { try KeyFile.masterKeys(limit.span) }
  #expect(throws: CryptographyError.keyFileMalformed(line: 1)) {
    try KeyFile.masterKeys((limit + [10]).span)
  }
}

@Test("a ring holds 64 master keys and rejects a 65th, and fits its file")
func ringIsLimited() throws {
  var ring = MasterKeyRing.random()
  for _ in 1..<KeyFile.keysMax { ring = try ring.rotated() }
  #expect(ring.identifiers.count == 64)
  let file = bytes(of: KeyFile.text(of: ring))
  #expect(try KeyFile.masterKeys(file.span).identifiers == ring.identifiers)
  #expect(throws: CryptographyError.keyFileCountWrong) { try ring.rotated() }
  #expect(throws: CryptographyError.keyFileCountWrong) { try MasterKeyRing(newestFirst: []) }
}
