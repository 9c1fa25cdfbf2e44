import EventLoop
import HTTP
import HTTPFixture
import Operations
import Requirements
import Support
import Testing
import Web

@Suite("HTTP/2 responses that are not read", .tags(.GW_5))
struct HTTP2UntakenTests {
  /// A server's engine whose client grants windows only on request.
  struct Served {
    let host = FakeHost()
    let engine: HTTP2ServerEngine
    let client: FrameClient

    init(answering bytes: Int, settings: HTTP2Settings = HTTP2Settings()) throws {
      engine = try HTTP2ServerEngine(host: host, settings: settings)
      client = try FrameClient()
      client.frame(.settings, [0, 4, 0, 0, 0, 0])
      // The window of the connection is large enough.
      client.frame(.windowUpdate, [0, 0xF0, 0, 0])
      answerNext(bytes)
    }

    /// Answers the requests from now on with this many bytes.
    func answerNext(_ bytes: Int) {
      host.script = { handler in
        handler.onEnd = { $0.answer(String(repeating: "a", count: bytes)) }
      }
    }

    /// Sends the frames built so far.
    func send() {
      engine.receive(client.takeBytes().span)
      engine.willFlush()
    }

    func grant(_ bytes: UInt8, stream: UInt32 = 1) {
      client.frame(.windowUpdate, stream: stream, [0, 0, bytes, 0])
      send()
    }

    /// Advances the clock by `seconds`, with a PING in each second.
    func wait(_ seconds: Int) {
      for _ in 0..<seconds {
        host.loop.advance(by: .seconds(1))
        client.frame(.ping, [UInt8](repeating: 0, count: 8))
        send()
      }
    }

    var isClosed: Bool { host.closedLingering == false }

    /// Whether each response was reset, once the resets are sent.
    func resets() -> [Bool] {
      send()
      return host.handlers.map { $0.abortReason != nil }
    }
  }

  @Test("a connection that reads nothing is closed after the write time-out, even if it sends")
  func untaken() throws {
    let served = try Served(answering: 10_000)
    for number in 0..<UInt32(3) { served.client.request(stream: 2 * number + 1) }
    served.send()
    served.wait(29)
    #expect(!served.isClosed)
    served.wait(6)
    #expect(served.isClosed)
    #expect(served.host.handlers.count == 3)
  }

  @Test("a connection that reads a few bytes at a time is closed too")
  func dripped() throws {
    let served = try Served(answering: 100_000)
    served.client.request(stream: 1)
    served.send()
    for _ in 0..<18 where !served.isClosed {
      served.wait(2)
      served.client.frame(.windowUpdate, stream: 1, [0, 0, 0, 1])
      served.send()
    }
    #expect(served.isClosed)
  }

  @Test("a connection that reads at the minimum rate, or has no responses, stays open")
  func slow() throws {
    let served = try Served(answering: 200_000)
    served.client.request(stream: 1)
    served.send()
    for _ in 0..<9 {
      served.wait(20)
      // 23 KiB: at least 512 bytes a second.
      served.grant(92)
    }
    #expect(!served.isClosed)
    served.wait(40)
    #expect(!served.isClosed)
  }

  @Test("a full socket has its own time-out")
  func congested() throws {
    let served = try Served(answering: 10_000)
    served.client.request(stream: 1)
    served.send()
    served.host.isCongested = true
    served.wait(100)
    #expect(!served.isClosed)
    served.host.isCongested = false
    served.engine.outputDrained()
    served.wait(36)
    #expect(served.isClosed)
  }

  @Test("an unread stream ends alone while others are read")
  func oneOfTwo() throws {
    let served = try Served(answering: 200_000)
    for number in 0..<UInt32(2) { served.client.request(stream: 2 * number + 1) }
    served.send()
    for _ in 0..<5 {
      served.wait(10)
      served.grant(92, stream: 3)
    }
    #expect(!served.isClosed)
    #expect(served.engine.waitingBytes < 200_000)
  }

  @Test("between our own processes only the gateway enforces the write time-out")
  func shared() throws {
    let served = try Served(answering: 200_000, settings: .internal)
    for number in 0..<UInt32(2) { served.client.request(stream: 2 * number + 1) }
    served.send()
    served.wait(100)
    #expect(!served.isClosed)
    #expect(served.host.handlers.allSatisfy { $0.abortReason == nil })
    let waiting = served.engine.waitingBytes
    served.grant(92)
    #expect(served.engine.waitingBytes == waiting - 92 * 256)
  }

  @Test("a stream that limits its buffering is congested by one byte; a reset discards the rest")
  func little() throws {
    let client = try FrameClient()
    client.frame(.settings, [0, 4, 0, 0, 0, 0])
    var streams: [HTTP2Stream] = []
    var drained: [Int32] = []
    client.record.answer = { _, stream, record in
      record.onDrained = { drained.append($0.id) }
      stream.limitBuffering()
      stream.send(ResponseHead(.ok), endStream: false)
      stream.send(body: [1, 2].span, endStream: false)
      streams.append(stream)
    }
    for stream in [1, 3] as [UInt32] { client.request(stream: stream) }
    #expect(try client.deliver().filter { $0.kind == 0 }.isEmpty)
    #expect(streams.map(\.isCongested) == [true, true])
    client.frame(.windowUpdate, stream: 1, [0, 0, 0, 2])
    #expect(try client.deliver().filter { $0.kind == 0 }.map(\.payload) == [[1, 2]])
    #expect(streams.map(\.isCongested) == [false, true])
    #expect(drained == [1])
    streams[1].reset(.cancel)
    client.frame(.windowUpdate, stream: 3, [0, 0, 0, 2])
    #expect(try client.deliver().filter { [0, 3].contains($0.kind) }.map(\.kind) == [3])
    #expect(client.server.waitingBytes == 0)
  }

  @Test("the buffered bytes of a connection are limited; a stream beyond the limit is reset")
  func bounded() throws {
    let client = try FrameClient()
    client.frame(.settings, [0, 4, 0, 0, 0, 0])
    client.record.answer = { _, stream, _ in
      stream.send(ResponseHead(.ok), endStream: false)
      stream.send(body: [UInt8](repeating: 0, count: 100_000).span, endStream: true)
    }
    for number in 0..<UInt32(12) { client.request(stream: 2 * number + 1) }
    let resets = try client.deliver().filter { $0.kind == 3 }
    #expect(resets.map(\.stream) == [21, 23])
    #expect(resets.allSatisfy { $0.payload == [0, 0, 0, 11] })
    #expect(client.server.waitingBytes == 1_000_000)
    // A reset stream frees its share.
    client.frame(.reset, stream: 1, [0, 0, 0, 8])
    client.request(stream: 25)
    #expect(try client.deliver().filter { $0.kind == 3 }.isEmpty)
    #expect(client.server.waitingBytes == 1_000_000)
  }

  @Test("a crowded connection buffers a little of each stream, and a stream that is read arrives")
  func crowded() throws {
    let client = try FrameClient()
    client.frame(.settings, [0, 4, 0, 0, 0, 0])
    var most = 0
    client.record.answer = { _, stream, record in
      stream.send(ResponseHead(.ok), endStream: false)
      var left = 1_000_000
      let more: (HTTP2Stream) -> Void = { stream in
        repeat {
          let count = min(left, max(4096, min(65_536, stream.room)))
          left -= count
          stream.send(body: [UInt8](repeating: 1, count: count).span, endStream: left == 0)
        } while left > 0 && !stream.isCongested
        most = max(most, client.server.waitingBytes)
      }
      record.onDrained = more
      more(stream)
    }
    for number in 0..<UInt32(128) { client.request(stream: 2 * number + 1) }
    client.frame(.windowUpdate, [0, 0xF0, 0, 0])
    #expect(try client.deliver().filter { $0.kind == 3 }.isEmpty)
    client.frame(.windowUpdate, stream: 255, [0, 0xF0, 0, 0])
    let taken = try client.deliver().filter { $0.kind == 0 }
    #expect(taken.allSatisfy { $0.stream == 255 })
    #expect(taken.reduce(0) { $0 + $1.payload.count } == 1_000_000)
    #expect(client.server.sentGoAway == nil)
    #expect(most <= 1024 * 1024)
  }

  @Test("streams that reserve room and receive it late fit the connection's buffer together")
  func reserved() throws {
    let client = try FrameClient()
    client.frame(.settings, [0, 4, 0, 0, 0, 0])
    var streams: [HTTP2Stream] = []
    client.record.answer = { _, stream, _ in
      stream.send(ResponseHead(.ok), endStream: false)
      stream.send(body: [UInt8](repeating: 1, count: 4096).span, endStream: false)
      _ = stream.reserveRoom()
      streams.append(stream)
    }
    // Each request arrives alone: the first ones reserve the most.
    for number in 0..<UInt32(128) {
      client.request(stream: 2 * number + 1)
      #expect(try client.deliver().filter { $0.kind == 3 }.isEmpty)
    }
    let late = streams.map { $0.reserveRoom() }
    #expect(late[0] > 200 * 1024)
    for (stream, count) in zip(streams, late) {
      stream.send(body: [UInt8](repeating: 1, count: count).span, endStream: false)
    }
    #expect(try client.deliver().filter { $0.kind == 3 }.isEmpty)
    #expect(client.server.waitingBytes == 128 * 4096 + late.reduce(0, +))
    // A closed stream returns its reservation.
    for stream in streams { client.frame(.reset, stream: UInt32(stream.id), [0, 0, 0, 8]) }
    client.request(stream: 257)
    _ = try client.deliver()
    #expect(streams[128].reserveRoom() > 200 * 1024)
  }

  /// A server that buffers a MiB of responses, with one of 100 kB at `/large`.
  private static func server(
    _ http2: HTTP2Settings, log: Log = .none, shed: Counter? = nil
  ) async throws -> TestServer {
    var settings = HTTPServerSettings()
    settings.http2 = http2
    settings.log = log
    settings.shedResponses = shed
    settings.limits.waitingBytesMax = 1024 * 1024
    let body = [UInt8](repeating: 0x61, count: 100_000)
    return try await TestServer.start(
      [
        Route(.get, "/large") { (_) throws(Problem) in
          Response(contentType: "text/plain", bytes: body)
        }
      ], settings: settings)
  }

  /// Clients that ask for `/large` on these numbers of streams and read nothing.
  private static func asking(_ streams: [Int], at address: SocketAddress) throws -> [RawClient] {
    try streams.map { count in
      let client = try RawClient(address)
      client.send(try FrameClient.asking("/large", streams: count))
      return client
    }
  }

  @Test("above the limit of a service the link of a gateway stays")
  func serviceLimit() async throws {
    let recorder = LogRecorder()
    let shed = Metrics().counter("shed_total", "Responses that were reset.")
    let server = try await Self.server(
      .service, log: Log(process: "service", sink: recorder.sink), shed: shed)
    let link = try RawClient(server.address)
    link.send(try FrameClient.asking("/large", streams: 20))
    // A reset (type 3) with the code "enhance your calm".
    let reset: [UInt8] = [0, 0, 4, 3, 0]
    var received: [UInt8] = []
    while !received.contains(reset) { received += try #require(await link.receive()) }
    #expect(await server.server.connectionCount() == 1)
    let http = HTTPClient(to: server.address, on: server.loops[0])
    let answer = try await http.send(RequestHead(.get, "/large", authority: "a"), body: [])
    #expect(answer.body.count == 100_000)
    #expect(await server.server.connectionCount() == 2)
    #expect(shed.value > 0)
    #expect(recorder.lines.first?.contains("responses were reset at the limit of memory") == true)
    http.shutDown()
    await server.stop()
  }

  @Test("above the limit of a server the connection with the largest buffer is closed")
  func serverLimit() async throws {
    let server = try await Self.server(.public)
    let address = server.address
    // Nine connections buffer a tenth of a MiB each, the tenth connection two tenths. The loop that
    // sends the requests receives them all in one turn: no response is older than another one.
    var clients = try await server.loops[0].run {
      try Self.asking([Int](repeating: 1, count: 9) + [2], at: address)
    }
    _ = await clients[9].receiveAll()
    #expect(await server.server.connectionCount() == 9)
    let http = HTTPClient(to: server.address, on: server.loops[0])
    let answer = try await http.send(RequestHead(.get, "/large", authority: "a"), body: [])
    #expect(answer.body.count == 100_000)
    http.shutDown()
    clients = []
    await server.stop()
  }

  @Test("above the limit of a server slow clients are closed, not a fresh one with more bytes")
  func slowClients() async throws {
    let recorder = LogRecorder()
    let shed = Metrics().counter("shed_total", "Responses that were reset.")
    let server = try await Self.server(
      .public, log: Log(process: "gateway", sink: recorder.sink), shed: shed)
    var clients = try Self.asking([Int](repeating: 1, count: 9), at: server.address)
    // Their heads have arrived, so their bodies are buffered.
    for client in clients { #expect(await client.receive() != nil) }
    try await pause(OutputProgress.freshMax)
    clients += try Self.asking([3], at: server.address)
    // Of 1,200,000 bytes, 217,000 must be freed; the fresh connection alone has more.
    try await eventually("three closed connections") {
      await server.server.connectionCount() == 7
    }
    #expect(shed.value == 3)
    #expect(recorder.lines.first?.contains("responses were reset at the limit of memory") == true)
    clients = []
    await server.stop()
  }
}
