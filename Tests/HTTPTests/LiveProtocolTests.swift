import EventLoop
import HTTP
import HTTPFixture
import Operations
import Requirements
import Testing
import Time
import Web

private let routes = [
  Route(.get, "/hello") { (_) throws(Problem) in
    Response(contentType: "text/plain", bytes: Array("hello".utf8))
  },
  Route(.post, "/count", bodyBytesMax: 1 << 32, streamsBody: true) { (request) throws(Problem) in
    guard case .stream(let reader) = request.body else { throw .internalError }
    var count = 0
    do throws(BodyReader.Failure) {
      while let part = try await reader.next() { count += part.count }
    } catch {
      throw .malformed("The body broke off.")
    }
    return Response(contentType: "text/plain", bytes: Array("\(count)".utf8))
  },
  Route(.get, "/large") { (_) throws(Problem) in
    .stream(contentType: "application/octet-stream") { writer in
      let part = [UInt8](repeating: 0x61, count: 100_000)
      for _ in 0..<500 { try await writer.write(part) }
    }
  },
]

@Suite("Protocol selection by TLS, preface and plain text", .tags(.GW_4))
struct LiveProtocolTests {
  private func start(_ certificate: SelfSignedCertificate) async throws -> TestServer {
    let loop = try EventLoop.start(name: "test")
    let context = try TLSContext(server: certificate.identity)
    let service = Service(Router(routes), log: .none)
    let server = try await HTTPServer.start(
      [HTTPListener(.tcp(host: "127.0.0.1", port: 0), tls: context)], on: [loop],
      handlers: service.handlers)
    return TestServer(loops: [loop], server: server)
  }

  private func client(
    _ server: TestServer, _ version: HTTPClientSettings.Version,
    _ certificate: SelfSignedCertificate
  ) throws -> HTTPClient {
    var settings = HTTPClientSettings()
    settings.version = version
    settings.tls = try TLSContext(
      clientTrusting: .certificates(certificate.identity.certificateChain),
      protocols: [version == .http1 ? .http1 : .http2])
    settings.serverName = "localhost"
    return HTTPClient(to: server.address, on: server.loops[0], settings: settings)
  }

  @Test("requests and large bodies pass through TLS", arguments: LiveClientTests.versions)
  func tls(_ version: HTTPClientSettings.Version) async throws {
    let certificate = try SelfSignedCertificate(
      now: Instant.system.microsecondsSince1970 / 1_000_000)
    let server = try await start(certificate)
    let client = try client(server, version, certificate)
    let hello = try await client.send(RequestHead(.get, "/hello", authority: "localhost"))
    #expect(hello.body == Array("hello".utf8))
    let body = [UInt8](repeating: 7, count: 3_000_000)
    let count = try await client.send(
      RequestHead(.post, "/count", authority: "localhost"), body: body)
    #expect(count.body == Array("3000000".utf8))
    let large = try await client.send(
      RequestHead(.get, "/large", authority: "localhost"), bodyBytesMax: 60_000_000)
    #expect(large.body.count == 50_000_000)
    client.shutDown()
    await server.stop()
  }

  @Test("a client that does not trust the certificate receives no response")
  func untrusted() async throws {
    let now = Instant.system.microsecondsSince1970 / 1_000_000
    let server = try await start(try SelfSignedCertificate(now: now))
    let client = try client(server, .http2, try SelfSignedCertificate(now: now))
    await #expect(throws: HTTPClientError.failed(StreamFailure(.handshakeFailed, .unprocessed))) {
      _ = try await client.send(RequestHead(.get, "/hello", authority: "localhost"))
    }
    await server.stop()
  }

  @Test("streamed bodies pass both ways without TLS", arguments: LiveClientTests.versions)
  func streams(_ version: HTTPClientSettings.Version) async throws {
    let server = try await TestServer.start(routes)
    var settings = HTTPClientSettings()
    settings.version = version
    let client = HTTPClient(to: server.address, on: server.loops[0], settings: settings)
    let large = try await client.send(
      RequestHead(.get, "/large", authority: "a"), bodyBytesMax: 60_000_000)
    #expect(large.body.count == 50_000_000)
    client.shutDown()
    await server.stop()
  }

  @Test("plain text to the TLS port and TLS to the plain port are closed")
  func wrongPort() async throws {
    let certificate = try SelfSignedCertificate(
      now: Instant.system.microsecondsSince1970 / 1_000_000)
    let secure = try await start(certificate)
    let plain = try await TestServer.start(routes)
    let textToTLS = try RawClient(secure.address)
    textToTLS.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(!(await textToTLS.receiveAll()).contains("hello"))
    let client = try client(plain, .http1, certificate)
    await #expect(throws: HTTPClientError.self) {
      _ = try await client.send(RequestHead(.get, "/hello", authority: "localhost"))
    }
    await secure.stop()
    await plain.stop()
  }
}
