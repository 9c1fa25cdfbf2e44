import CLinux
import EventLoop
import Gateway
import HTTP
import HTTPFixture
import Operations
import Requirements
import Support
import Synchronization
import Testing
import Time
import Web

/// A service that reads a body only on request.
private final class GatedReplica: Sendable {
  private final class Handler: RequestHandler {
    private let owner: GatedReplica
    private var stream: (any ServerStream)?
    init(_ owner: GatedReplica) { self.owner = owner }

    func received(head: RequestHead, on stream: any ServerStream) {
      if head.pathText == "/health" { return stream.send(head: ResponseHead(.ok), endStream: true) }
      self.stream = stream
      stream.pauseBody()
      let bound = LoopBound(stream, on: stream.loop)
      owner.paused.withLock { $0 = bound }
    }
    func received(body: Span<UInt8>) {
      let count = body.count
      owner.received.withLock { $0 += count }
    }
    func receivedEnd() {
      let answer = Array("{}".utf8)
      var head = ResponseHead(.accepted, contentLength: UInt64(answer.count))
      head.fields.append(.contentType, "application/json")
      stream?.send(head: head, body: answer.span)
      stream = nil
    }
    func aborted(_ reason: StreamAbort) { stream = nil }
    func drained() {}
  }

  let received = Mutex(0)
  private let paused = Mutex<LoopBound<any ServerStream>?>(nil)
  private let server = Mutex<HTTPServer?>(nil)
  private let loop: EventLoop

  init() async throws {
    loop = try EventLoop.start(name: "gated")
    let started = try await HTTPServer.start(
      [.tcp(host: "127.0.0.1", port: 0)], on: [loop], handlers: { _ in { Handler(self) } })
    server.withLock { $0 = started }
  }

  var address: SocketAddress { server.withLock { $0?.addresses[0] } ?? .unix(path: "") }

  func open() async throws {
    let bound = try await eventually("a request with a body") { paused.withLock { $0 } }
    bound.loop.execute { bound.value.resumeBody() }
  }

  func stop() async {
    await server.withLock { $0 }?.stop()
    loop.stop()
  }
}

@Suite("Streamed bodies")
struct StreamingTests {
  private static let bytes = 48 * 1024 * 1024
  /// On a busy machine the clients of these tests are stalled longer than a server waits for them.
  private static var patient: HTTPServerSettings {
    var settings = HTTPServerSettings()
    settings.timeouts.write = .seconds(600)
    settings.timeouts.bodyIdle = .seconds(600)
    return settings
  }

  @Test("an upload waits for a service that does not read, and then arrives completely")
  func upload() async throws {
    let replica = try await GatedReplica()
    // The kernel's buffers of a Unix-domain socket have a constant size; those of TCP may grow up
    // to the maximum of `tcp_rmem`.
    let address = SocketAddress.unix(path: "/tmp/gw-\(UInt32.random(in: .min ... .max)).sock")
    let gateway = try await TestGateway.start(
      data4help: [replica.address], settings: Self.patient, at: address)
    let client = try RawClient(address)
    client.send(
      "POST /data/import?format=apple-health HTTP/1.1\r\nHost: a\r\n"
        + "Authorization: Bearer \(gateway.logIn())\r\nContent-Type: application/zip\r\n"
        + "Content-Length: \(Self.bytes)\r\nConnection: close\r\n\r\n")
    let piece = [UInt8](repeating: 0x61, count: 256 * 1024)
    var sent = 0
    while await client.waitUntilWritable(milliseconds: 500), sent < Self.bytes {
      sent += client.sendWithoutWaiting(Array(piece.prefix(Self.bytes - sent)))
    }
    // The sum of the kernel's socket buffers, one high-water mark per direction and one stream
    // window.
    #expect(sent < 4 * 1024 * 1024)
    #expect(replica.received.withLock { $0 } == 0)
    try await replica.open()
    while sent < Self.bytes, await client.waitUntilWritable(milliseconds: 60_000) {
      sent += client.sendWithoutWaiting(Array(piece.prefix(Self.bytes - sent)))
    }
    #expect(await client.receiveAll().hasPrefix("HTTP/1.1 202"))
    #expect(replica.received.withLock { $0 } == Self.bytes)
    await gateway.stop()
    await replica.stop()
  }

  @Test("a service waits for a client that does not read its response")
  func download() async throws {
    let written = Written()
    let replica = try await TestReplica.start(settings: Self.patient) { (_) throws(Problem) in
      .stream(contentType: "text/csv") { writer in
        let piece = [UInt8](repeating: 0x61, count: 64 * 1024)
        for _ in 0..<Self.bytes / piece.count {
          try await writer.write(piece)
          written.count.withLock { $0 += piece.count }
        }
      }
    }
    let gateway = try await TestGateway.start(
      data4help: [replica.address], settings: Self.patient)
    let client = try RawClient(gateway.address, receiveBufferBytes: 64 * 1024)
    client.send(
      "GET /data/stats HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(gateway.logIn())\r\n"
        + "Connection: close\r\n\r\n")
    var before = 0
    try await eventually("the service has stopped writing", every: .milliseconds(500)) {
      let now = written.count.withLock { $0 }
      defer { before = now }
      return now > 0 && now == before
    }
    #expect(before < 16 * 1024 * 1024)
    var received = 0
    var lead = 0
    while let count = await client.receive()?.count {
      received += count
      lead = max(lead, written.count.withLock { $0 } - received)
    }
    #expect(received > Self.bytes)
    #expect(lead < 16 * 1024 * 1024)
    await gateway.stop()
    await replica.stop()
  }

  @Test(
    "a body over its endpoint's limit, a wrong type and a wrong token are refused early",
    .tags(.GW_5))
  func refusals() async throws {
    let replica = try await GatedReplica()
    let gateway = try await TestGateway.start(data4help: [replica.address])
    func answer(_ token: String, _ type: String, _ length: UInt64) async throws -> String {
      let client = try RawClient(gateway.address)
      client.send(
        "POST /data/import?format=apple-health HTTP/1.1\r\nHost: a\r\n"
          + "Authorization: Bearer \(token)\r\nContent-Type: \(type)\r\n"
          + "Content-Length: \(length)\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n")
      return await client.receiveAll()
    }
    let token = gateway.logIn()
    #expect(try await answer(token, "application/zip", 4 << 30 + 1).hasPrefix("HTTP/1.1 413"))
    #expect(try await answer(token, "image/png", 5).hasPrefix("HTTP/1.1 415"))
    #expect(try await answer("x", "application/zip", 5).hasPrefix("HTTP/1.1 401"))
    #expect(replica.received.withLock { $0 } == 0)
    await gateway.stop()
    await replica.stop()
  }
}

private final class Written: Sendable {
  let count = Mutex(0)
}

@Suite("HTTPS", .tags(.GW_4))
struct SecureTests {
  @Test("HTTP/2 and HTTP/1.1 are served over TLS", arguments: [true, false])
  func versions(_ isHTTP2: Bool) async throws {
    let certificate = try SelfSignedCertificate(
      now: Environment.system.now().microsecondsSince1970 / 1_000_000)
    let replica = try await TestReplica.start()
    let gateway = try await TestGateway.start(
      data4help: [replica.address], tls: try TLSContext(server: certificate.identity))
    var settings = HTTPClientSettings()
    settings.version = isHTTP2 ? .http2 : .http1
    settings.tls = try TLSContext(
      clientTrusting: .certificates(certificate.identity.certificateChain),
      protocols: [isHTTP2 ? .http2 : .http1])
    settings.serverName = "localhost"
    let client = HTTPClient(to: gateway.address, on: gateway.loops[0], settings: settings)
    var head = RequestHead(.get, "/auth/me", authority: "localhost")
    head.fields.append(.authorization, "Bearer \(gateway.logIn())")
    let response = try await client.send(head)
    #expect(response.head.status == .ok)
    #expect(response.head.fields[.strictTransportSecurity] != nil)
    #expect(replica.arrivals.first?.fields[.xForwardedProto] == "https")
    client.shutDown()
    await gateway.stop()
    await replica.stop()
  }
}
