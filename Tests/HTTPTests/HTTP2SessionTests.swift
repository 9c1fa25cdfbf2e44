import HTTP
import Requirements
import Support
import Testing
import Time

@Suite("HTTP/2 sessions")
struct HTTP2SessionTests {
  @Test("a request and its response arrive unchanged", .tags(.GW_4))
  func request() throws {
    let pair = try HTTP2Pair()
    pair.serverRecord.answer = { _, stream, _ in
      var fields = HTTPFields()
      fields.append(.contentType, "text/plain")
      stream.send(ResponseHead(.created, fields: fields, contentLength: 2), endStream: false)
      stream.send(body: Array("ok".utf8).span, endStream: true)
    }
    let record = try pair.get("/a/b?c=d", [("x-other", "1"), ("authorization", "Bearer t")])
    try pair.exchange()
    let head = try #require(pair.serverRecord.heads.first)
    #expect(head.method == .get)
    #expect(head.target == Array("/a/b?c=d".utf8))
    #expect(head.authority == "example.org")
    #expect(head.fields["x-other"] == "1")
    #expect(head.fields[.authorization] == "Bearer t")
    #expect(!head.hasBody && !head.isSecure && head.contentLength == nil)
    #expect(pair.serverRecord.records[0].isEnded)
    #expect(record.head?.status == .created)
    #expect(record.head?.fields[.contentType] == "text/plain")
    #expect(record.head?.contentLength == 2)
    #expect(record.body == Array("ok".utf8))
    #expect(record.isEnded && record.trailers == nil)
    #expect(record.closures.map(\.cause) == [.finished])
    #expect(pair.serverRecord.records[0].closures.map(\.cause) == [.finished])
    #expect(pair.client.streamCount == 0 && pair.server.streamCount == 0)
  }

  @Test("bodies of many streams interleaved in chunks of any size stay separate", .tags(.GW_4))
  func interleaved() throws {
    var numbers = SeededRandom()
    for settings in [HTTP2Settings.public, .internal] {
      let pair = try HTTP2Pair(client: settings, server: settings)
      pair.serverRecord.answer = { _, stream, record in
        stream.send(ResponseHead(.ok), endStream: false)
        record.onBody = { stream in
          let body = record.body
          record.body = []
          stream.send(body: body.span, endStream: false)
        }
        record.onEnd = { $0.sendEnd(trailers: record.trailers) }
      }
      var sent: [[UInt8]] = []
      var records: [StreamRecord] = []
      for number in 0..<100 {
        let body = (0..<Int.random(in: 0...40_000, using: &numbers)).map { _ in
          UInt8.random(in: 0...255, using: &numbers)
        }
        let record = StreamRecord()
        let stream = try pair.post(record, contentLength: UInt64(body.count))
        stream.send(body: body.span.extracting(..<(body.count / 2)), endStream: false)
        stream.send(body: body.span.extracting((body.count / 2)...), endStream: false)
        var trailers = HTTPFields()
        trailers.append("x-number", "\(number)")
        stream.sendEnd(trailers: trailers)
        sent.append(body)
        records.append(record)
      }
      try pair.exchange(using: &numbers)
      for (number, record) in records.enumerated() {
        let isSame = record.body == sent[number]
        #expect(isSame)
        #expect(record.trailers?["x-number"] == "\(number)")
        #expect(record.closures.map(\.cause) == [.finished])
      }
      #expect(pair.client.streamCount == 0 && pair.server.streamCount == 0)
    }
  }

  @Test("a ping is answered with its payload")
  func ping() throws {
    let pair = try HTTP2Pair()
    pair.client.ping(0x0102_0304_0506_0708)
    pair.server.ping(7)
    try pair.exchange()
    #expect(pair.clientRecord.pongs == [0x0102_0304_0506_0708])
    #expect(pair.serverRecord.pongs == [7])
  }

  @Test("a stopping server completes open streams and refuses new ones")
  func shutDown() throws {
    let pair = try HTTP2Pair()
    pair.serverRecord.answer = { _, _, _ in }
    let first = try pair.get()
    try pair.exchange()
    pair.server.announceShutDown()
    let late = try pair.get()
    try pair.exchange()
    #expect(pair.clientRecord.goAways == [.noError])
    #expect(!pair.client.acceptsRequests)
    #expect(throws: HTTP2Error.goingAway) { try pair.get() }
    #expect(late.closures.isEmpty || late.closures[0].isUnprocessed)
    pair.server.shutDown()
    try pair.exchange()
    #expect(!pair.server.isFinished)
    for stream in pair.serverRecord.streams {
      stream.send(ResponseHead(.ok), endStream: true)
    }
    try pair.exchange()
    #expect(first.head?.status == .ok)
    #expect(pair.server.isFinished && pair.client.isFinished)
    #expect(pair.server.sentGoAway == .noError)
  }

  @Test("a lost connection closes every stream, and reports which requests were never sent")
  func lost() throws {
    let pair = try HTTP2Pair()
    pair.serverRecord.answer = { _, _, _ in }
    let sent = try pair.get()
    try pair.exchange()
    let waiting = try pair.get()
    pair.client.connectionLost()
    pair.server.connectionLost()
    #expect(sent.closures.map(\.cause) == [.connectionLost])
    #expect(sent.closures.map(\.isUnprocessed) == [false])
    #expect(waiting.closures.map(\.isUnprocessed) == [true])
    #expect(pair.serverRecord.records[0].closures.map(\.cause) == [.connectionLost])
    #expect(pair.client.streamCount == 0 && !pair.client.acceptsRequests)
    #expect(throws: HTTP2Error.self) { try pair.get() }
    pair.serverRecord.streams[0].send(ResponseHead(.ok), endStream: true)
    #expect(!pair.server.hasOutput && pair.server.isFinished)
  }

  @Test("a request that crosses the last GOAWAY is unprocessed and may be retried")
  func crossingGoAway() throws {
    let pair = try HTTP2Pair()
    pair.serverRecord.answer = { _, _, _ in }
    let open = try pair.get()
    try pair.exchange()
    pair.server.shutDown()
    let late = try pair.get()
    try pair.exchange()
    #expect(pair.serverRecord.heads.count == 1)
    #expect(late.closures.map(\.isUnprocessed) == [true])
    #expect(open.closures.isEmpty)
  }

  @Test("a refused stream may be retried, one reset with another code may not")
  func refusedStream() throws {
    let pair = try HTTP2Pair()
    var codes = [HTTP2ErrorCode.refusedStream, .internalError]
    pair.serverRecord.answer = { _, stream, _ in stream.reset(codes.removeFirst()) }
    let refused = try pair.get()
    let failed = try pair.get()
    try pair.exchange()
    #expect(refused.closures.map(\.cause) == [.resetByPeer(.refusedStream)])
    #expect(refused.closures.map(\.isUnprocessed) == [true])
    #expect(failed.closures.map(\.cause) == [.resetByPeer(.internalError)])
    #expect(failed.closures.map(\.isUnprocessed) == [false])
    #expect(pair.serverRecord.records[1].closures.map(\.cause) == [.resetHere(.internalError)])
  }

  @Test("a request cancelled before it was sent never reaches the server")
  func cancelledUnsent() throws {
    let pair = try HTTP2Pair()
    try pair.exchange()
    let record = StreamRecord()
    let head = RequestHead(.get, "/", authority: "example.org")
    let stream = try pair.client.send(head, endStream: true, handler: record)
    stream.reset(.cancel)
    try pair.exchange()
    #expect(pair.serverRecord.heads.isEmpty)
    #expect(record.closures.map(\.isUnprocessed) == [true])
    #expect(pair.client.streamCount == 0)
  }

  @Test("requests above the peer's limit of streams wait in a queue")
  func streamsMax() throws {
    let pair = try HTTP2Pair()
    pair.serverRecord.answer = { _, _, _ in }
    try pair.exchange()
    #expect(pair.client.peerStreamsMax == 128)
    let records = try (0..<130).map { _ in try pair.get() }
    try pair.exchange()
    #expect(pair.serverRecord.streams.count == 128)
    pair.serverRecord.answer = { _, stream, _ in
      stream.send(ResponseHead(.ok), endStream: true)
    }
    for stream in pair.serverRecord.streams { stream.send(ResponseHead(.ok), endStream: true) }
    try pair.exchange()
    #expect(records.allSatisfy { $0.head?.status == .ok })
  }

  @Test("informational responses are not reported")
  func interim() throws {
    let pair = try HTTP2Pair()
    pair.serverRecord.answer = { _, stream, record in
      stream.sendContinue()
      record.onEnd = { $0.send(ResponseHead(.noContent), endStream: true) }
    }
    let record = StreamRecord()
    let stream = try pair.post(record)
    try pair.exchange()
    #expect(record.head == nil)
    stream.send(body: [1, 2, 3].span, endStream: true)
    try pair.exchange()
    #expect(record.head?.status == .noContent)
  }

  @Test("an early response ends the rest of the request without an error")
  func earlyAnswer() throws {
    let pair = try HTTP2Pair()
    pair.serverRecord.answer = { _, stream, _ in
      stream.send(ResponseHead(.contentTooLarge), endStream: true)
    }
    let record = StreamRecord()
    let stream = try pair.post(record)
    stream.send(body: [UInt8](repeating: 1, count: 300_000).span, endStream: false)
    try pair.exchange()
    #expect(record.head?.status == .contentTooLarge && record.isEnded)
    #expect(record.closures.map(\.cause) == [.resetByPeer(.noError)])
    #expect(record.closures.map(\.isReceivedWhole) == [true])
    #expect(pair.serverRecord.records[0].closures.map(\.cause) == [.finished])
  }

  @Test("a body whose length differs from the announced one resets the stream", arguments: [3, 5])
  func announcedLength(count: Int) throws {
    let pair = try HTTP2Pair()
    pair.serverRecord.answer = { _, stream, _ in
      stream.send(ResponseHead(.ok, contentLength: 4), endStream: false)
      stream.send(body: [UInt8](repeating: 0, count: count).span, endStream: true)
    }
    let record = try pair.get()
    try pair.exchange()
    #expect(!record.isEnded)
    #expect(record.closures.map(\.cause) == [.resetByPeer(.internalError)])
  }

  @Test("a field is indexed when it is repeated; changing fields and secrets never are")
  func headerTable() throws {
    func sizes(_ fields: [(String, String)]) throws -> [Int] {
      let pair = try HTTP2Pair()
      try pair.exchange()
      return try fields.map { field in
        _ = try pair.get("/", [field])
        var output: [UInt8] = []
        pair.client.pullOutput(into: &output)
        try pair.server.receive(output.span, at: .zero)
        var values: [String] = []
        pair.serverRecord.heads.last?.fields.forEach { values.append(String(copying: $2)) }
        #expect(values.contains(field.1))
        try pair.exchange()
        return output.count
      }
    }
    let same = try sizes(Array(repeating: ("x-long-name", "a long enough value"), count: 4))
    #expect(same[2] < same[1] - 10 && same[3] == same[2])
    // The authority enters the table with the second request.
    let letters = ["a", "c", "e", "i"]  // five bits each in Huffman's code
    let changing = try sizes(letters.map { ("x-long-name", "a long enough value \($0)") })
    #expect(changing[2] == changing[1] && changing[3] == changing[1])
    let secret = try sizes(Array(repeating: ("authorization", "Bearer abcdefgh"), count: 4))
    #expect(secret[2] == secret[1] && secret[3] == secret[1])
  }
}
