import HTTP
import Requirements
import Testing

@Suite("HTTP/2 responses that are reset at the limit of memory", .tags(.GW_5))
struct HTTP2ShedTests {
  typealias Served = HTTP2UntakenTests.Served

  @Test("at the limit of a server, only a connection between our own processes loses one response")
  func shed() throws {
    let served = try Served(answering: 200_000, settings: .service)
    for number in 0..<UInt32(3) { served.client.request(stream: 2 * number + 1) }
    served.send()
    // The third response is the largest one left.
    for stream in [1, 3] as [UInt32] { served.grant(92, stream: stream) }
    let waiting = served.engine.waitingBytes
    // All are fresh: one response is reset, even if more bytes are wanted.
    #expect(served.engine.shed(300_000) == 1)
    #expect(served.engine.waitingBytes == waiting - 200_000)
    served.send()
    #expect(!served.isClosed)
    #expect(served.host.handlers.map { $0.abortReason == nil } == [true, true, false])
    let foreign = try Served(answering: 200_000)
    foreign.client.request(stream: 1)
    foreign.send()
    #expect(foreign.engine.shed(1) == 0)
  }

  @Test("a response that drips is reset before larger ones that pause or are fresh")
  func shedSlowest() throws {
    let served = try Served(answering: 100_000, settings: .service)
    for number in 0..<UInt32(2) { served.client.request(stream: 2 * number + 1) }
    served.send()
    // The second client reads 23 KiB and pauses; the first one reads 120 bytes now and then.
    served.grant(92, stream: 3)
    for _ in 0..<5 {
      served.wait(2)
      served.client.frame(.windowUpdate, stream: 1, [0, 0, 0, 120])
      served.send()
    }
    served.answerNext(200_000)
    served.client.request(stream: 5)
    served.send()
    let waiting = served.engine.waitingBytes
    #expect(served.engine.shed(1) == 1)
    #expect(served.engine.waitingBytes == waiting - 99_400)
    #expect(served.resets() == [true, false, false])
    // The fresh reader gets its whole answer.
    served.client.frame(.windowUpdate, stream: 5, [0, 3, 0x0D, 0x40])
    #expect(served.resets() == [true, false, false])
    #expect(served.engine.waitingBytes == 100_000 - 92 * 256)
    #expect(!served.isClosed)
  }

  @Test("slow responses are reset until the bytes are free, the largest of equally slow ones first")
  func shedSeveral() throws {
    let served = try Served(answering: 50_000, settings: .service)
    for number in 0..<UInt32(5) {
      served.answerNext(50_000 + 10_000 * Int(number))
      served.client.request(stream: 2 * number + 1)
      served.send()
    }
    served.wait(3)
    served.answerNext(200_000)
    served.client.request(stream: 11)
    served.send()
    let waiting = served.engine.waitingBytes
    // 90,000 and 80,000 are too few.
    #expect(served.engine.shed(200_000) == 3)
    #expect(served.engine.waitingBytes == waiting - 240_000)
    #expect(served.resets() == [false, false, true, true, true, false])
    // The slow ones left are reset together, and only then the fresh one.
    #expect(served.engine.shed(1_000_000) == 2)
    #expect(served.engine.waitingBytes == 200_000)
    #expect(served.engine.shed(1_000_000) == 1)
    #expect(served.engine.shed(1_000_000) == 0)
    #expect(served.engine.waitingBytes == 0)
    #expect(!served.isClosed)
  }

  @Test("a response that was read fast and then stopped ranks below one that is read slowly")
  func shedStopped() throws {
    let served = try Served(answering: 1_000_000, settings: .service)
    for number in 0..<UInt32(2) { served.client.request(stream: 2 * number + 1) }
    served.send()
    // 900,000 bytes at once, or 4 KiB a second.
    served.client.frame(.windowUpdate, stream: 1, [0, 0x0D, 0xBB, 0xA0])
    served.send()
    for _ in 0..<100 {
      served.wait(2)
      served.grant(32, stream: 3)
    }
    #expect(served.engine.shed(1) == 1)
    #expect(served.resets() == [true, false])
  }

  @Test("a response whose bytes have just begun to wait is fresh at any age of its stream")
  func shedOldStream() throws {
    let served = try Served(answering: 0, settings: .service)
    served.host.script = { handler in
      handler.onEnd = { handler in
        guard let stream = handler.stream else { return }
        stream.send(head: ResponseHead(.ok), endStream: false)
      }
    }
    served.client.request(stream: 1)
    served.send()
    served.wait(100)
    served.answerNext(1000)
    served.client.request(stream: 3)
    served.send()
    served.wait(3)
    let events = [UInt8](repeating: 0x61, count: 2000)
    served.host.handlers[0].stream?.send(body: events.span, endStream: false)
    #expect(served.engine.shed(1) == 1)
    #expect(served.resets() == [false, true])
  }

  @Test("responses that are partly announced are reset without a loss of the link")
  func shedAnnounced() throws {
    let served = try Served(answering: 100_000, settings: .service)
    for number in 0..<UInt32(30) {
      served.client.request(stream: 2 * number + 1)
      served.client.frame(.windowUpdate, stream: 2 * number + 1, [0, 0x10, 0, 0])
    }
    // The output takes a part: one frame is announced, and its bytes are queued.
    served.host.congestsAbove = 100_000
    served.send()
    #expect(served.engine.waitingBytes > 1_000_000)
    while served.engine.shed(1) > 0 {}
    #expect(served.engine.waitingBytes < 100_000)
    served.host.congestsAbove = .max
    served.host.isCongested = false
    served.engine.outputDrained()
    served.send()
    #expect(!served.isClosed)
    #expect(served.engine.waitingBytes == 0)
  }
}
