import Bytes
import Foundation
import Mail
import Operations
import Requirements
import Testing
import Time

@Suite("The wire format of a mail")
struct MailMessageTests {
  @Test("plain text is unchanged, and its headers are the same in each attempt")
  func plain() throws {
    let mail = MailMessage(
      id: UniversalID(high: 1, low: 2),
      writtenAt: Instant(microsecondsSince1970: 1_795_000_000_000_000),
      from: try #require(MailAddress("trackme@example.org")),
      to: try #require(MailAddress("anna@example.org")), subject: "Hello",
      text: "One\nTwo =\r\n.\n")
    let text = String(decoding: mail.rendered, as: UTF8.self)
    #expect(
      text == """
        Date: 18 Nov 2026 11:06:40 +0000\r
        From: TrackMe <trackme@example.org>\r
        To: <anna@example.org>\r
        Message-ID: <00000000-0000-0001-0000-000000000002@example.org>\r
        Subject: Hello\r
        Auto-Submitted: auto-generated\r
        MIME-Version: 1.0\r
        Content-Type: text/plain; charset=utf-8\r
        Content-Transfer-Encoding: 7bit\r
        \r
        One\r
        Two =\r
        .\r

        """)
  }

  @Test("accents are written in quoted-printable, in lines of 76 characters at most")
  func accents() throws {
    let long = String(repeating: "perché = così ", count: 20)
    let text = try Letters.rendered(subject: "x", text: long + "\nfine ")
    #expect(text.contains("Content-Transfer-Encoding: quoted-printable"))
    let body = try #require(text.split(separator: "\r\n\r\n").last)
    let lines = body.split(separator: "\r\n")
    #expect(lines.allSatisfy { $0.utf8.count <= 76 && $0.utf8.allSatisfy { $0 < 0x7F } })
    #expect(body.contains("perch=C3=A9 =3D cos=C3=AC"))
    #expect(body.hasSuffix("fine=20\r\n"))
    let joined = body.replacing("=\r\n", with: "")
    let decoded = joined.replacing("=C3=A9", with: "é").replacing("=C3=AC", with: "ì")
      .replacing("=3D", with: "=").replacing("=20", with: " ")
    #expect(decoded == long + "\r\nfine \r\n")
  }

  @Test("a line of 998 characters is unchanged, one of 999 is encoded")
  func longLines() throws {
    let line = String(repeating: "a", count: 999)
    #expect(try Letters.rendered(subject: "x", text: line).contains("quoted-printable"))
    #expect(try Letters.rendered(subject: "x", text: String(line.dropLast())).contains("7bit"))
  }

  @Test("a subject with accents becomes encoded words of 75 characters at most")
  func subjects() throws {
    let subject = String(repeating: "Però è così 🏃 ", count: 12)
    let text = try Letters.rendered(subject: subject)
    let head = try #require(text.split(separator: "\r\n\r\n").first)
    let words = head.matches(of: /=\?utf-8\?B\?([A-Za-z0-9+\/=]+)\?=/)
    #expect(words.count > 1)
    #expect(words.allSatisfy { $0.0.count <= 75 })
    var bytes = Data()
    for word in words { bytes += try #require(Data(base64Encoded: String(word.1))) }
    #expect(String(decoding: bytes, as: UTF8.self) == subject)
  }

  @Test(
    "no subject and no address can inject a header",
    arguments: ["Hi\r\nBcc: all@example.org", "Hi\nBcc: x", "Hi\rBcc: x", "Hi\r\n\r\nBody"])
  func injection(subject: String) throws {
    let text = try Letters.rendered(subject: subject)
    let head = try #require(text.split(separator: "\r\n\r\n").first)
    let lines = head.split(separator: "\r\n")
    #expect(lines.count == 9)
    #expect(!head.replacing("\r\n", with: "").contains { $0.isNewline })
    for bad in ["a@b\r\nX: y", "a b@c", "a@b@c", "<a@b>", "@b", "a@", "à@b.it", "a,b@c", ""] {
      #expect(MailAddress(bad) == nil)
    }
    #expect(MailAddress(String(repeating: "a", count: 252) + "@b") != nil)
    #expect(MailAddress(String(repeating: "a", count: 253) + "@b") == nil)
  }

  @Test("printing a mail or an address reveals no personal data", .tags(.NFR_5))
  func redacted() throws {
    let mail = try Letters.letter(subject: "Secret", text: "canary")
    var shown = "\(mail) \(mail.to)"
    dump(mail, to: &shown)
    for word in ["anna", "Secret", "canary"] { #expect(!shown.contains(word)) }
  }
}

@Suite("Retries")
struct RetryScheduleTests {
  @Test("pauses are 10 s, 1 min, 5 min, 30 min, 2 h, 6 h, 24 h, each spread by a fifth")
  func pauses() {
    let seconds: [Double] = [10, 60, 300, 1800, 7200, 21_600, 86_400]
    for (index, pause) in seconds.enumerated() {
      let least = RetrySchedule.mail.pause(afterAttempts: index + 1, randomness: 0)
      let most = RetrySchedule.mail.pause(afterAttempts: index + 1, randomness: 255)
      #expect(least == .seconds(pause * 0.8))
      #expect(most == .seconds(pause * 1.2))
    }
    #expect(RetrySchedule.mail.pause(afterAttempts: 8, randomness: 0) == nil)
    #expect(RetrySchedule.mail.pause(afterAttempts: 0, randomness: 0) == nil)
  }
}

@Suite("Files in mails")
struct MailAttachmentTests {
  @Test("a file is a part with base64 lines of 76 characters, after the text")
  func rendered() throws {
    let bytes = (0..<200).map { UInt8($0) }
    let file = try #require(
      MailAttachment(name: "a.csv", contentType: "text/csv; charset=utf-8", bytes: bytes))
    let mail = MailMessage(
      id: UniversalID(high: 1, low: 2), writtenAt: Instant(microsecondsSince1970: 0),
      from: try #require(MailAddress("a@example.org")),
      to: try #require(MailAddress("b@example.org")), subject: "S", text: "Text.",
      attachment: file)
    let text = String(decoding: mail.rendered, as: UTF8.self)
    let parts = text.components(separatedBy: "--trackme-\(mail.id)")
    #expect(parts.count == 4)
    #expect(parts[0].contains("Content-Type: multipart/mixed; boundary=\"trackme-\(mail.id)\"\r\n"))
    #expect(parts[1].hasSuffix("7bit\r\n\r\nText.\r\n"))
    #expect(parts[3] == "--\r\n")
    let lines = parts[2].components(separatedBy: "\r\n\r\n")[1].split(separator: "\r\n")
    #expect(lines.map(\.count) == [76, 76, 76, 40])
    #expect(Data(base64Encoded: lines.joined()) == Data(bytes))
  }

  @Test("a file of 1 MiB is accepted; one byte more, or a name with a quotation mark, is refused")
  func limits() {
    func file(_ count: Int, _ name: String = "a.csv") -> MailAttachment? {
      MailAttachment(
        name: name, contentType: "text/csv", bytes: [UInt8](repeating: 1, count: count))
    }
    #expect(file(1 << 20) != nil)
    #expect(file((1 << 20) + 1) == nil)
    for name in ["a\"b", "a\r\nb", "à.csv"] { #expect(file(1, name) == nil) }
  }
}
