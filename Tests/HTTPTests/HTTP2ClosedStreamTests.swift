import HTTP
import Requirements
import Testing
import Time

/// The cases of RFC 9113, sections 5.1 and 5.1.1, that the conformance suite h2spec covers.
@Suite("HTTP/2 frames on closed or unopened streams", .tags(.GW_4))
struct HTTP2ClosedStreamTests {
  typealias Kind = FrameClient.Kind

  /// How a client closes a stream.
  enum Closing: Sendable, CaseIterable {
    case byReset, byEnd

    func apply(_ client: FrameClient, stream: UInt32 = 1) {
      switch self {
      case .byReset:
        client.request(stream: stream, endStream: false)
        client.frame(.reset, stream: stream, [0, 0, 0, 8])
      case .byEnd: client.request(stream: stream)
      }
    }
  }

  private static func send(_ kind: Kind, stream: UInt32 = 1, by client: FrameClient) {
    let block = FrameClient.block(FrameClient.requestLines)
    switch kind {
    case .headers: client.frame(.headers, flags: 5, stream: stream, block)
    case .continuation: client.frame(.continuation, flags: 4, stream: stream, block)
    default: client.frame(kind, stream: stream, Array("test".utf8))
    }
  }

  /// The code of the GOAWAY sent to the client.
  private static func goAway(
    _ frames: [(kind: UInt8, stream: UInt32, payload: [UInt8])]
  ) -> HTTP2ErrorCode? {
    guard let payload = frames.first(where: { $0.kind == Kind.goAway.rawValue })?.payload else {
      return nil
    }
    return HTTP2ErrorCode(rawValue: payload[4..<8].reduce(0) { $0 << 8 | UInt32($1) })
  }

  @Test(
    "DATA, RST_STREAM, WINDOW_UPDATE and CONTINUATION on a stream that was never opened",
    arguments: [Kind.data, .reset, .windowUpdate, .continuation])
  func idle(_ kind: Kind) throws {
    let client = try FrameClient()
    Self.send(kind, by: client)
    #expect(Self.goAway(try client.deliver()) == .protocolError)
  }

  @Test(
    "DATA, HEADERS and CONTINUATION on a stream ended by the client, before its response",
    arguments: [Kind.data, .headers, .continuation])
  func halfClosed(_ kind: Kind) throws {
    let client = try FrameClient()
    client.record.answer = { _, _, _ in }
    client.request()
    try client.deliver()
    Self.send(kind, by: client)
    let code = Self.goAway(try client.deliver())
    #expect(code == (kind == .continuation ? .protocolError : .streamClosed))
    #expect(client.record.heads.count == 1)
  }

  @Test(
    "DATA, HEADERS and CONTINUATION on a stream closed by the client, immediately or later",
    arguments: [Kind.data, .headers, .continuation], Closing.allCases)
  func closed(_ kind: Kind, _ closing: Closing) throws {
    for isLater in [false, true] {
      let client = try FrameClient()
      closing.apply(client)
      if isLater { try client.deliver() }
      Self.send(kind, by: client)
      let code = Self.goAway(try client.deliver())
      #expect(code == (kind == .continuation ? .protocolError : .streamClosed))
      #expect(client.record.heads.count == 1)
      #expect(client.server.isFinished)
    }
  }

  @Test("a closed stream is remembered for 255 further ones", arguments: Closing.allCases)
  func known(_ closing: Closing) throws {
    for (later, code) in [(255, HTTP2ErrorCode.streamClosed), (256, nil)] {
      var settings = HTTP2Settings.public
      settings.flood.resetsBurst = 1000
      let client = try FrameClient(settings)
      closing.apply(client)
      for number in 1...UInt32(later) {
        client.request(stream: 2 * number + 1)
        try client.deliver()
      }
      Self.send(.data, by: client)
      #expect(Self.goAway(try client.deliver()) == code)
    }
  }

  @Test("HEADERS with a stream identifier of the server")
  func evenNumber() throws {
    let client = try FrameClient()
    Self.send(.headers, stream: 2, by: client)
    #expect(Self.goAway(try client.deliver()) == .protocolError)
    #expect(client.record.heads.isEmpty)
  }

  @Test("HEADERS and DATA with an identifier below a used one", arguments: [Kind.headers, .data])
  func numberGoingBack(_ kind: Kind) throws {
    for isLater in [false, true] {
      let client = try FrameClient()
      client.request(stream: 5)
      if isLater { try client.deliver() }
      Self.send(kind, stream: 3, by: client)
      #expect(Self.goAway(try client.deliver()) == .protocolError)
      #expect(client.record.heads.count == 1)
    }
  }

  @Test("frames in transit when the server closes a stream are not errors")
  func closedHere() throws {
    let client = try FrameClient()
    client.record.answer = { head, stream, _ in
      stream.send(ResponseHead(.contentTooLarge), endStream: true)
    }
    client.request(stream: 1, endStream: false)
    #expect(try client.deliver().contains { $0.kind == Kind.reset.rawValue && $0.stream == 1 })
    client.frame(.data, stream: 1, [UInt8](repeating: 0, count: 16_000))
    client.frame(.windowUpdate, stream: 1, [0, 0, 0, 1])
    client.frame(.headers, flags: 5, stream: 1, FrameClient.block([("x", "y")]))
    client.request(stream: 3, endStream: false)
    #expect(Self.goAway(try client.deliver()) == nil)
    #expect(client.record.heads.count == 2)
  }

  @Test("PRIORITY, WINDOW_UPDATE and RST_STREAM on closed streams are not errors")
  func allowedOnClosed() throws {
    let client = try FrameClient()
    Closing.byEnd.apply(client)
    try client.deliver()
    client.frame(.priority, stream: 1, [0, 0, 0, 0, 16])
    client.frame(.windowUpdate, stream: 1, [0, 0, 0, 1])
    client.frame(.reset, stream: 1, [0, 0, 0, 8])
    client.request(stream: 3)
    #expect(Self.goAway(try client.deliver()) == nil)
    #expect(client.record.heads.count == 2)
  }

  @Test("the body of a stream refused by the limit is not an error")
  func refusedStream() throws {
    var settings = HTTP2Settings.public
    settings.streamsMax = 1
    let client = try FrameClient(settings)
    client.record.answer = { _, _, _ in }
    client.request(stream: 1, endStream: false)
    client.request(stream: 3, endStream: false)
    client.frame(.data, flags: 1, stream: 3, [1, 2, 3])
    #expect(try client.deliver().contains { $0.kind == Kind.reset.rawValue && $0.stream == 3 })
    #expect(client.server.sentGoAway == nil)
  }

  @Test("frames are recognised in bytes that arrive one by one")
  func bytewise() throws {
    let client = try FrameClient()
    client.record.answer = { _, stream, record in
      record.onEnd = { $0.send(ResponseHead(.ok), endStream: true) }
    }
    client.request(stream: 1, endStream: false)
    client.frame(.data, flags: 1, stream: 1, [UInt8](repeating: 7, count: 300))
    client.request(stream: 3)
    Self.send(.data, stream: 3, by: client)
    var bytes = client.takeBytes()
    #expect(bytes.count > 400)
    let last = bytes.removeLast()
    for byte in bytes { try client.server.receive([byte].span, at: .zero) }
    // Detected by its header, before its last byte has arrived.
    #expect(Self.goAway(client.pull()) == .streamClosed)
    try client.server.receive([last].span, at: .zero)
    #expect(client.record.records.map(\.bodyCount) == [300, 0])
    #expect(client.record.records.map(\.isEnded) == [true, true])
  }
}
