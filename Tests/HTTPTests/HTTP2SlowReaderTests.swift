import Foundation
import HTTP
import HTTPFixture
import Requirements
import Support
import Synchronization
import Testing
import Time
import Web

/// Responses that the server has passed to the kernel, and that the client has not read.
@Suite("HTTP/2 clients that read after the server has closed", .tags(.GW_4))
struct HTTP2SlowReaderTests {
  /// Fits into the kernel's buffers, but not into the client's alone.
  private static let bodyBytes = 192 * 1024
  private static let receiveBufferBytes: Int32 = 64 * 1024

  private static let largeResponse = Response(
    contentType: "text/plain", bytes: Array(repeating: 0x78, count: bodyBytes))
  private let large = Route(.get, "/large") { (_) throws(Problem) in largeResponse }
  private let hello = Route(.get, "/hello") { (_) throws(Problem) in
    Response(contentType: "text/plain", bytes: Array("hello".utf8))
  }

  /// Settings without effective time-outs.
  private var patient: HTTPServerSettings {
    var settings = HTTPServerSettings()
    settings.timeouts.firstRequest = .seconds(3600)
    settings.timeouts.idle = .seconds(3600)
    settings.timeouts.write = .seconds(3600)
    settings.timeouts.drain = .seconds(3600)
    return settings
  }

  /// A client that has sent a request, and windows for the whole response.
  private func client(of server: TestServer) throws -> RawClient {
    let frames = try FrameClient()
    frames.frame(.settings, [0, 4, 0x7F, 0xFF, 0xFF, 0xFF])
    frames.frame(.windowUpdate, [0x3F, 0xFF, 0xFF, 0xFF])
    frames.request([
      (":method", "GET"), (":scheme", "http"), (":path", "/large"), (":authority", "a"),
    ])
    let client = try RawClient(server.address, receiveBufferBytes: Self.receiveBufferBytes)
    client.send(frames.takeBytes())
    return client
  }

  /// Reads to the end, with a WINDOW_UPDATE after each read, and closes; returns the bytes of the
  /// body, with those in `start`, the bytes read before.
  private func readSlowly(
    _ reader: inout RawClient?, after start: [UInt8] = []
  ) async throws -> Int {
    let client = try #require(reader)
    // The server waits until the client closes.
    defer { reader = nil }
    let frames = try FrameClient()
    _ = frames.takeBytes()
    var input = start
    var bodyBytes = 0
    while let part = await client.receive(upTo: 16 * 1024) {
      input += part
      frames.frame(.windowUpdate, [0, 0, 0, 1])
      client.send(frames.takeBytes())
      while input.count >= 9 {
        let count = Int(input[0]) << 16 | Int(input[1]) << 8 | Int(input[2])
        guard input.count >= 9 + count else { break }
        if input[3] == FrameClient.Kind.data.rawValue { bodyBytes += count }
        input.removeFirst(9 + count)
      }
    }
    return bodyBytes
  }

  /// Waits until the kernel has everything that the server sends on its only connection, and the
  /// server has ended its side.
  private func waitUntilEnded(_ server: TestServer) async throws {
    let isTCP = if case .tcp = server.address { true } else { false }
    try #require(isTCP)
    guard case .tcp(_, let port) = server.address else { return }
    let local = "0100007F:" + String(format: "%04X", port)
    try await eventually("the end of the server's side") {
      let table = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp")).readToEnd()
      return String(decoding: table ?? Data(), as: UTF8.self).split(separator: "\n").contains {
        let columns = $0.split(separator: " ")
        // FIN_WAIT1 of include/net/tcp_states.h: the client's buffer has no room for the end.
        return columns[1] == local && columns[3] == "04"
      }
    }
  }

  @Test("a response is read whole after the idle time-out of its connection")
  func idle() async throws {
    var settings = patient
    settings.timeouts.idle = .milliseconds(1)
    let server = try await TestServer.start([large], settings: settings)
    var client: RawClient? = try client(of: server)
    try await waitUntilEnded(server)
    let bodyBytes = try await readSlowly(&client)
    #expect(bodyBytes == Self.bodyBytes)
    await server.stop()
  }

  @Test("a response is read whole after its server has stopped serving", .tags(.OPS_4))
  func stop() async throws {
    let server = try await TestServer.start([large], settings: patient)
    var client: RawClient? = try client(of: server)
    try await eventually("the connection") { await server.server.connectionCount() == 1 }
    async let stopped: Void = server.stop()
    try await waitUntilEnded(server)
    let bodyBytes = try await readSlowly(&client)
    #expect(bodyBytes == Self.bodyBytes)
    await stopped
  }

  @Test("a full server replaces a connection whose client has read its response", .tags(.GW_5))
  func replacement() async throws {
    var settings = patient
    settings.limits.connectionsMax = 2
    let server = try await TestServer.start([large, hello], settings: settings)
    let request = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"
    var slow: RawClient? = try client(of: server)
    var start: [UInt8] = []
    while start.count < 1024 { start += try #require(await slow?.receive(upTo: 1024)) }
    // Idle for a shorter time than the slow one.
    let idle = try RawClient(server.address)
    idle.send(request)
    #expect(await idle.receive(until: "hello").hasSuffix("hello"))
    let next = try RawClient(server.address)
    next.send(request)
    #expect(await next.receive(until: "hello").hasSuffix("hello"))
    #expect(await idle.receive() == nil)
    async let stopped: Void = server.stop()
    let bodyBytes = try await readSlowly(&slow, after: start)
    #expect(bodyBytes == Self.bodyBytes)
    await stopped
    withExtendedLifetime(next) {}
  }

  @Test("a full server closes an idle connection whose client receives nothing", .tags(.GW_5))
  func receivingNothing() async throws {
    var settings = patient
    settings.limits.connectionsMax = 1
    settings.timeouts.receiving = .milliseconds(300)
    let server = try await TestServer.start([large, hello], settings: settings)
    var slow: RawClient? = try client(of: server)
    var start: [UInt8] = []
    while start.count < 1024 { start += try #require(await slow?.receive(upTo: 1024)) }
    let next = try RawClient(server.address)
    next.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(await next.receive(until: "hello").hasSuffix("hello"))
    let bodyBytes = try await readSlowly(&slow, after: start)
    #expect(bodyBytes < Self.bodyBytes)
    await server.stop()
    withExtendedLifetime(next) {}
  }

  @Test("a client that takes nothing of its response loses it after the write time-out")
  func noReader() async throws {
    var settings = patient
    settings.timeouts.idle = .milliseconds(1)
    settings.timeouts.write = .seconds(1)
    let calls = Mutex(0)
    let counted = Route(.get, "/large") { (_) throws(Problem) in
      calls.withLock { $0 += 1 }
      return Self.largeResponse
    }
    let server = try await TestServer.start([counted], settings: settings)
    let start = ContinuousClock.now
    var client: RawClient? = try client(of: server)
    try await eventually("the request") { calls.withLock { $0 } == 1 }
    try await eventually("the close") { await server.server.connectionCount() == 0 }
    #expect(ContinuousClock.now - start >= settings.timeouts.write)
    let bodyBytes = try await readSlowly(&client)
    #expect(bodyBytes < Self.bodyBytes)
    await server.stop()
  }
}
