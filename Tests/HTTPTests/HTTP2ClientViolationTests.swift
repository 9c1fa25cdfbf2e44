import HTTP
import Requirements
import Testing

/// A violation of a server, and the code that answers it.
struct ServerViolation: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let code: HTTP2ErrorCode
  let send: @Sendable (FrameServer) -> Void

  init(
    _ description: String, _ code: HTTP2ErrorCode, _ send: @escaping @Sendable (FrameServer) -> Void
  ) {
    testDescription = description
    self.code = code
    self.send = send
  }
}

private func block(_ fields: [(String, String)]) -> [UInt8] { FrameClient.block(fields) }

/// Violations that end the connection; one request without a body is open.
private let connectionViolations: [ServerViolation] = [
  ServerViolation("DATA on stream 0", .protocolError) { $0.frame(.data, [1]) },
  ServerViolation("DATA on an idle stream", .protocolError) { $0.frame(.data, stream: 7, [1]) },
  ServerViolation("DATA on a stream of the server", .protocolError) {
    $0.frame(.data, stream: 2, [1])
  },
  ServerViolation("padding as long as DATA", .protocolError) {
    $0.answer(endStream: false)
    $0.frame(.data, flags: 8, stream: 1, [2, 0])
  },
  ServerViolation("padded DATA without its length", .frameSizeError) {
    $0.frame(.data, flags: 8, stream: 1)
  },
  ServerViolation("a frame longer than 16 KiB", .frameSizeError) {
    $0.frame(.data, stream: 1, length: 16_385)
  },
  ServerViolation("HEADERS on stream 0", .protocolError) { $0.answer(stream: 0) },
  ServerViolation("HEADERS on an idle stream", .protocolError) { $0.answer(stream: 9) },
  ServerViolation("HEADERS on a stream of the server", .protocolError) { $0.answer(stream: 2) },
  ServerViolation("padding longer than HEADERS", .protocolError) {
    $0.frame(.headers, flags: 0xC, stream: 1, [9, 0x88])
  },
  ServerViolation("HEADERS shorter than their priority", .frameSizeError) {
    $0.frame(.headers, flags: 0x24, stream: 1, [0x88])
  },
  ServerViolation("a block that cannot be decoded", .compressionError) {
    $0.frame(.headers, flags: 4, stream: 1, [0xBE])
  },
  ServerViolation("a frame within a head", .protocolError) {
    $0.frame(.headers, stream: 1, [0x88])
    $0.frame(.ping, [UInt8](repeating: 0, count: 8))
  },
  ServerViolation("an unknown frame within a head", .protocolError) {
    $0.frame(.headers, stream: 1, [0x88])
    $0.frame(.unknown, stream: 1)
  },
  ServerViolation("CONTINUATION without HEADERS", .protocolError) {
    $0.frame(.continuation, flags: 4, stream: 1, [0x88])
  },
  ServerViolation("CONTINUATION on another stream", .protocolError) {
    $0.frame(.headers, stream: 1, [0x88])
    $0.frame(.continuation, flags: 4, stream: 3)
  },
  ServerViolation("endless CONTINUATION", .enhanceYourCalm) { server in
    server.frame(.headers, stream: 1, [0x88])
    for _ in 0..<20 { server.frame(.continuation, stream: 1) }
  },
  ServerViolation("a head of more than four times the limit", .enhanceYourCalm) { server in
    server.frame(.headers, stream: 1, [0x88])
    let value = String(repeating: "v", count: 16_000)
    for _ in 0..<9 { server.frame(.continuation, stream: 1, block([("x-a", value)])) }
    server.frame(.continuation, flags: 4, stream: 1)
  },
  ServerViolation("PRIORITY on stream 0", .protocolError) {
    $0.frame(.priority, [UInt8](repeating: 0, count: 5))
  },
  ServerViolation("PRIORITY of another length", .frameSizeError) {
    $0.frame(.priority, stream: 1, [0])
  },
  ServerViolation("RST_STREAM on stream 0", .protocolError) { $0.frame(.reset, [0, 0, 0, 8]) },
  ServerViolation("RST_STREAM on an idle stream", .protocolError) {
    $0.frame(.reset, stream: 7, [0, 0, 0, 8])
  },
  ServerViolation("RST_STREAM of another length", .frameSizeError) {
    $0.frame(.reset, stream: 1, [8])
  },
  ServerViolation("SETTINGS on a stream", .protocolError) { $0.frame(.settings, stream: 1) },
  ServerViolation("SETTINGS of another length", .frameSizeError) { $0.frame(.settings, [0]) },
  ServerViolation("an acknowledgement with settings", .frameSizeError) {
    $0.frame(.settings, flags: 1, [0, 3, 0, 0, 0, 1])
  },
  ServerViolation("a server that allows push", .protocolError) {
    $0.frame(.settings, [0, 2, 0, 0, 0, 1])
  },
  ServerViolation("a window above 2^31 - 1 in SETTINGS", .flowControlError) {
    $0.frame(.settings, [0, 4, 0x80, 0, 0, 0])
  },
  ServerViolation("a frame size below the least one", .protocolError) {
    $0.frame(.settings, [0, 5, 0, 0, 0x3F, 0xFF])
  },
  ServerViolation("a frame size above the greatest one", .protocolError) {
    $0.frame(.settings, [0, 5, 1, 0, 0, 0])
  },
  ServerViolation("SETTINGS with many entries", .enhanceYourCalm) {
    $0.frame(.settings, Array(repeatElement([0, 9, 0, 0, 0, 0], count: 40).joined()))
  },
  ServerViolation("a setting that makes a window too large", .flowControlError) {
    $0.frame(.windowUpdate, stream: 1, [0x7F, 0xFF, 0, 0])
    $0.frame(.settings, [0, 4, 0x7F, 0xFF, 0xFF, 0xFF])
  },
  ServerViolation("PUSH_PROMISE", .protocolError) {
    $0.frame(.pushPromise, flags: 4, stream: 1, [0, 0, 0, 2, 0x88])
  },
  ServerViolation("PING on a stream", .protocolError) {
    $0.frame(.ping, stream: 1, [UInt8](repeating: 0, count: 8))
  },
  ServerViolation("PING of another length", .frameSizeError) { $0.frame(.ping, [0]) },
  ServerViolation("endless PING, read at once", .enhanceYourCalm) { server in
    for _ in 0..<1100 { server.frame(.ping, [UInt8](repeating: 0, count: 8)) }
  },
  ServerViolation("GOAWAY on a stream", .protocolError) {
    $0.frame(.goAway, stream: 1, [UInt8](repeating: 0, count: 8))
  },
  ServerViolation("GOAWAY of another length", .frameSizeError) { $0.frame(.goAway, [0]) },
  ServerViolation("GOAWAY with a higher number than before", .protocolError) {
    $0.frame(.goAway, [0, 0, 0, 1, 0, 0, 0, 0])
    $0.frame(.goAway, [0, 0, 0, 3, 0, 0, 0, 0])
  },
  ServerViolation("GOAWAY with a number of the server", .protocolError) {
    $0.frame(.goAway, [0, 0, 0, 2, 0, 0, 0, 0])
  },
  ServerViolation("WINDOW_UPDATE of 0 for the connection", .protocolError) {
    $0.frame(.windowUpdate, [0, 0, 0, 0])
  },
  ServerViolation("a window of the connection above 2^31 - 1", .flowControlError) {
    $0.frame(.windowUpdate, [0x7F, 0xFF, 0xFF, 0xFF])
  },
  ServerViolation("WINDOW_UPDATE of another length", .frameSizeError) {
    $0.frame(.windowUpdate, stream: 1, [0])
  },
  ServerViolation("WINDOW_UPDATE on an idle stream", .protocolError) {
    $0.frame(.windowUpdate, stream: 7, [0, 0, 0, 1])
  },
  ServerViolation("DATA after the end of a response", .streamClosed) {
    $0.answer()
    $0.frame(.data, stream: 1, [1])
  },
  ServerViolation("HEADERS after the end of a response", .streamClosed) {
    $0.answer()
    $0.answer()
  },
  ServerViolation("HEADERS after RST_STREAM", .streamClosed) {
    $0.frame(.reset, stream: 1, [0, 0, 0, 2])
    $0.answer()
  },
]

/// Violations that reset the stream of the open request.
private let streamViolations: [ServerViolation] = [
  ServerViolation("DATA before the head", .protocolError) { $0.frame(.data, stream: 1, [1]) },
  ServerViolation("more DATA than the stream's window", .flowControlError) { server in
    server.answer(endStream: false)
    for _ in 0..<17 { server.frame(.data, stream: 1, [UInt8](repeating: 0, count: 16_384)) }
  },
  ServerViolation("a longer body than announced", .protocolError) {
    $0.answer([("content-length", "2")], endStream: false)
    $0.frame(.data, stream: 1, [1, 2, 3])
  },
  ServerViolation("a shorter body than announced", .protocolError) {
    $0.answer([("content-length", "2")], endStream: false)
    $0.frame(.data, flags: 1, stream: 1, [1])
  },
  ServerViolation("no body where one is announced", .protocolError) {
    $0.answer([("content-length", "2")])
  },
  ServerViolation("a body of 304", .protocolError) {
    $0.answer(endStream: false, status: 11)
    $0.frame(.data, stream: 1, [1])
  },
  ServerViolation("trailers that do not end the stream", .protocolError) {
    $0.answer(endStream: false)
    $0.frame(.headers, flags: 4, stream: 1, block([("x-a", "1")]))
  },
  ServerViolation("trailers with a status", .protocolError) {
    $0.answer(endStream: false)
    $0.answer()
  },
  ServerViolation("an informational response at the end", .protocolError) {
    $0.frame(.headers, flags: 5, stream: 1, block([(":status", "100")]))
  },
  ServerViolation("WINDOW_UPDATE of 0", .protocolError) {
    $0.frame(.windowUpdate, stream: 1, [0, 0, 0, 0])
  },
  ServerViolation("a window above 2^31 - 1", .flowControlError) {
    $0.frame(.windowUpdate, stream: 1, [0x7F, 0xFF, 0xFF, 0xFF])
  },
]

/// Fields of responses that are malformed (RFC 9113, sections 8.1 to 8.3).
private let malformedHeads: [[(String, String)]] = [
  [], [("x-a", "1")], [(":status", "20")], [(":status", "2000")], [(":status", "abc")],
  [(":status", "099")], [(":status", "101")], [(":status", "200"), (":status", "200")],
  [("x-a", "1"), (":status", "200")], [(":status", "200"), (":path", "/")],
  [(":status", "200"), (":other", "1")], [(":status", "200"), ("", "1")],
  [(":status", "200"), ("X-Capital", "1")], [(":status", "200"), ("Content-Type", "a")],
  [(":status", "200"), ("x a", "1")], [(":status", "200"), ("x-a", "1\n2")],
  [(":status", "200"), ("x-a", " 1")], [(":status", "200"), ("x-a", "1\t")],
  [(":status", "200"), ("x-a", "\u{0}")], [(":status", "200"), ("connection", "close")],
  [(":status", "200"), ("transfer-encoding", "chunked")], [(":status", "200"), ("te", "gzip")],
  [(":status", "200"), ("keep-alive", "1")], [(":status", "200"), ("upgrade", "a")],
  [(":status", "200"), ("proxy-connection", "a")], [(":status", "200"), ("content-length", "-1")],
  [(":status", "200"), ("content-length", "")], [(":status", "200"), ("content-length", "1,1")],
  [(":status", "200"), ("content-length", "0"), ("content-length", "0")],
  [(":status", "200"), ("x-a", String(repeating: "a", count: 33 * 1024))],
  [(":status", "200")] + (0..<100).map { ("x-\($0)", "") },
]

@Suite("Our HTTP/2 client and servers that violate the protocol", .tags(.GW_4))
struct HTTP2ClientViolationTests {
  @Test("a violation ends the connection with its code", arguments: connectionViolations)
  func connection(violation: ServerViolation) {
    let server = FrameServer()
    let records = [server.client.get(), server.client.get()]
    server.deliver()
    records[1].stream?.cancel()
    violation.send(server)
    let frames = server.deliver()
    #expect(FrameServer.goAway(in: frames) == violation.code)
    #expect(server.client.isFinished && !server.client.acceptsRequests)
    server.client.connectionLost(.connectionLost)
    #expect(records[0].isOver)
  }

  @Test(
    "a violation on a stream resets it, and the connection continues", arguments: streamViolations)
  func stream(violation: ServerViolation) {
    let server = FrameServer()
    let record = server.client.get()
    // Otherwise credit would be returned for what was read.
    record.onHead = { $0.stream?.holdBody() }
    let other = server.client.get()
    server.deliver()
    violation.send(server)
    let frames = server.deliver()
    #expect(FrameServer.reset(in: frames) == violation.code)
    #expect(FrameServer.goAway(in: frames) == nil)
    #expect(record.failure?.cause == .malformedResponse)
    // What the server sent before it knew of the reset is ignored.
    server.frame(.data, stream: 1, [1])
    server.frame(.windowUpdate, stream: 1, [0, 0, 0, 1])
    server.frame(.reset, stream: 1, [0, 0, 0, 0])
    server.answer(stream: 3)
    #expect(FrameServer.goAway(in: server.deliver()) == nil)
    #expect(other.isEnded)
  }

  @Test("a malformed head resets its stream", arguments: malformedHeads.indices)
  func malformed(index: Int) {
    let server = FrameServer()
    let record = server.client.get()
    server.deliver()
    let payload = block(malformedHeads[index])
    let pieces = stride(from: 0, to: max(1, payload.count), by: 16_384).map {
      Array(payload[$0..<min($0 + 16_384, payload.count)])
    }
    for (number, piece) in pieces.enumerated() {
      server.frame(
        number == 0 ? .headers : .continuation,
        flags: (number == 0 ? 1 : 0) | (number == pieces.count - 1 ? 4 : 0), stream: 1, piece)
    }
    let frames = server.deliver()
    #expect(FrameServer.reset(in: frames) == .protocolError)
    #expect(FrameServer.goAway(in: frames) == nil)
    #expect(record.failure == StreamFailure(.malformedResponse, .sent))
  }

  @Test("a connection begins with settings", arguments: [FrameClient.Kind.ping, .windowUpdate])
  func firstFrame(kind: FrameClient.Kind) {
    let server = FrameServer(sendsSettings: false)
    server.frame(kind, [UInt8](repeating: 1, count: kind == .ping ? 8 : 4))
    #expect(FrameServer.goAway(in: server.deliver()) == .protocolError)
    let acknowledging = FrameServer(sendsSettings: false)
    acknowledging.frame(.settings, flags: 1)
    #expect(FrameServer.goAway(in: acknowledging.deliver()) == .protocolError)
  }

  @Test("the client's first frames announce no table and no push, and its windows")
  func preface() {
    let server = FrameServer(sendsSettings: false)
    let frames = server.pull()
    #expect(frames.map(\.kind) == [4, 8])
    let payload = frames[0].payload
    #expect(Array(payload.prefix(12)) == [0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0])
    #expect(Array(payload[12..<18]) == [0, 4, 0, 4, 0, 0])
    #expect(frames[1].payload == [0, 0xFF, 0, 1])
  }

  @Test("a head in several frames, with padding and a priority, is read like one frame")
  func dividedHead() {
    let server = FrameServer()
    let record = server.client.get()
    let fields = block([("x-a", "1"), ("content-length", "3")])
    server.frame(.headers, flags: 0x28, stream: 1, [2, 0, 0, 0, 0, 9, 0x88, 0, 0])
    server.frame(.continuation, stream: 1, Array(fields.prefix(5)))
    server.frame(.continuation, stream: 1)
    server.frame(.continuation, flags: 4, stream: 1, Array(fields.dropFirst(5)))
    server.frame(.data, flags: 9, stream: 1, [2, 7, 8, 9, 0, 0])
    #expect(FrameServer.goAway(in: server.deliver()) == nil)
    #expect(record.head?.fields["x-a"] == "1" && record.head?.contentLength == 3)
    #expect(record.body == [7, 8, 9] && record.isEnded)
  }

  @Test("a flood of resets, and of frames without content, ends the connection", .tags(.GW_5))
  func floods() {
    var settings = HTTP2Settings.internal
    settings.flood = HTTP2FloodLimits()
    for isReset in [true, false] {
      let server = FrameServer(settings: settings)
      server.deliver()
      var code: HTTP2ErrorCode?
      for number in 0..<1200 as Range<UInt32> where code == nil {
        if isReset {
          _ = server.client.get()
          server.frame(.reset, stream: 2 * number + 1, [0, 0, 0, 7])
        } else {
          server.frame(.unknown)
        }
        code = FrameServer.goAway(in: server.deliver())
      }
      #expect(code == .enhanceYourCalm)
    }
  }

  @Test("a body above the limit fails its request")
  func bodyBytesMax() throws {
    let pair = try HTTP2ClientPair(bodyBytesMax: 1000)
    pair.serverRecord.answer = { _, stream, _ in
      stream.send(ResponseHead(.ok), endStream: false)
      stream.send(body: [UInt8](repeating: 1, count: 1001).span, endStream: true)
    }
    let record = pair.client.get()
    try pair.exchange()
    #expect(record.failure == StreamFailure(.malformedResponse, .responseBegun))
  }
}
