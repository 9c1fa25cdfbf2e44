import EventLoop
import HTTP
import Requirements
import Support
import Testing
import Time

@Suite("Our HTTP/2 client and libnghttp2's server", .tags(.GW_4))
struct HTTP2ClientTests {
  @Test("a request and its response arrive unchanged")
  func request() throws {
    let pair = try HTTP2ClientPair()
    pair.serverRecord.answer = { _, stream, _ in
      var fields = HTTPFields()
      fields.append(.contentType, "text/plain")
      fields.append("x-other", "1")
      stream.send(ResponseHead(.created, fields: fields, contentLength: 2), endStream: false)
      stream.send(body: Array("ok".utf8).span, endStream: true)
    }
    let record = pair.client.get("/a/b?c=d", [("x-other", "1"), ("authorization", "Bearer t")])
    #expect(pair.client.streamCount == 1 && record.head == nil)
    try pair.exchange()
    let head = try #require(pair.serverRecord.heads.first)
    #expect(head.method == .get && head.target == Array("/a/b?c=d".utf8))
    #expect(head.authority == "example.org" && head.fields["x-other"] == "1")
    #expect(head.fields[.authorization] == "Bearer t")
    #expect(!head.hasBody && !head.isSecure && head.contentLength == nil)
    #expect(record.head?.status == .created && record.head?.contentLength == 2)
    #expect(record.head?.fields[.contentType] == "text/plain")
    #expect(record.head?.fields["x-other"] == "1")
    #expect(record.body == Array("ok".utf8) && record.isEnded)
    #expect(pair.client.streamCount == 0 && pair.server.streamCount == 0)
    #expect(pair.clientRecord.roomChanges > 0)
  }

  @Test("every byte of a value arrives, and heads of any size")
  func values() throws {
    let pair = try HTTP2ClientPair()
    let allowed = Array(UInt8(0x21)...0x7E) + Array(UInt8(0x80)...0xFF)
    pair.serverRecord.answer = { head, stream, _ in
      var fields = HTTPFields()
      head.fields.withValue("x-bytes") { fields.append(.etag, copying: $0) }
      fields.append(.server, String(repeating: "lower case text ", count: 40) + ".")
      stream.send(ResponseHead(.ok, fields: fields), endStream: true)
    }
    for count in [1, 126, 127, 128, 254, 255, 300, 20_000] {
      var head = RequestHead(.get, "/", authority: "a")
      let value = (0..<count).map { allowed[$0 % allowed.count] }
      head.fields.append(name: Array("x-bytes".utf8).span, value: value.span)
      let record = AnswerRecord()
      _ = pair.client.send(head, endStream: true, handler: record)
      try pair.exchange()
      let isSame = record.head?.fields.withValue(.etag) { $0.equals(value) }
      #expect(isSame == true, "\(count)")
    }
  }

  @Test("bodies of many streams interleaved in chunks of any size stay separate")
  func interleaved() throws {
    var numbers = SeededRandom()
    for settings in [HTTP2Settings.public, .internal] {
      let pair = try HTTP2ClientPair(client: settings, server: settings)
      pair.serverRecord.answer = { _, stream, record in
        stream.send(ResponseHead(.ok), endStream: false)
        record.onBody = { stream in
          let body = record.body
          record.body = []
          stream.send(body: body.span, endStream: false)
        }
        record.onEnd = { stream in
          var trailers = HTTPFields()
          trailers.append("x-count", "\(record.bodyCount)")
          stream.sendEnd(trailers: trailers)
        }
      }
      var sent: [[UInt8]] = []
      var records: [AnswerRecord] = []
      for _ in 0..<100 {
        let body = (0..<Int.random(in: 0...40_000, using: &numbers)).map { _ in
          UInt8.random(in: 0...255, using: &numbers)
        }
        let record = pair.client.post(contentLength: UInt64(body.count))
        let half = body.count / 2
        record.stream?.send(body: body.span.extracting(..<half), endStream: false)
        record.stream?.send(body: body.span.extracting(half...), endStream: true)
        sent.append(body)
        records.append(record)
      }
      try pair.exchange(using: &numbers)
      for (number, record) in records.enumerated() {
        let isSame = record.body == sent[number]
        #expect(isSame && record.isEnded)
      }
      #expect(pair.client.streamCount == 0 && pair.server.streamCount == 0)
    }
  }

  @Test("a ping is answered, and settings are acknowledged")
  func ping() throws {
    let pair = try HTTP2ClientPair()
    pair.server.ping(7)
    try pair.exchange()
    #expect(pair.serverRecord.pongs == [7])
    #expect(pair.client.room == Int(HTTP2Settings.internal.streamsMax))
  }

  @Test("requests above the peer's limit of streams wait in a queue, with their bodies")
  func streamsMax() throws {
    let pair = try HTTP2ClientPair(server: .public)
    pair.serverRecord.answer = { _, _, _ in }
    try pair.exchange()
    #expect(pair.client.room == 128)
    var records = (0..<128).map { _ in pair.client.get() }
    #expect(pair.client.room == 0)
    let late = pair.client.post()
    late.stream?.send(body: Array("body".utf8).span, endStream: true)
    let cancelled = pair.client.get()
    cancelled.stream?.cancel()
    records += [pair.client.get(), late]
    try pair.exchange()
    #expect(pair.serverRecord.streams.count == 128)
    pair.serverRecord.answer = { _, stream, _ in stream.send(ResponseHead(.ok), endStream: true) }
    for stream in pair.serverRecord.streams { stream.send(ResponseHead(.ok), endStream: true) }
    try pair.exchange()
    #expect(records.allSatisfy { $0.head?.status == .ok && $0.isEnded })
    #expect(pair.serverRecord.records.count == 130 && !cancelled.isOver)
    #expect(pair.serverRecord.records.last?.body == Array("body".utf8) || late.isEnded)
    #expect(pair.client.room == 128)
  }

  @Test("informational responses are not reported, and HEAD and 304 have no body")
  func withoutBody() throws {
    let pair = try HTTP2ClientPair()
    pair.serverRecord.answer = { head, stream, record in
      guard head.method == .post else {
        let status: HTTPStatus = head.method == .head ? .ok : .notModified
        return stream.send(ResponseHead(status, contentLength: 7), endStream: true)
      }
      stream.sendContinue()
      record.onEnd = { $0.send(ResponseHead(.noContent), endStream: true) }
    }
    let post = pair.client.post()
    let head = pair.client.get(method: .head)
    let unmodified = pair.client.get()
    try pair.exchange()
    #expect(post.head == nil)
    post.stream?.send(body: [1, 2, 3].span, endStream: true)
    try pair.exchange()
    #expect(post.head?.status == .noContent && post.isEnded)
    #expect(head.isEnded && head.head?.contentLength == 7)
    #expect(unmodified.isEnded && unmodified.head?.status == .notModified)
  }

  @Test("an early response ends the rest of the request without an error")
  func earlyAnswer() throws {
    let pair = try HTTP2ClientPair()
    pair.serverRecord.answer = { _, stream, _ in
      stream.send(ResponseHead(.contentTooLarge), endStream: true)
    }
    let record = pair.client.post()
    record.stream?.send(body: [UInt8](repeating: 1, count: 300_000).span, endStream: false)
    try pair.exchange()
    #expect(record.head?.status == .contentTooLarge && record.isEnded)
    #expect(pair.client.streamCount == 0 && pair.server.streamCount == 0)
  }

  @Test("a body whose length differs from the announced one resets the stream", arguments: [3, 5])
  func announcedLength(count: Int) throws {
    let pair = try HTTP2ClientPair()
    pair.serverRecord.answer = { _, _, _ in }
    let record = pair.client.post(contentLength: 4)
    try pair.exchange()
    record.stream?.send(body: [UInt8](repeating: 0, count: count).span, endStream: true)
    try pair.exchange()
    #expect(record.failure == StreamFailure(.malformedResponse, .sent))
    #expect(
      pair.serverRecord.records[0].closures.map(\.cause) == [.resetByPeer(.internalError)])
  }

  @Test("a refused stream may be retried, one reset with another code may not", .tags(.GW_1))
  func refusedStream() throws {
    let pair = try HTTP2ClientPair()
    var codes = [HTTP2ErrorCode.refusedStream, .internalError]
    pair.serverRecord.answer = { _, stream, _ in stream.reset(codes.removeFirst()) }
    let refused = pair.client.get()
    let failed = pair.client.get()
    try pair.exchange()
    #expect(refused.failure == StreamFailure(.streamReset, .unprocessed))
    #expect(failed.failure == StreamFailure(.streamReset, .sent))
  }

  @Test("a request that crosses the last GOAWAY is unprocessed and may be retried", .tags(.GW_1))
  func crossingGoAway() throws {
    let pair = try HTTP2ClientPair()
    pair.serverRecord.answer = { _, _, _ in }
    let open = pair.client.get()
    try pair.exchange()
    pair.server.shutDown()
    let late = pair.client.get()
    try pair.exchange()
    #expect(pair.serverRecord.heads.count == 1 && !open.isOver)
    #expect(late.failure == StreamFailure(.streamReset, .unprocessed))
    #expect(!pair.client.acceptsRequests && pair.client.room == 0 && !pair.client.isFinished)
    let refused = pair.client.get()
    #expect(!refused.isOver)
    pair.loop.runUntilIdle()
    #expect(refused.failure == StreamFailure(.connectionLost, .unprocessed))
    pair.serverRecord.streams[0].send(ResponseHead(.ok), endStream: true)
    try pair.exchange()
    #expect(open.isEnded && pair.client.isFinished)
  }

  @Test("a client that shuts down completes its requests, also those that wait")
  func shutDown() throws {
    let pair = try HTTP2ClientPair(server: .public)
    pair.serverRecord.answer = { _, _, _ in }
    try pair.exchange()
    let records = (0..<130).map { _ in pair.client.get() }
    try pair.exchange()
    pair.client.shutDown()
    #expect(!pair.client.acceptsRequests)
    pair.serverRecord.answer = { _, stream, _ in stream.send(ResponseHead(.ok), endStream: true) }
    for stream in pair.serverRecord.streams { stream.send(ResponseHead(.ok), endStream: true) }
    #expect(!pair.client.isFinished)
    try pair.exchange()
    #expect(records.allSatisfy { $0.isEnded } && pair.client.isFinished)
  }

  @Test("a lost connection fails every request, and reports which were never sent", .tags(.GW_1))
  func lost() throws {
    let pair = try HTTP2ClientPair()
    pair.serverRecord.answer = { head, stream, _ in
      if head.target == Array("/begun".utf8) { stream.send(ResponseHead(.ok), endStream: false) }
    }
    let begun = pair.client.get("/begun")
    let sent = pair.client.get()
    try pair.exchange()
    let waiting = pair.client.get()
    pair.client.connectionLost(.connectionLost)
    #expect(begun.failure == StreamFailure(.connectionLost, .responseBegun))
    #expect(sent.failure == StreamFailure(.connectionLost, .sent))
    #expect(waiting.failure == StreamFailure(.connectionLost, .unprocessed))
    #expect(pair.client.streamCount == 0 && !pair.client.hasOutput && pair.client.isFinished)
    begun.stream?.send(body: [1].span, endStream: true)
    begun.stream?.cancel()
    begun.stream?.resumeBody()
    pair.loop.runUntilIdle()
  }

  @Test("a cancelled request is reset, and its handler is not called again")
  func cancelled() throws {
    let pair = try HTTP2ClientPair()
    pair.serverRecord.answer = { _, _, _ in }
    let record = pair.client.get()
    try pair.exchange()
    record.stream?.cancel()
    record.stream?.cancel()
    try pair.exchange()
    #expect(pair.serverRecord.records[0].closures.map(\.cause) == [.resetByPeer(.cancel)])
    #expect(!record.isOver && record.head == nil)
  }

  @Test("a response is late after its time-out, and a paused one never", .tags(.GW_1))
  func timeOuts() throws {
    var timeouts = HTTPTimeouts()
    timeouts.response = .seconds(3)
    timeouts.bodyIdle = .seconds(5)
    let pair = try HTTP2ClientPair(timeouts: timeouts)
    pair.serverRecord.answer = { head, stream, _ in
      guard head.target == Array("/".utf8) else { return }
      stream.send(ResponseHead(.ok), endStream: false)
      stream.send(body: [1].span, endStream: false)
    }
    let silent = pair.client.get("/silent")
    let stalled = pair.client.post()
    let idle = pair.client.get()
    let paused = pair.client.get()
    paused.onHead = { $0.stream?.pauseBody() }
    try pair.exchange()
    pair.loop.advance(by: .seconds(2))
    pair.client.inspect(at: pair.loop.now)
    #expect(silent.failure == nil)
    pair.loop.advance(by: .seconds(2))
    pair.client.inspect(at: pair.loop.now)
    #expect(silent.failure == StreamFailure(.timedOut, .sent) && idle.failure == nil)
    pair.loop.advance(by: .seconds(2))
    pair.client.inspect(at: pair.loop.now)
    #expect(idle.failure == StreamFailure(.timedOut, .responseBegun))
    #expect(!paused.isOver)
    try pair.exchange()
    #expect(pair.serverRecord.records[0].closures.map(\.cause) == [.resetByPeer(.cancel)])
    // A body that its sender holds back is no fault of the server.
    #expect(!stalled.isOver)
  }

  @Test("a connection without further stream numbers completes its requests and is finished")
  func exhausted() throws {
    let pair = try HTTP2ClientPair(firstStream: .max - 2)
    let records = [pair.client.get(), pair.client.get()]
    #expect(!pair.client.acceptsRequests && pair.client.room == 0)
    let refused = pair.client.get()
    try pair.exchange()
    #expect(records.allSatisfy { $0.isEnded })
    #expect(refused.failure == StreamFailure(.connectionLost, .unprocessed))
    #expect(pair.client.isFinished)
  }

  @Test("streams stay apart while others open and close around them, in any order")
  func table() throws {
    var numbers = SeededRandom()
    let pair = try HTTP2ClientPair()
    pair.serverRecord.answer = { _, _, _ in }
    var open: [(AnswerRecord, Int)] = []
    var answered = 0
    for step in 0..<3000 {
      if open.isEmpty || Int.random(in: 0..<20, using: &numbers) < 11 {
        open.append((pair.client.get("/\(step)"), pair.serverRecord.streams.count))
      } else {
        let (record, index) = open.remove(at: Int.random(in: open.indices, using: &numbers))
        let head = ResponseHead(HTTPStatus(200 + step % 300))
        pair.serverRecord.streams[index].send(head, endStream: true)
        try pair.exchange()
        #expect(record.isEnded && record.head?.status.code == UInt16(200 + step % 300))
        answered += 1
      }
      try pair.exchange()
      #expect(pair.client.streamCount == open.count)
    }
    #expect(answered > 1000)
    #expect(open.allSatisfy { !$0.0.isOver })
  }
}
