import Cryptography
import Testing

private let known = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
private let identifier = "msg_p5jXN8AQM9LWM0D4loKWxJek"
private let timestamp: Int64 = 1_614_265_330
private let body = "{\"test\": 2432232314}"
private let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

@Test("a callback is signed as in the Standard Webhooks specification")
func callbackIsSignedAsSpecified() throws {
  let secret = try WebhookSecret(known.utf8.span)
  #expect(secret.text == known)
  #expect(
    secret.signature(identifier: identifier, timestamp: timestamp, body: body.utf8.span)
      == signature)
}

@Test("one valid signature among several is enough, and another text, time or name is invalid")
func signaturesAreVerified() throws {
  let secret = try WebhookSecret(known.utf8.span)
  func isRight(
    _ header: String, _ name: String = identifier, _ time: Int64 = timestamp,
    _ text: String = body, under secret: WebhookSecret = secret
  ) -> Bool {
    secret.verify(header: header, identifier: name, timestamp: time, body: text.utf8.span)
  }
  #expect(isRight(signature))
  #expect(isRight("v1a,AAAA v1,AAAA \(signature)"))
  #expect(isRight(String(repeating: "x ", count: 15) + signature))
  #expect(!isRight(String(repeating: "x ", count: 16) + signature))
  #expect(!isRight(""))
  #expect(!isRight(String(signature.dropLast())))
  #expect(!isRight(signature, identifier + "x"))
  #expect(!isRight(signature, identifier, timestamp + 1))
  #expect(!isRight(signature, identifier, timestamp, body + " "))
  #expect(!isRight(signature, under: .random()))
}

@Test("a new callback secret reads back from its text, padded or not")
func newSecretReadsBack() throws {
  let secret = WebhookSecret.random()
  let expected = secret.signature(identifier: "a", timestamp: 1, body: Span())
  for text in [secret.text, secret.text.replacing("=", with: "")] {
    let read = try WebhookSecret(text.utf8.span)
    #expect(read.signature(identifier: "a", timestamp: 1, body: Span()) == expected)
  }
  #expect(!"\(secret)".contains(secret.text))
}

@Test("callback secrets of 24 and 64 bytes are accepted, of 23 and 65 rejected")
func secretLengthIsLimited() throws {
  // 24 bytes are 32 characters, 23 are 31; 64 are 86, 65 are 87.
  for count in [32, 86] {
    _ = try WebhookSecret(("whsec_" + String(repeating: "A", count: count)).utf8.span)
  }
  for count in [0, 31, 87, 500] {
    #expect(throws: CryptographyError.webhookSecretMalformed) {
      try WebhookSecret(("whsec_" + String(repeating: "A", count: count)).utf8.span)
    }
  }
}

@Test(
  "a callback secret with another prefix, alphabet or padding is malformed",
  arguments: [
    "", "whsec", "whsec_", "wHsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_==",
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS-", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw=",
    "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS\u{0}",
  ])
func oddSecretsAreMalformed(_ text: String) {
  #expect(throws: CryptographyError.webhookSecretMalformed) { try WebhookSecret(text.utf8.span) }
}
