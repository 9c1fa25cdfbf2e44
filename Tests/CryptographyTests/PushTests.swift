import Bytes
import COpenSSL
import Cryptography
import Requirements
import Testing

/// Bytes of base64url.
private func bytes(_ text: String) throws -> [UInt8] {
  let decoded = Base64.url.decode(text.utf8.span)
  return try #require(decoded)
}

private func text(_ bytes: [UInt8]) -> String {
  var text: [UInt8] = []
  Base64.url.append(bytes.span, to: &text)
  return String(decoding: text, as: UTF8.self)
}

/// Whether a signature of two numbers fits a public key, by OpenSSL's check of ASN.1 signatures.
private func verifies(_ signature: [UInt8], of message: String, by point: [UInt8]) -> Bool {
  // SAFETY: all objects are created and freed here, and the pointers stay within their buffers.
  let head: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
  ]
  func number(_ half: ArraySlice<UInt8>) -> [UInt8] {
    let short = Array(half.drop { $0 == 0 })
    let signed = (short.first ?? 0x80) & 0x80 == 0 ? short : [0] + short
    return [0x02, UInt8(signed.count)] + signed
  }
  let numbers = number(signature.prefix(32)) + number(signature.suffix(32))
  let encoded = [0x30, UInt8(numbers.count)] + numbers
  let content = Array(message.utf8)
  return unsafe (head + point).withUnsafeBufferPointer { key in
    var start = key.baseAddress
    guard let key = unsafe d2i_PUBKEY(nil, &start, key.count), let context = unsafe EVP_MD_CTX_new()
    else { return false }
    defer {
      unsafe EVP_MD_CTX_free(context)
      unsafe EVP_PKEY_free(key)
    }
    return unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
      && EVP_DigestVerify(context, encoded, encoded.count, content, content.count) == 1
  }
}

@Suite("Push messages")
struct PushTests {
  @Test("a record has the bytes of RFC 8188, 3.1", .tags(.NTF_2))
  func contentCoding() throws {
    let key = try bytes("yqdlZ-tYemfogSmv7Ws5PQ")
    let material = SecretBytes(copying: key.span)
    let salt = try bytes("I1BsxtFttlv3u_Oo94xnmw")
    let encrypted = EncryptedContent.encrypted(
      "I am the walrus".utf8.span, material: material, salt: salt.span, keyIdentifier: Span())
    let published =
      "I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg"
    #expect(text(encrypted) == published)
  }

  @Test("an encrypted message has the bytes of RFC 8291, appendix A", .tags(.NTF_2))
  func message() throws {
    let key = try bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")
    let sender = SecretBytes(copying: key.span)
    let point = try bytes(
      "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")
    let secret = try bytes("BTBZMqHH6r4Tts7J_aSIgg")
    let recipient = try #require(PushRecipient(point: point, secret: secret))
    let encrypted = recipient.encrypted(
      "When I grow up, I want to be a watermelon".utf8.span, sender: sender,
      salt: try bytes("DGv6ra1nlYgDCS1FRnbzlw"))
    let published =
      "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmY"
      + "WAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexS"
      + "gSxsj_Qulcy4a-fN"
    #expect(encrypted.map(text) == published)
  }

  @Test("messages are padded to one length, and are refused above the limit", .tags(.NTF_2))
  func lengths() throws {
    let browser = try #require(P256Key(secret: P256Key.randomSecret()))
    let recipient = try #require(
      PushRecipient(point: browser.point, secret: [UInt8](repeating: 7, count: 16)))
    func length(_ count: Int) -> Int? {
      recipient.encrypted([UInt8](repeating: 65, count: count).span)?.count
    }
    #expect(length(1) == 1024 + 86 + 17)
    #expect(length(1024) == 1024 + 86 + 17)
    #expect(length(1025) == 1025 + 86 + 17)
    #expect(length(PushRecipient.messageBytesMax) == 4096)
    #expect(length(PushRecipient.messageBytesMax + 1) == nil)
    let (first, second) = (recipient.encrypted([65].span), recipient.encrypted([65].span))
    #expect(first != second)
  }

  @Test("points off the curve, and secrets of a different length, are refused", .tags(.NTF_2))
  func keysOfBrowsers() throws {
    let browser = try #require(P256Key(secret: P256Key.randomSecret()))
    let secret = [UInt8](repeating: 7, count: 16)
    #expect(PushRecipient(point: browser.point, secret: secret) != nil)
    #expect(PushRecipient(point: browser.point, secret: secret + [7]) == nil)
    #expect(PushRecipient(point: browser.point, secret: Array(secret.dropLast())) == nil)
    var moved = browser.point
    moved[64] ^= 1
    #expect(PushRecipient(point: moved, secret: secret) == nil)
    #expect(PushRecipient(point: [4] + [UInt8](repeating: 0, count: 64), secret: secret) == nil)
    #expect(PushRecipient(point: [0], secret: secret) == nil)
    #expect(PushRecipient(point: [], secret: secret) == nil)
    let compressed = [2 + (browser.point[64] & 1)] + browser.point[1...32]
    #expect(PushRecipient(point: compressed, secret: secret) == nil)
  }

  @Test("secret numbers are from 1 to the order of the curve less 1", .tags(.NTF_2))
  func range() {
    // FIPS 186-5; SP 800-186, 3.2.1.3: the order of the curve.
    let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
    let last = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550"
    #expect(P256Key(secret: secret(String(repeating: "0", count: 64))) == nil)
    #expect(P256Key(secret: secret(order)) == nil)
    #expect(P256Key(secret: secret(last)) != nil)
    #expect(P256Key(secret: secret(String(repeating: "0", count: 63) + "1")) != nil)
    #expect(P256Key(secret: secret("01")) == nil)
  }

  @Test("both sides of an exchange have the same secret", .tags(.NTF_2))
  func exchange() throws {
    let first = try #require(P256Key(secret: P256Key.randomSecret()))
    let second = try #require(P256Key(secret: P256Key.randomSecret()))
    func bytes(_ key: P256Key, _ point: [UInt8]) -> [UInt8]? {
      key.sharedSecret(with: point.span)?.withBytes { span in span.indices.map { span[$0] } }
    }
    let shared = try #require(bytes(first, second.point))
    #expect(bytes(second, first.point) == shared)
    #expect(bytes(first, [4]) == nil)
  }

  @Test("the authorization names origin, end and contact, and its signature fits", .tags(.NTF_2))
  func authorization() throws {
    let key = PushKey.random()
    for _ in 0..<20 {
      let value = key.authorization(
        for: "https://push.example.net", until: 1_453_523_768, contact: "mailto:push@example.com")
      let parts = value.split(separator: " ")
      try #require(parts.count == 3 && parts[0] == "vapid")
      #expect(parts[2] == "k=\(key.publicText)")
      let token = parts[1].dropFirst(2).dropLast().split(separator: ".").map(String.init)
      try #require(token.count == 3)
      let head = String(decoding: try bytes(token[0]), as: UTF8.self)
      #expect(head == #"{"typ":"JWT","alg":"ES256"}"#)
      let claims = String(decoding: try bytes(token[1]), as: UTF8.self)
      #expect(
        claims
          == #"{"aud":"https://push.example.net","exp":1453523768,"sub":"mailto:push@example.com"}"#
      )
      let signature = try bytes(token[2])
      #expect(signature.count == P256Key.signatureBytes)
      #expect(verifies(signature, of: "\(token[0]).\(token[1])", by: key.point))
      #expect(!verifies(signature, of: "\(token[0]).\(token[1])x", by: key.point))
    }
  }

  @Test("the file of the key for push services is read as it was written", .tags(.NTF_2))
  func file() throws {
    let key = PushKey.random()
    let file = KeyFile.text(of: key).withBytes { span in span.indices.map { span[$0] } }
    let read = try KeyFile.pushKey(file.span)
    #expect(read.point == key.point)
    #expect(read.identifier == key.identifier)
    #expect(throws: CryptographyError.keyFileMalformed(line: 4)) {
      try KeyFile.pushKey((file + file).span)
    }
    let other = KeyFile.text(of: .random() as PushKey)
    let both = file + other.withBytes { span in span.indices.map { span[$0] } }
    #expect(throws: CryptographyError.keyFileCountWrong) { try KeyFile.pushKey(both.span) }
    #expect(throws: CryptographyError.keyFileMalformed(line: 2)) {
      try KeyFile.rootKeys(file.span)
    }
  }
}
