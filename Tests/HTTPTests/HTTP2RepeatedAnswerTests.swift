import HTTP
import Requirements
import Support
import Testing

/// The client keeps a head whose block is likely to come again.
@Suite("Heads of HTTP/2 answers that repeat", .tags(.GW_4))
struct HTTP2RepeatedAnswerTests {
  private static func head(
    using numbers: inout SeededRandom, number: String
  ) -> ResponseHead {
    var fields = HTTPFields()
    for _ in 0..<Int.random(in: 0...2, using: &numbers) {
      fields.append(
        [.contentType, .etag, .vary].randomElement(using: &numbers) ?? .vary,
        ["a", "b", "cc"].randomElement(using: &numbers) ?? "a")
    }
    var head = ResponseHead(
      [.ok, .notFound, .created].randomElement(using: &numbers) ?? .ok, fields: fields,
      contentLength: 0)
    if Bool.random(using: &numbers) { head.number = Array(number.utf8) }
    if Int.random(in: 0..<8, using: &numbers) == 0 { head.fields.append(.requestID, number) }
    return head
  }

  @Test("every answer has its own head, with or without its number", arguments: [true, false])
  func sequences(dropsNumbers: Bool) throws {
    var numbers = SeededRandom()
    var settings = HTTP2Settings.internal
    settings.dropsNumbers = dropsNumbers
    let pair = try HTTP2ClientPair(client: settings)
    for round in 0..<600 {
      let digits = String(UInt64(round), radix: 16)
      let number =
        round % 7 == 0 ? digits : String(repeating: "0", count: 32 - digits.count) + digits
      let sent = Self.head(using: &numbers, number: number)
      pair.serverRecord.answer = { _, stream, _ in stream.send(sent, endStream: true) }
      let record = pair.client.get()
      try pair.exchange()
      let received = try #require(record.head)
      var expected = sent.fields
      if !sent.number.isEmpty { expected.append(.requestID, copying: sent.number.span) }
      if dropsNumbers { expected.remove(.requestID) }
      #expect(received.status == sent.status)
      #expect(received.fields == expected, "\(round)")
      #expect(record.isEnded)
    }
  }

  @Test("a body follows a repeated head, and its length is checked")
  func bodies() throws {
    let pair = try HTTP2ClientPair()
    pair.serverRecord.answer = { _, stream, _ in
      stream.send(ResponseHead(.ok, contentLength: 2), endStream: false)
      stream.send(body: Array("ok".utf8).span, endStream: true)
    }
    for _ in 0..<5 {
      let record = pair.client.get()
      try pair.exchange()
      #expect(record.body == Array("ok".utf8) && record.isEnded)
      #expect(record.head?.contentLength == 2)
    }
  }

  @Test("a head that repeats has the fields of the former one, not a copy")
  func found() throws {
    let pair = try HTTP2ClientPair()
    var fields: [HTTPFields] = []
    for type in ["text/a", "text/a", "text/a", "text/a", "text/b", "text/a"] {
      pair.serverRecord.answer = { _, stream, _ in
        var head = ResponseHead(.ok, contentLength: 0)
        head.fields.append(.contentType, type)
        stream.send(head, endStream: true)
      }
      let record = pair.client.get()
      try pair.exchange()
      fields.append(try #require(record.head?.fields))
    }
    // The first block also announces the size of the table, so that the third is the first one that
    // equals its former one in length, and is kept.
    let areShared = fields.map { $0.hasStorage(of: fields[2], .contentType) }
    #expect(areShared == [false, false, true, true, false, false])
  }
}
