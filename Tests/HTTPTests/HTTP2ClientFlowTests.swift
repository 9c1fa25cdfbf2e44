import HTTP
import Requirements
import Support
import Testing

@Suite("Flow control of our HTTP/2 client", .tags(.GW_5))
struct HTTP2ClientFlowTests {
  /// Answers with a body of `total` bytes, and queues more only while the stream is not congested.
  private func answer(total: Int) -> (RequestHead, HTTP2Stream, StreamRecord) -> Void {
    { head, stream, record in
      stream.send(ResponseHead(.ok, contentLength: UInt64(total)), endStream: false)
      var left = total
      let piece = [UInt8](repeating: 0x61, count: 32 * 1024)
      let more: (HTTP2Stream) -> Void = { stream in
        while left > 0, !stream.isCongested {
          let count = min(left, piece.count)
          left -= count
          stream.send(body: piece.span.extracting(..<count), endStream: left == 0)
        }
      }
      record.onDrained = more
      more(stream)
    }
  }

  @Test("a paused body stops at its window, and is complete after it was resumed often")
  func paused() throws {
    var numbers = SeededRandom()
    var settings = HTTP2Settings.internal
    settings.streamWindow = 4 * 1024
    let pair = try HTTP2ClientPair(client: settings)
    pair.serverRecord.answer = answer(total: 100_000)
    let record = pair.client.get()
    record.onBody = { $0.stream?.pauseBody() }
    try pair.exchange(using: &numbers)
    var rounds = 0
    while !record.isEnded, rounds < 1000 {
      #expect(record.bodyCount <= 4096 * (rounds + 2))
      record.stream?.resumeBody()
      try pair.exchange(using: &numbers)
      rounds += 1
    }
    #expect(record.bodyCount == 100_000 && rounds >= 100_000 / 4096 / 2)
  }

  @Test("a held body delivers what was granted, and then waits")
  func held() throws {
    var settings = HTTP2Settings.internal
    settings.streamWindow = 4 * 1024
    let pair = try HTTP2ClientPair(client: settings)
    pair.serverRecord.answer = answer(total: 10_000)
    let record = pair.client.get()
    record.onHead = { $0.stream?.holdBody() }
    try pair.exchange()
    #expect(record.bodyCount == 4096 && !record.isEnded)
    record.stream?.resumeBody()
    try pair.exchange()
    #expect(record.bodyCount == 10_000 && record.isEnded)
  }

  @Test("a widened window lets more of a held body arrive")
  func widened() throws {
    var settings = HTTP2Settings.internal
    settings.streamWindow = 4 * 1024
    let pair = try HTTP2ClientPair(client: settings)
    pair.serverRecord.answer = answer(total: 1_000_000)
    let record = pair.client.get()
    record.onHead = { $0.stream?.holdBody() }
    try pair.exchange()
    #expect(record.bodyCount == 4096)
    record.stream?.widen(to: 200_000)
    record.stream?.widen(to: 1000)
    try pair.exchange()
    #expect(record.bodyCount == 200_000)
    record.stream?.resumeBody()
    try pair.exchange()
    #expect(record.bodyCount == 1_000_000 && record.isEnded)
  }

  @Test("a complete body that is paused still ends, once it is resumed")
  func pausedEnd() throws {
    let pair = try HTTP2ClientPair()
    pair.serverRecord.answer = answer(total: 100)
    let record = pair.client.get()
    record.onHead = { $0.stream?.pauseBody() }
    try pair.exchange()
    #expect(record.bodyCount == 0 && !record.isEnded && pair.client.streamCount == 0)
    record.stream?.resumeBody()
    record.stream?.pauseBody()
    try pair.exchange()
    #expect(record.bodyCount == 0)
    record.stream?.resumeBody()
    try pair.exchange()
    #expect(record.bodyCount == 100 && record.isEnded)
  }

  @Test("a hundred paused streams leave the other streams their credit")
  func manySlowReaders() throws {
    let pair = try HTTP2ClientPair()
    pair.serverRecord.answer = answer(total: 1_000_000)
    let paused = (0..<100).map { _ in
      let record = pair.client.get()
      record.onHead = { $0.stream?.pauseBody() }
      return record
    }
    try pair.exchange()
    #expect(paused.allSatisfy { $0.bodyCount == 0 && !$0.isEnded })
    let quick = pair.client.get()
    quick.keepsBody = false
    try pair.exchange()
    #expect(quick.bodyCount == 1_000_000 && quick.isEnded)
    for record in paused { record.stream?.cancel() }
    try pair.exchange()
    #expect(pair.client.streamCount == 0 && pair.server.streamCount == 0)
  }

  @Test("a large upload waits for the windows of a slow server, which the stream notices")
  func upload() throws {
    var numbers = SeededRandom()
    let pair = try HTTP2ClientPair(server: .public)
    var received: [HTTP2Stream] = []
    pair.serverRecord.answer = { _, stream, record in
      stream.pauseBody()
      record.keepsBody = false
      received.append(stream)
      record.onEnd = { $0.send(ResponseHead(.ok), endStream: true) }
    }
    let piece = [UInt8](repeating: 1, count: 100_000)
    let records = (0..<3).map { _ in pair.client.post() }
    for record in records {
      while record.stream?.isCongested == false {
        record.stream?.send(body: piece.span, endStream: false)
      }
      #expect(record.stream?.bufferedBytes ?? 0 <= 400_000)
    }
    try pair.exchange(using: &numbers)
    #expect(records.allSatisfy { $0.drainedCount == 0 })
    var rounds = 0
    while records.contains(where: { $0.drainedCount == 0 }), rounds < 100 {
      for stream in received {
        stream.resumeBody()
        stream.pauseBody()
      }
      try pair.exchange(using: &numbers)
      rounds += 1
    }
    #expect(records.allSatisfy { $0.drainedCount == 1 && $0.stream?.isCongested == false })
    for record in records { record.stream?.send(body: piece.span, endStream: true) }
    for stream in received { stream.resumeBody() }
    try pair.exchange(using: &numbers)
    #expect(records.allSatisfy { $0.isEnded })
    #expect(pair.serverRecord.records.allSatisfy { $0.bodyCount >= 300_000 })
  }

  @Test("changed settings change the windows of open streams, also below 0")
  func changedWindows() {
    let server = FrameServer()
    let record = server.client.post()
    server.deliver()
    record.stream?.send(body: [UInt8](repeating: 1, count: 1000).span, endStream: false)
    #expect(server.pull().map(\.payload.count) == [1000])
    // A window of 500: half of what was sent is now missing from it.
    server.frame(.settings, [0, 4, 0, 0, 1, 0xF4])
    server.deliver()
    record.stream?.send(body: [UInt8](repeating: 1, count: 700).span, endStream: true)
    #expect(server.pull().isEmpty)
    server.frame(.windowUpdate, stream: 1, [0, 0, 1, 0xF4])
    #expect(server.deliver().isEmpty)
    server.frame(.windowUpdate, stream: 1, [0, 0, 0, 100])
    #expect(server.deliver().map(\.payload.count) == [100])
    server.frame(.settings, [0, 4, 0, 0, 4, 0])
    let last = server.deliver().filter { $0.kind == 0 }
    #expect(last.map(\.payload.count) == [524])
    server.frame(.windowUpdate, stream: 1, [0, 0, 0xFF, 0])
    let end = server.deliver()
    #expect(end.map(\.payload.count) == [76] && end.map(\.flags) == [1])
  }

  @Test("padding counts against the windows, and its credit is returned")
  func padding() {
    var settings = HTTP2Settings.internal
    settings.streamWindow = 1000
    let server = FrameServer(settings: settings)
    let record = server.client.get()
    server.answer(endStream: false)
    var credit = 0
    for _ in 0..<10 {
      server.frame(
        .data, flags: 8, stream: 1,
        [200] + [UInt8](repeating: 2, count: 20) + [UInt8](repeating: 0, count: 200))
      for frame in server.deliver() where frame.kind == 8 && frame.stream == 1 {
        credit += Int(frame.payload[2]) << 8 | Int(frame.payload[3])
      }
    }
    #expect(record.body == [UInt8](repeating: 2, count: 200) && !record.isOver)
    #expect(credit >= 2210 - 1000)
  }
}
