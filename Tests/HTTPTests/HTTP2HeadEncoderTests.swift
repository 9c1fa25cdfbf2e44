import FuzzTargets
import HTTP
import Requirements
import Support
import Testing

/// libnghttp2's client decodes the heads.
@Suite("Heads of HTTP/2 responses")
struct HTTP2HeadEncoderTests {
  private static let names: [FieldName] = [
    .contentType, .date, .requestID, .setCookie, .etag, .vary, .cacheControl,
  ]

  /// A random head, of few values, so that many lines repeat.
  private func head(using numbers: inout SeededRandom, bytesMax: Int) -> ResponseHead {
    let statuses: [HTTPStatus] = [
      .ok, .noContent, .created, .notFound, .tooManyRequests, .badGateway,
    ]
    var fields = HTTPFields()
    for _ in 0..<Int.random(in: 0...12, using: &numbers) {
      let length = Bool.random(using: &numbers) ? bytesMax : Int.random(in: 0...20, using: &numbers)
      let letter = UInt8.random(in: 0x61...0x64, using: &numbers)
      let value = String(decoding: [UInt8](repeating: letter, count: length), as: UTF8.self)
      if Bool.random(using: &numbers) {
        fields.append(Self.names.randomElement(using: &numbers) ?? .date, value)
      } else {
        fields.append("x-\(Int.random(in: 0...2, using: &numbers))", value)
      }
    }
    let status = statuses.randomElement(using: &numbers) ?? .ok
    return ResponseHead(
      status, fields: fields,
      contentLength: Bool.random(using: &numbers) && !status.hasNoBody ? 0 : nil)
  }

  @Test("every sequence of heads arrives unchanged, with lines that repeat", .tags(.GW_4))
  func sequences() throws {
    var numbers = SeededRandom()
    for bytesMax in [10, 700, 2500] {
      let pair = try HTTP2Pair()
      for _ in 0..<200 {
        let sent = head(using: &numbers, bytesMax: bytesMax)
        pair.serverRecord.answer = { _, stream, _ in stream.send(sent, endStream: true) }
        let record = try pair.get()
        try pair.exchange(using: &numbers)
        let received = try #require(record.head)
        #expect(received.status == sent.status)
        #expect(received.contentLength == sent.contentLength)
        #expect(received.fields == sent.fields)
      }
    }
  }

  @Test("the table stays intact when some heads of a turn are never sent", .tags(.GW_4))
  func cancelled() throws {
    var numbers = SeededRandom()
    let pair = try HTTP2Pair()
    for _ in 0..<50 {
      var sent: [ResponseHead] = []
      pair.serverRecord.answer = { [self] _, stream, _ in
        let head = head(using: &numbers, bytesMax: 50)
        sent.append(head)
        stream.send(head, endStream: true)
        if sent.count % 3 == 0 { stream.reset(.cancel) }
      }
      var records: [StreamRecord] = []
      for _ in 0..<9 { records.append(try pair.get()) }
      try pair.exchange()
      for (record, head) in zip(records, sent) {
        if let received = record.head { #expect(received.fields == head.fields) }
      }
      #expect(records.count { $0.head != nil } >= 6)
    }
  }

  @Test("a head longer than a frame is divided", .tags(.GW_4))
  func long() throws {
    let pair = try HTTP2Pair()
    for _ in 0..<3 {
      var fields = HTTPFields()
      for number in 0..<9 {
        fields.append(.link, String(repeating: "\(number)", count: 3000))
      }
      pair.serverRecord.answer = { _, stream, _ in
        stream.send(ResponseHead(.ok, fields: fields), endStream: true)
      }
      let record = try pair.get()
      try pair.exchange()
      #expect(record.head?.fields == fields)
    }
  }

  @Test("a repeated head takes a byte for each line but its length", .tags(.GW_4))
  func short() throws {
    let pair = try HTTP2Pair()
    var fields = HTTPFields()
    fields.append(.contentType, "application/json")
    fields.append(.xContentTypeOptions, "nosniff")
    pair.serverRecord.answer = { _, stream, _ in
      stream.send(ResponseHead(.ok, fields: fields), endStream: true)
    }
    for round in 0..<4 {
      _ = try pair.get()
      pair.serverBytes = 0
      try pair.exchange()
      if round == 3 { #expect(pair.serverBytes == 9 + 3) }
    }
  }

  @Test("a client without a table gets heads without one", .tags(.GW_4))
  func noTable() throws {
    let client = try FrameClient()
    client.record.answer = { _, stream, _ in
      var fields = HTTPFields()
      fields.append(.contentType, "text/plain")
      stream.send(ResponseHead(.ok, fields: fields), endStream: true)
    }
    client.frame(.settings, [0, 1, 0, 0, 0, 0])
    for number in 0..<4 as Range<UInt32> {
      client.request(stream: 2 * number + 1)
      let frames = try client.deliver()
      let head = try #require(frames.first { $0.kind == 1 })
      var decoder = HPACKDecoder()
      var sink = FieldCollector()
      try decoder.decode(head.payload.span, into: &sink)
      let names = sink.fields.map { String(decoding: $0.0, as: UTF8.self) }
      #expect(names == [":status", "content-type"])
    }
  }
}
