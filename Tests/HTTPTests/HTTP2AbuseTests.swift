import HTTP
import Requirements
import Testing
import Time

@Suite("HTTP/2 abuse")
struct HTTP2AbuseTests {
  private static let cancel: [UInt8] = [0, 0, 0, 8]

  private func resetStorm(_ client: FrameClient, count: UInt32, from first: UInt32 = 0) {
    for number in first..<(first + count) {
      client.request(stream: number * 2 + 1, endStream: false)
      client.frame(.reset, stream: number * 2 + 1, Self.cancel)
    }
  }

  @Test("a burst of 201 resets ends the connection", .tags(.GW_5))
  func rapidReset() throws {
    let client = try FrameClient()
    client.record.answer = { _, _, _ in }
    resetStorm(client, count: 201)
    let frames = try client.deliver()
    #expect(client.server.sentGoAway == .enhanceYourCalm)
    #expect(frames.contains { $0.kind == 7 })
    #expect(client.server.isFinished)
    let before = client.record.heads.count
    client.request(stream: 9001)
    try client.deliver()
    #expect(client.record.heads.count == before)
  }

  @Test("no request of a read with more resets than allowed is handled", .tags(.GW_5))
  func unreadResets() throws {
    let client = try FrameClient()
    client.request(stream: 1)
    try client.deliver()
    resetStorm(client, count: 201, from: 1)
    let frames = try client.deliver()
    #expect(client.record.heads.count == 1)
    let goAway = try #require(frames.first { $0.kind == 7 })
    #expect(goAway.payload.prefix(4) == [0, 0, 0, 1])
  }

  @Test("200 resets at once are tolerated, and more over time", .tags(.GW_5))
  func resetsInTime() throws {
    let client = try FrameClient()
    client.record.answer = { _, _, _ in }
    resetStorm(client, count: 200)
    try client.deliver()
    #expect(client.server.sentGoAway == nil)
    client.now = client.now + .seconds(5)
    resetStorm(client, count: 100, from: 200)
    try client.deliver()
    #expect(client.server.sentGoAway == nil)
    resetStorm(client, count: 2, from: 300)
    try client.deliver()
    #expect(client.server.sentGoAway == .enhanceYourCalm)
  }

  @Test("streams that the client makes the server reset count as resets", .tags(.GW_5))
  func madeResets() throws {
    let client = try FrameClient()
    client.record.answer = { _, _, _ in }
    for number in 0..<UInt32(202) {
      client.request(stream: number * 2 + 1, endStream: false)
      client.frame(.windowUpdate, stream: number * 2 + 1, [0, 0, 0, 0])
      if number % 50 == 49 { try client.deliver() }
    }
    try client.deliver()
    #expect(client.server.sentGoAway != nil)
  }

  @Test(
    "a flood of frames without content ends the connection", .tags(.GW_5),
    arguments: [
      FrameClient.Kind.ping, .settings, .priority, .windowUpdate, .data,
    ])
  func idleFrames(kind: FrameClient.Kind) throws {
    let client = try FrameClient()
    client.record.answer = { _, _, _ in }
    client.request(endStream: false)
    try client.deliver()
    let flood = {
      switch kind {
      case .ping: client.frame(.ping, [UInt8](repeating: 0, count: 8))
      case .priority: client.frame(.priority, stream: 3, [0, 0, 0, 1, 0])
      case .windowUpdate: client.frame(.windowUpdate, stream: 1, [0, 0, 0, 1])
      case .data: client.frame(.data, stream: 1)
      default: client.frame(kind)
      }
    }
    for _ in 0..<20 {
      for _ in 0..<49 { flood() }
      try client.deliver()
    }
    #expect(client.server.sentGoAway == nil)
    for _ in 0..<20 { flood() }
    try client.deliver()
    #expect(client.server.sentGoAway == .enhanceYourCalm)
  }

  @Test("a peer that never reads its acknowledgements is disconnected", .tags(.GW_5))
  func unreadAcknowledgements() throws {
    let client = try FrameClient()
    for _ in 0..<200 { client.frame(.ping, [UInt8](repeating: 0, count: 8)) }
    #expect(throws: HTTP2Error.flooded) { try client.deliver() }
    #expect(client.server.isFinished)
  }

  @Test("a head in endless CONTINUATION frames ends the connection", .tags(.GW_5))
  func continuations() throws {
    let client = try FrameClient()
    client.frame(.headers, stream: 1, FrameClient.block(FrameClient.requestLines))
    for _ in 0..<20 { client.frame(.continuation, stream: 1, FrameClient.block([("x", "y")])) }
    do {
      try client.deliver()
      #expect(client.server.sentGoAway != nil)
    } catch {
      #expect(client.server.isFinished)
    }
    #expect(client.record.heads.isEmpty)
  }

  @Test("the start time of an incomplete head is available for a deadline", .tags(.GW_5))
  func slowHead() throws {
    let client = try FrameClient()
    let block = FrameClient.block(FrameClient.requestLines)
    try client.deliver()
    #expect(client.server.headBegan == nil)
    client.frame(.headers, flags: 1, stream: 1, Array(block[..<9]))
    try client.deliver()
    #expect(client.server.headBegan != nil)
    client.frame(.continuation, flags: 4, stream: 1, Array(block[9...]))
    try client.deliver()
    #expect(client.server.headBegan == nil && client.record.heads.count == 1)
  }

  @Test("a head of 32 KiB is read, one byte more is answered with 431", .tags(.GW_5))
  func headBytes() throws {
    let used = FrameClient.requestLines.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count + 32 }
    let room = 32 * 1024 - used - 2 * (32 + 1)
    for excess in [0, 1] {
      let client = try FrameClient()
      let half = String(repeating: "v", count: room / 2)
      let rest = String(repeating: "v", count: room - room / 2 + excess)
      let block = FrameClient.block(FrameClient.requestLines + [("a", half), ("b", rest)])
      client.frame(.headers, flags: 1, stream: 1, Array(block[..<16_000]))
      client.frame(.continuation, stream: 1, Array(block[16_000..<32_000]))
      client.frame(.continuation, flags: 4, stream: 1, Array(block[32_000...]))
      try client.deliver()
      #expect(client.record.heads.count == 1 - excess)
      #expect(client.record.refusals == (excess == 1 ? [.fieldsTooLarge] : []))
      #expect(client.server.sentGoAway == nil && client.server.streamCount == 0)
    }
  }

  @Test("a head of 100 fields is read, one of 101 is answered with 431", .tags(.GW_5))
  func fieldCount() throws {
    for excess in [0, 1] {
      let client = try FrameClient()
      let lines = (0..<(96 + excess)).map { ("x-\($0)", "v") }
      client.request(FrameClient.requestLines + lines)
      try client.deliver()
      #expect(client.record.heads.count == 1 - excess)
      #expect(client.record.refusals == (excess == 1 ? [.fieldsTooLarge] : []))
    }
  }

  @Test("a target of 8 KiB is read, one byte more is answered with 414", .tags(.GW_5))
  func targetBytes() throws {
    for excess in [0, 1] {
      let client = try FrameClient()
      var lines = FrameClient.requestLines
      lines[2].1 = "/" + String(repeating: "a", count: 8 * 1024 - 1 + excess)
      client.request(lines)
      try client.deliver()
      #expect(client.record.heads.count == 1 - excess)
      #expect(client.record.refusals == (excess == 1 ? [.targetTooLong] : []))
    }
  }

  @Test("a small block that decodes to megabytes ends the connection", .tags(.GW_5))
  func compressionBomb() throws {
    let client = try FrameClient()
    // A literal with indexing (RFC 7541, section 6.2.1), then references to it of one byte each.
    let value = [UInt8](repeating: 0x76, count: 3000)
    var block = FrameClient.block(FrameClient.requestLines)
    block += [0x40, 1, 0x78, 127, 0xB9, 0x16] + value
    block += [UInt8](repeating: 0x80 | 62, count: 10_000)
    client.frame(.headers, flags: 5, stream: 1, block)
    try client.deliver()
    #expect(client.server.sentGoAway == .enhanceYourCalm)
    #expect(client.record.heads.isEmpty)
  }

  @Test("exceeding the window ends the connection", .tags(.GW_5))
  func windowOverrun() throws {
    let client = try FrameClient()
    client.record.answer = { _, stream, _ in stream.pauseBody() }
    client.request(endStream: false)
    for _ in 0..<5 {
      client.frame(.data, stream: 1, [UInt8](repeating: 0, count: 16_384))
    }
    try client.deliver()
    let isCut = client.server.sentGoAway == .flowControlError
    #expect(isCut || client.record.records[0].closures.count == 1)
  }

  @Test("more streams than allowed are refused")
  func tooManyStreams() throws {
    let client = try FrameClient()
    client.record.answer = { _, _, _ in }
    for number in 0..<UInt32(129) { client.request(stream: number * 2 + 1) }
    let frames = try client.deliver()
    #expect(client.record.heads.count == 128)
    #expect(frames.contains { $0.kind == 3 && $0.stream == 257 })
  }
}
