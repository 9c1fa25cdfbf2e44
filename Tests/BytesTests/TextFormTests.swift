import Bytes
import Cryptography
import Support
import Testing

@Test("base64 yields the answers of RFC 4648 without padding")
func base64GivesPublishedAnswers() {
  let known = [
    "": "", "f": "Zg", "fo": "Zm8", "foo": "Zm9v", "foob": "Zm9vYg", "fooba": "Zm9vYmE",
    "foobar": "Zm9vYmFy",
  ]
  for (text, encoded) in known {
    var output: [UInt8] = []
    Base64.standard.append(text.utf8.span, to: &output)
    #expect(output == Array(encoded.utf8))
    #expect(Base64.url.decode(encoded.utf8.span) == Array(text.utf8))
  }
}

@Test("every six bits have their character and every other character is rejected")
func base64AlphabetsAreComplete() {
  let common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
  for (alphabet, last) in [(Base64.standard, "+/"), (Base64.url, "-_")] {
    let characters = Array((common + last).utf8)
    for (bits, character) in characters.enumerated() {
      #expect(alphabet.character(UInt32(bits)) == character)
      #expect(alphabet.value(character) == Int32(bits))
    }
    for code in UInt8.min ... .max where !characters.contains(code) {
      #expect(alphabet.value(code) < 0)
    }
  }
}

@Test("base64 with surplus bits or one character too many is rejected")
func base64IsCanonical() {
  for text in ["Zh", "Zm9", "Zm9vY", "Z", "Zm9v=", "Zm 9"] {
    #expect(Base64.standard.decode(text.utf8.span) == nil, "\(text)")
  }
}

@Test("random bytes survive base64 and hexadecimal")
func randomBytesSurviveText() {
  var generator = SeededRandom()
  for count in 0..<100 {
    let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    var text: [UInt8] = []
    Base64.url.append(bytes.span, to: &text)
    #expect(Base64.url.decode(text.span) == bytes)
    #expect(Hexadecimal.decode(Hexadecimal.encode(bytes.span).utf8.span) == bytes)
  }
}

@Test("eight hexadecimal digits at once are those of the number")
func hexadecimalDigitsAtOnce() {
  var generator = SeededRandom()
  let values: [UInt32] = [0, 9, 10, 15, 16, 0x9A9A_A9A9, .max]
  for value in values + (0..<1000).map({ _ in UInt32.random(in: 0...(.max), using: &generator) }) {
    let digits = Hexadecimal.digits(value)
    let bytes = (0..<8).map { UInt8(digits >> (56 - 8 * $0) & 0xFF) }
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(UInt32(text, radix: 16) == value && text == text.lowercased())
    #expect(Hexadecimal.value(digits: digits) == value)
  }
}

@Test("eight hexadecimal digits are read at once only if each is one")
func hexadecimalDigitsAreCheckedAtOnce() {
  for place in 0..<8 {
    for byte in UInt8.min...UInt8.max {
      let shift = UInt64(56 - 8 * place)
      let digits = 0x6638_6138_3038_3966 & ~(0xFF << shift) | UInt64(byte) << shift
      let isRead = Hexadecimal.value(digits: digits) != nil
      #expect(isRead == (Hexadecimal.value(byte) != nil))
    }
  }
}

@Test("hexadecimal of odd length, in upper case or with other characters is rejected")
func oddHexadecimalIsRefused() {
  for text in ["a", "AB", "0g", "0 ", "/0", ":0", "`0"] {
    #expect(Hexadecimal.decode(text.utf8.span) == nil)
  }
}

@Test("no error text is empty or without its full stop")
func errorsAreSentences() {
  let errors: [CryptographyError] = [
    .sealedValueTruncated, .sealedValueRefused, .wrappedKeyMalformed, .masterKeyUnknown,
    .keyLengthWrong(expected: 32), .keyFileMalformed(line: 3), .keyFileCountWrong,
    .tokenMalformed, .tokenForged, .passwordHashMalformed, .passwordHashingFailed,
    .webhookSecretMalformed, .digestLengthWrong,
  ]
  for error in errors {
    #expect(error.description.hasSuffix("."))
    #expect(error.description.count > 20)
  }
}

@Test("a digest reads back from its 64 lower-case digits only")
func digestReadsBackFromDigits() {
  let value = BlindValue(digest: SHA256.digest(of: "abc".utf8.span))
  let text = value.hexadecimal
  #expect(text == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  #expect(BlindValue(hexadecimal: text) == value)
  var appended = Array("=".utf8)
  value.digest.appendHexadecimal(to: &appended)
  #expect(String(decoding: appended, as: UTF8.self) == "=" + text)
  for odd in ["", String(text.dropLast()), text + "0", text.uppercased(), "g" + text.dropFirst()] {
    #expect(BlindValue(hexadecimal: odd) == nil)
  }
}
