import HTTP
import Requirements
import Support
import Testing
import Time

@Suite("HTTP/2 malformed input")
struct HTTP2MalformedTests {
  private static func changing(_ name: String, _ value: String) -> [(String, String)] {
    FrameClient.requestLines.map { $0.0 == name ? (name, value) : $0 }
  }

  private static func adding(_ name: String, _ value: String) -> [(String, String)] {
    FrameClient.requestLines + [(name, value)]
  }

  private static func leavingOut(_ name: String) -> [(String, String)] {
    FrameClient.requestLines.filter { $0.0 != name }
  }

  @Test(
    "a malformed head resets only its stream", .tags(.GW_4),
    arguments: [
      leavingOut(":path"), leavingOut(":method"), leavingOut(":scheme"),
      leavingOut(":authority"), changing(":path", ""), changing(":path", "relative"),
      changing(":path", "/a b"), changing(":scheme", "ftp"), changing(":method", "G T"),
      changing(":method", String(repeating: "M", count: 33)),
      adding(":method", "GET"), adding(":path", "/"), adding(":status", "200"),
      adding(":other", "x"), [("x", "y")] + FrameClient.requestLines, adding("X-Upper", "x"),
      adding("x y", "x"), adding("x", "a\0b"), adding("x", "a\r\nb"), adding("", "x"),
      adding("connection", "close"), adding("keep-alive", "1"), adding("upgrade", "h2c"),
      adding("transfer-encoding", "chunked"), adding("proxy-connection", "close"),
      adding("te", "gzip"), adding("content-length", "x"), adding("content-length", "-1"),
      adding("host", "elsewhere.org"),
      adding("content-length", "1") + [("content-length", "2")],
    ])
  func malformedHead(lines: [(String, String)]) throws {
    let client = try FrameClient()
    client.request(lines)
    client.request(stream: 3)
    let frames = try client.deliver()
    #expect(client.record.heads.count == 1)
    let reset = try #require(frames.first { $0.stream == 1 })
    #expect(reset.kind == 3 && reset.payload == [0, 0, 0, 1])
    #expect(client.server.sentGoAway == nil && client.server.streamCount == 0)
  }

  @Test(
    "unusual but valid input is accepted",
    arguments: [
      adding("te", "trailers"), adding("host", "example.org"), changing(":scheme", "http"),
      changing(":method", "PURGE"), adding("x-empty", ""), adding("x-latin", "é"),
    ])
  func unusualHead(lines: [(String, String)]) throws {
    let client = try FrameClient()
    client.request(lines)
    try client.deliver()
    #expect(client.record.heads.count == 1)
    #expect(client.record.heads.first?.authority == "example.org")
    #expect(client.record.heads.first?.fields.count(of: .host) == 1)
  }

  @Test(
    "a tunnel and an authority that HTTP/1.1 refuses are answered with 400", .tags(.GW_4),
    arguments: [
      [(":method", "CONNECT"), (":authority", "example.org:443")],
      changing(":authority", "user@example.org"), changing(":authority", "example.org:port"),
      changing(":authority", "example.org:123456"), changing(":authority", ":443"),
      changing(":authority", "[::1"), changing(":authority", "a,b@c"),
      changing(":authority", String(repeating: "a", count: 513)),
      leavingOut(":authority") + [("host", "user@example.org")],
    ])
  func refusedHead(lines: [(String, String)]) throws {
    for endStream in [true, false] {
      let client = try FrameClient()
      client.request(lines, endStream: endStream)
      client.request(stream: 3)
      try client.deliver()
      #expect(client.record.heads.count == 1)
      #expect(client.record.refusals == [.badRequest])
      #expect(client.server.sentGoAway == nil && client.server.streamCount == 0)
    }
  }

  @Test(
    "an authority that HTTP/1.1 accepts is accepted",
    arguments: ["example.org:8443", "[::1]:443", "192.0.2.1", "a-b_c.example", "EXAMPLE.org"])
  func acceptedAuthority(authority: String) throws {
    let client = try FrameClient()
    client.request(Self.changing(":authority", authority))
    try client.deliver()
    #expect(client.record.heads.first?.authority == authority)
  }

  @Test("split Cookie fields are joined")
  func cookies() throws {
    let client = try FrameClient()
    client.request(FrameClient.requestLines + [("cookie", "a=1"), ("x", "y"), ("cookie", "b=2")])
    try client.deliver()
    #expect(client.record.heads.first?.fields[.cookie] == "a=1; b=2")
    #expect(client.record.heads.first?.fields.count(of: .cookie) == 1)
  }

  @Test("a body shorter or longer than Content-Length resets the stream", arguments: [3, 5])
  func contentLength(count: Int) throws {
    let client = try FrameClient()
    client.record.answer = { _, _, _ in }
    client.request(Self.adding("content-length", "4"), endStream: false)
    client.frame(.data, flags: 1, stream: 1, [UInt8](repeating: 0, count: count))
    let frames = try client.deliver()
    #expect(frames.contains { $0.kind == 3 && $0.payload == [0, 0, 0, 1] })
    #expect(client.record.heads.first?.contentLength == 4)
    #expect(!client.record.records[0].isEnded)
    #expect(client.record.records[0].closures.map(\.cause) == [.resetHere(.protocolError)])
  }

  @Test("bytes that are not HTTP/2 are refused as a bad preface")
  func badPreface() throws {
    let server = try HTTP2Session(role: .server, settings: .public)
    let bytes = Array("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n".utf8)
    #expect(throws: HTTP2Error.badPreface) { try server.receive(bytes.span, at: .zero) }
    #expect(throws: HTTP2Error.badPreface) { try server.receive(bytes.span, at: .zero) }
    #expect(server.isFinished)
  }

  @Test("a frame that is too large, or on the wrong stream, ends the connection with a reason")
  func brokenFrames() throws {
    let broken: [(FrameClient) -> Void] = [
      { $0.frame(.data, stream: 0, [1]) },
      { $0.frame(.headers, flags: 4, stream: 2, FrameClient.block(FrameClient.requestLines)) },
      { $0.frame(.settings, flags: 1, [1]) },
      { $0.frame(.settings, [0, 1]) },
      { $0.frame(.ping, [1]) },
      { $0.frame(.windowUpdate, [0, 0, 0, 0]) },
      { $0.frame(.continuation, stream: 1) },
      { $0.frame(.pushPromise, flags: 4, stream: 1, [0, 0, 0, 2]) },
      { $0.frame(.headers, flags: 4, stream: 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]) },
      { $0.frame(.data, stream: 1, [UInt8](repeating: 0, count: 16_385)) },
    ]
    for (number, send) in broken.enumerated() {
      let client = try FrameClient()
      send(client)
      let frames = try client.deliver()
      #expect(frames.contains { $0.kind == 7 }, "case \(number)")
      #expect(client.server.isFinished, "case \(number)")
      #expect(client.record.heads.isEmpty, "case \(number)")
    }
  }

  @Test("frames of an unknown type are skipped")
  func unknownFrames() throws {
    let client = try FrameClient()
    for _ in 0..<100 { client.frame(.unknown, stream: 1, [1, 2, 3]) }
    client.request()
    try client.deliver()
    #expect(client.record.heads.count == 1)
  }

  @Test("random frames and damaged streams end in answers or errors, never in a crash")
  func fuzz() throws {
    var numbers = SeededRandom()
    for _ in 0..<300 {
      let client = try FrameClient()
      client.record.answer = { _, stream, record in
        stream.send(ResponseHead(.ok), endStream: false)
        record.onBody = { $0.send(body: [1, 2].span, endStream: false) }
        record.onEnd = { $0.sendEnd() }
      }
      let kinds: [FrameClient.Kind] = [
        .data, .headers, .priority, .reset, .settings, .pushPromise, .ping, .goAway,
        .windowUpdate, .continuation, .unknown,
      ]
      do {
        for _ in 0..<Int.random(in: 1...30, using: &numbers) {
          if Int.random(in: 0..<3, using: &numbers) == 0 {
            client.request(
              stream: UInt32.random(in: 0...9, using: &numbers),
              endStream: Bool.random(using: &numbers))
          } else {
            let payload = (0..<Int.random(in: 0...64, using: &numbers)).map { _ in
              UInt8.random(in: 0...255, using: &numbers)
            }
            client.frame(
              kinds.randomElement(using: &numbers) ?? .data,
              flags: UInt8.random(in: 0...63, using: &numbers),
              stream: UInt32.random(in: 0...9, using: &numbers), payload)
          }
          if Bool.random(using: &numbers) { try client.deliver() }
        }
        try client.deliver(raw: (0..<50).map { _ in UInt8.random(in: 0...255, using: &numbers) })
      } catch {
        #expect(client.server.isFinished)
      }
      client.server.connectionLost()
      #expect(client.record.records.allSatisfy { $0.closures.count == 1 })
    }
  }
}
