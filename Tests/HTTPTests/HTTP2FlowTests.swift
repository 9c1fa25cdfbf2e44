import HTTP
import Requirements
import Support
import Testing
import Time

@Suite("HTTP/2 flow control")
struct HTTP2FlowTests {
  /// Responds with `total` bytes, and queues more only while the stream is not congested.
  private func answer(total: Int, most: @escaping (Int) -> Void)
    -> (RequestHead, HTTP2Stream, StreamRecord) -> Void
  {
    { head, stream, record in
      guard head.target == Array("/large".utf8) else {
        return stream.send(ResponseHead(.ok), endStream: true)
      }
      stream.send(ResponseHead(.ok, contentLength: UInt64(total)), endStream: false)
      var left = total
      let piece = [UInt8](repeating: 0x61, count: 32 * 1024)
      let more: (HTTP2Stream) -> Void = { stream in
        while left > 0, !stream.isCongested {
          let count = min(left, piece.count)
          left -= count
          stream.send(body: piece.span.extracting(..<count), endStream: left == 0)
        }
        most(stream.queuedBytes)
      }
      record.onDrained = more
      more(stream)
    }
  }

  @Test("a slow reader of 10 MB uses bounded memory and does not block other streams", .tags(.GW_5))
  func slowReader() throws {
    var numbers = SeededRandom()
    for settings in [HTTP2Settings.public, .internal] {
      let pair = try HTTP2Pair(client: settings, server: settings)
      var mostQueued = 0
      let total = 10_000_000
      pair.serverRecord.answer = answer(total: total) { mostQueued = max(mostQueued, $0) }
      let slow = StreamRecord()
      slow.keepsBody = false
      slow.onBody = { $0.pauseBody() }
      let head = RequestHead(.get, "/large", authority: "example.org")
      let stream = try pair.client.send(head, endStream: true, handler: slow)
      try pair.exchange(using: &numbers)
      #expect(slow.bodyCount < Int(settings.streamWindow))
      #expect(!slow.isEnded)
      let other = try pair.get("/small")
      try pair.exchange(using: &numbers)
      #expect(other.head?.status == .ok)
      var rounds = 0
      while !slow.isEnded, rounds < 10_000 {
        stream.resumeBody()
        try pair.exchange(using: &numbers)
        rounds += 1
      }
      #expect(slow.bodyCount == total)
      #expect(rounds >= total / Int(settings.streamWindow) / 2)
      #expect(mostQueued <= settings.outputHighWater + 32 * 1024)
      #expect(slow.closures.map(\.cause) == [.finished])
    }
  }

  @Test("on a shared link, a hundred paused streams leave the other streams their credit")
  func manySlowReaders() throws {
    let settings = HTTP2Settings.internal
    let pair = try HTTP2Pair(client: settings, server: settings)
    pair.serverRecord.answer = answer(total: 1_000_000) { _ in }
    let paused = try (0..<100).map { _ in
      let record = StreamRecord()
      record.onHead = { $0.pauseBody() }
      let head = RequestHead(.get, "/large", authority: "example.org")
      return (record, try pair.client.send(head, endStream: true, handler: record))
    }
    try pair.exchange()
    #expect(paused.allSatisfy { $0.0.bodyCount == 0 })
    let quick = StreamRecord()
    quick.keepsBody = false
    let head = RequestHead(.get, "/large", authority: "example.org")
    _ = try pair.client.send(head, endStream: true, handler: quick)
    try pair.exchange()
    #expect(quick.bodyCount == 1_000_000 && quick.isEnded)
    for (_, stream) in paused { stream.reset(.cancel) }
    try pair.exchange()
    #expect(paused.allSatisfy { $0.0.closures.map(\.cause) == [.resetHere(.cancel)] })
  }

  @Test("credit of reset streams is returned to the connection")
  func creditReturns() throws {
    let pair = try HTTP2Pair()
    pair.serverRecord.answer = answer(total: 500_000) { _ in }
    for _ in 0..<100 {
      let record = StreamRecord()
      record.onHead = { $0.pauseBody() }
      let head = RequestHead(.get, "/large", authority: "example.org")
      let stream = try pair.client.send(head, endStream: true, handler: record)
      try pair.exchange()
      stream.reset(.cancel)
      try pair.exchange()
    }
    let quick = try pair.get("/large")
    try pair.exchange()
    #expect(quick.bodyCount == 500_000)
  }

  @Test("a paused upload stops at the window and resumes afterwards")
  func pausedUpload() throws {
    let pair = try HTTP2Pair()
    pair.serverRecord.answer = { _, stream, record in
      stream.pauseBody()
      record.onEnd = { $0.send(ResponseHead(.ok), endStream: true) }
    }
    let record = StreamRecord()
    let stream = try pair.post(record)
    let body = (0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    stream.send(body: body.span, endStream: true)
    #expect(stream.isCongested)
    try pair.exchange()
    #expect(pair.serverRecord.records[0].bodyCount == 0)
    #expect(stream.queuedBytes == 400_000 - 65_536)
    pair.serverRecord.streams[0].resumeBody()
    try pair.exchange()
    let isSame = pair.serverRecord.records[0].body == body
    #expect(isSame)
    #expect(record.head?.status == .ok && record.drainedCount == 1)
  }

  @Test("the end of a paused body is delivered after its bytes, even on a closed stream")
  func pausedEnd() throws {
    let pair = try HTTP2Pair()
    pair.serverRecord.answer = { _, stream, _ in
      stream.send(ResponseHead(.ok), endStream: false)
      stream.send(body: [1, 2, 3].span, endStream: true)
    }
    let record = StreamRecord()
    record.onHead = { $0.pauseBody() }
    let head = RequestHead(.get, "/", authority: "example.org")
    let stream = try pair.client.send(head, endStream: true, handler: record)
    try pair.exchange()
    #expect(record.body.isEmpty && !record.isEnded && record.closures.isEmpty)
    #expect(pair.client.streamCount == 0)
    stream.resumeBody()
    #expect(record.body == [1, 2, 3] && record.isEnded)
    #expect(record.closures.map(\.cause) == [.finished])
  }

  @Test("output is returned in pieces of about the requested size")
  func outputLimit() throws {
    var settings = HTTP2Settings.public
    settings.streamWindow = 1 << 20
    let pair = try HTTP2Pair(client: settings, server: settings)
    try pair.exchange()
    let stream = try pair.post(StreamRecord())
    stream.send(body: [UInt8](repeating: 0, count: 300_000).span, endStream: true)
    var total = 0
    var isMore = true
    while isMore {
      var output: [UInt8] = []
      isMore = pair.client.pullOutput(into: &output, limit: 50_000)
      #expect(output.count < 50_000 + 16_384 + 9)
      total += output.count
      try pair.server.receive(output.span, at: .zero)
    }
    #expect(total > 300_000)
    #expect(pair.serverRecord.records[0].bodyCount == 300_000)
  }
}
