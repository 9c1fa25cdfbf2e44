import HTTP
import Requirements
import Testing

/// Floods that the library does not report, or that are small only on the wire.
@Suite("HTTP/2 floods hidden from the library", .tags(.GW_5))
struct HTTP2FloodTests {
  @Test("empty DATA on a stream closed by the server ends the connection")
  func dataOnClosed() throws {
    let client = try FrameClient()
    client.request(endStream: false)
    try client.deliver()
    for _ in 0..<900 { client.frame(.data, stream: 1) }
    try client.deliver()
    #expect(client.server.sentGoAway == nil)
    for _ in 0..<200 { client.frame(.data, flags: 1, stream: 1) }
    try client.deliver()
    #expect(client.server.sentGoAway == .enhanceYourCalm)
  }

  @Test("HEADERS on a stream closed by the server end the connection")
  func headersOnClosed() throws {
    let client = try FrameClient()
    client.request(endStream: false)
    try client.deliver()
    for _ in 0..<1100 { client.request(endStream: false) }
    try client.deliver()
    #expect(client.server.sentGoAway == .enhanceYourCalm)
    #expect(client.record.heads.count == 1)
  }

  @Test(
    "DATA of a few bytes, or of padding only, ends the connection",
    arguments: [[[], [1]], [[8], [0]], [[8], [200] + [UInt8](repeating: 0, count: 200)]])
  func smallData(frame: [[UInt8]]) throws {
    let client = try FrameClient()
    client.record.answer = { _, _, _ in }
    client.request(endStream: false)
    for number in 0..<1100 {
      client.frame(.data, flags: frame[0].first ?? 0, stream: 1, frame[1])
      if number % 100 == 0 { try client.deliver() }
    }
    try client.deliver()
    #expect(client.server.sentGoAway == .enhanceYourCalm)
  }

  @Test("a body in pieces of one line each is not a flood")
  func lines() throws {
    let client = try FrameClient()
    client.record.answer = { _, _, _ in }
    client.request(endStream: false)
    let line = Array("2024-02-01T08:00:00Z,heartRate,70\n".utf8)
    for number in 0..<20_000 {
      client.frame(.data, stream: 1, line)
      if number % 100 == 0 { try client.deliver() }
    }
    client.frame(.data, flags: 1, stream: 1)
    try client.deliver()
    #expect(client.server.sentGoAway == nil)
    #expect(client.record.records[0].bodyCount == 20_000 * line.count)
    #expect(client.record.records[0].isEnded)
  }

  /// A head with a field of 4000 bytes that enters the table, followed by references to it.
  private func flood(_ client: FrameClient, references: Int, streams: Int) throws {
    let lines = FrameClient.block(FrameClient.requestLines)
    let field: [UInt8] = [0x40, 1, 0x78, 127, 0xA1, 0x1E] + [UInt8](repeating: 0x76, count: 4000)
    client.frame(.headers, flags: 5, stream: 1, lines + field)
    try client.deliver()
    let block = lines + [UInt8](repeating: 0x80 | 62, count: references)
    for number in 1...UInt32(streams) {
      client.frame(.headers, flags: 5, stream: 2 * number + 1, block)
      try client.deliver()
      if client.server.sentGoAway != nil { return }
    }
  }

  @Test("references into the header table end the connection", arguments: [7, 25])
  func references(count: Int) throws {
    let client = try FrameClient()
    try flood(client, references: count, streams: 200)
    #expect(client.server.sentGoAway == .enhanceYourCalm)
    let unpacked = (client.record.heads.count + client.record.refusals.count) * count * 4033
    #expect(unpacked <= 1_500_000)
  }

  @Test("one reference to a large field in each of many heads is not a flood")
  func oneReference() throws {
    let client = try FrameClient()
    try flood(client, references: 1, streams: 1000)
    #expect(client.server.sentGoAway == nil)
    #expect(client.record.heads.count == 1001)
  }

  @Test("heads that are large on the wire are not a flood")
  func largeHeads() throws {
    let client = try FrameClient()
    for number in 0..<UInt32(500) {
      let value = String(repeating: "v", count: 8000)
      client.request(FrameClient.requestLines + [("a", value)], stream: 2 * number + 1)
      try client.deliver()
    }
    #expect(client.server.sentGoAway == nil)
    #expect(client.record.heads.count == 500)
  }

  @Test("repeated heads over the limits end the connection")
  func refusals() throws {
    let client = try FrameClient()
    let lines = FrameClient.requestLines + (0..<100).map { ("x-\($0)", "v") }
    for number in 0..<UInt32(250) {
      client.request(lines, stream: 2 * number + 1)
      try client.deliver()
    }
    #expect(client.server.sentGoAway == .enhanceYourCalm)
    #expect(client.record.refusals.count == 200)
  }

  @Test("windows of one byte earn no credit for further WINDOW_UPDATEs")
  func tinyWindows() throws {
    let client = try FrameClient()
    client.frame(.settings, [0, 4, 0, 0, 0, 0])
    client.record.answer = { _, stream, _ in
      stream.send(ResponseHead(.ok, contentLength: 100_000), endStream: false)
      stream.send(body: [UInt8](repeating: 0, count: 100_000).span, endStream: true)
    }
    client.request()
    try client.deliver()
    for _ in 0..<1100 {
      client.frame(.windowUpdate, stream: 1, [0, 0, 0, 1])
      try client.deliver()
    }
    #expect(client.server.sentGoAway == .enhanceYourCalm)
  }
}
