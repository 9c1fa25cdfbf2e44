import Cryptography
import Requirements
import Testing

/// One published answer of AES-256-GCM: test cases 13 to 16 of McGrew and Viega's specification,
/// as submitted to NIST.
struct GCMCase: Sendable {
  let key: String
  let nonce: String
  var plaintext = ""
  var associated = ""
  var ciphertext = ""
  let tag: String

  static let zeroKey = String(repeating: "00", count: 32)
  static let key = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
  static let plaintext = """
    d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
    1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
    """
  static let ciphertext = """
    522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
    8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
    """
  static let all = [
    GCMCase(
      key: zeroKey, nonce: "000000000000000000000000", tag: "530f8afbc74536b9a963b4f1c4cb738b"),
    GCMCase(
      key: zeroKey, nonce: "000000000000000000000000",
      plaintext: "00000000000000000000000000000000",
      ciphertext: "cea7403d4d606b6e074ec5d3baf39d18", tag: "d0d1c8a799996bf0265b98b5d48ab919"),
    GCMCase(
      key: key, nonce: "cafebabefacedbaddecaf888", plaintext: plaintext + "1aafd255",
      ciphertext: ciphertext + "898015ad", tag: "b094dac5d93471bdec1a502270e3cc6c"),
    GCMCase(
      key: key, nonce: "cafebabefacedbaddecaf888", plaintext: plaintext,
      associated: "feedfacedeadbeeffeedfacedeadbeefabaddad2", ciphertext: ciphertext,
      tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
  ]
}

@Test(
  "AES-256-GCM yields the answers of its specification", .tags(.NFR_5), arguments: GCMCase.all)
func cipherGivesPublishedAnswers(_ known: GCMCase) throws {
  let cipher = AESGCM(key: secret(known.key))
  let expected = hex(known.nonce) + hex(known.ciphertext) + hex(known.tag)
  for _ in 0..<2 {  // The second round uses the contexts again.
    var sealed: [UInt8] = []
    cipher.seal(
      hex(known.plaintext).span, nonce: hex(known.nonce).span,
      associated: hex(known.associated).span, into: &sealed)
    #expect(sealed == expected)
    var opened: [UInt8] = []
    try cipher.open(sealed.span, associated: hex(known.associated).span, into: &opened)
    #expect(opened == hex(known.plaintext))
  }
}

@Test("AES-256 of single blocks yields the answer of FIPS 197, for each block alike")
func blocksGivePublishedAnswers() {
  let cipher = AESBlocks(
    key: secret("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"))
  let block: [UInt64] = [0x7766_5544_3322_1100, 0xFFEE_DDCC_BBAA_9988]
  let answer: [UInt64] = [0xBF45_6751_CAB7_A28E, 0x8960_494B_9049_FCEA]
  for count in [0, 1, 3] {
    var blocks = Array(repeating: block, count: count).flatMap(\.self)
    cipher.encrypt(&blocks)
    #expect(blocks == Array(repeating: answer, count: count).flatMap(\.self))
  }
}

@Test("SHA-256 yields the answers of FIPS 180-4")
func hashGivesPublishedAnswers() {
  #expect(
    SHA256.digest(of: "abc".utf8.span).bytes
      == hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
  #expect(
    SHA256.digest(of: Span()).bytes
      == hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
}

@Test("SHA-256 of a message in parts equals that of the whole, and restarts afterwards")
func runningHashGivesPublishedAnswers() {
  let hash = RunningSHA256()
  let nothing = hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  #expect(hash.finish().bytes == nothing)
  // FIPS 180-4's example of two blocks, split at every position.
  let message = Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)
  let answer = hex("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
  for cut in 0...message.count {
    let (first, second) = (Array(message[..<cut]), Array(message[cut...]))
    hash.append(first.span)
    hash.append(second.span)
    #expect(hash.finish().bytes == answer)
  }
  // A million times the letter a, which exceeds a buffer.
  let letters = Array(repeating: UInt8(ascii: "a"), count: 1000)
  for _ in 0..<1000 { hash.append(letters.span) }
  #expect(
    hash.finish().bytes
      == hex("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"))
  #expect(hash.finish().bytes == nothing)
}

/// One published answer of HMAC-SHA256 (RFC 4231, section 4).
struct HMACCase: Sendable {
  let key: [UInt8]
  let message: [UInt8]
  let code: String

  static let all = [
    HMACCase(
      key: Array(repeating: 0x0b, count: 20), message: Array("Hi There".utf8),
      code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    HMACCase(
      key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
      code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    HMACCase(
      key: Array(repeating: 0xaa, count: 20), message: Array(repeating: 0xdd, count: 50),
      code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    HMACCase(
      key: Array(1...25), message: Array(repeating: 0xcd, count: 50),
      code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    HMACCase(
      key: Array(repeating: 0xaa, count: 131),
      message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    HMACCase(
      key: Array(repeating: 0xaa, count: 131),
      message: Array(
        """
        This is a test using a larger than block-size key and a larger than block-size data. \
        The key needs to be hashed before being used by the HMAC algorithm.
        """.utf8),
      code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
  ]
}

@Test("HMAC-SHA256 yields the answers of RFC 4231, in one piece and split", arguments: HMACCase.all)
func authenticationCodeGivesPublishedAnswers(_ known: HMACCase) {
  let key = HMACKey(known.key.span)
  #expect(key.code(of: known.message.span).bytes == hex(known.code))
  for cut in 0...known.message.count {
    let first = known.message.span.extracting(first: cut)
    let second = known.message.span.extracting(droppingFirst: cut)
    #expect(key.code(of: first, then: second).bytes == hex(known.code))
  }
}

/// One published answer of HKDF-SHA256 (RFC 5869, appendix A).
struct HKDFCase: Sendable {
  let material: [UInt8]
  let salt: [UInt8]
  let info: [UInt8]
  let output: String

  static let all = [
    HKDFCase(
      material: Array(repeating: 0x0b, count: 22), salt: Array(0...0x0c),
      info: Array(0xf0...0xf9),
      output: """
        3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865
        """),
    HKDFCase(
      material: Array(0...0x4f), salt: Array(0x60...0xaf), info: Array(0xb0...0xff),
      output: """
        b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41
        c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87
        """),
    HKDFCase(
      material: Array(repeating: 0x0b, count: 22), salt: [], info: [],
      output: """
        8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8
        """),
  ]
}

@Test("HKDF-SHA256 yields the answers of RFC 5869", arguments: HKDFCase.all)
func keyDerivationGivesPublishedAnswers(_ known: HKDFCase) {
  let key = HKDF.extract(salt: known.salt.span, material: known.material.span)
  let expected = hex(known.output)
  let output = HKDF.expand(key, info: known.info.span, count: expected.count)
  #expect(output.withBytes { areEqualInConstantTime($0, expected.span) })
}

@Test("keys for different purposes differ, and the same root yields the same keys")
func purposesHaveKeysOfTheirOwn() {
  let root = RootSecret.random()
  var seen: Set<[UInt8]> = []
  for purpose in KeyPurpose.allCases {
    let key = root.key(for: purpose).withBytes { span in span.indices.map { span[$0] } }
    #expect(key.count == 32)
    #expect(seen.insert(key).inserted)
    #expect(root.key(for: purpose).withBytes { areEqualInConstantTime($0, key.span) })
    #expect(
      !RootSecret.random().key(for: purpose).withBytes { areEqualInConstantTime($0, key.span) })
  }
}
