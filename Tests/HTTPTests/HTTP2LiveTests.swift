import EventLoop
import Foundation
import HTTP
import HTTPFixture
import Operations
import Requirements
import Support
import Testing
import Time
import Web

@Suite("HTTP/2 with misbehaving clients and with curl")
struct HTTP2LiveTests {
  private func client(_ server: TestServer) -> HTTPClient {
    HTTPClient(to: server.address, on: server.loops[0])
  }

  @Test("exceeded limits and unknown paths are answered on the stream", .tags(.GW_4, .GW_5))
  func errors() async throws {
    var settings = HTTPServerSettings()
    settings.limits.bodyBytesMax = 1000
    let server = try await TestServer.start(
      [
        Route(.post, "/small", bodyBytesMax: 4) { (request) throws(Problem) in
          Response(contentType: "text/plain", bytes: request.body.bytes)
        }
      ], settings: settings)
    let client = client(server)
    for (count, status) in [(4, HTTPStatus.ok), (5, .contentTooLarge), (1001, .contentTooLarge)] {
      let response = try await client.send(
        RequestHead(.post, "/small", authority: "a"), body: [UInt8](repeating: 0x61, count: count))
      #expect(response.head.status == status, "\(count)")
    }
    let unknown = try await client.send(RequestHead(.get, "/unknown", authority: "a"))
    #expect(unknown.head.status == .notFound)
    let method = try await client.send(RequestHead(.get, "/small", authority: "a"))
    #expect(method.head.status == .methodNotAllowed)
    #expect(method.head.fields[.allow] == "POST")
    let long = String(repeating: "x", count: settings.limits.targetBytesMax + 1)
    let target = try await client.send(RequestHead(.get, "/\(long)", authority: "a"))
    #expect(target.head.status == .targetTooLong)
    client.shutDown()
    await server.stop()
  }

  @Test("HEAD has a length and no body")
  func head() async throws {
    let server = try await TestServer.start([
      Route(.get, "/hello") { (_) throws(Problem) in
        Response(contentType: "text/plain", bytes: Array("hello".utf8))
      }
    ])
    let client = client(server)
    let response = try await client.send(RequestHead(.head, "/hello", authority: "a"))
    #expect(response.head.contentLength == 5)
    #expect(response.body.isEmpty)
    client.shutDown()
    await server.stop()
  }

  @Test("a connection without requests is closed after its time-out", .tags(.GW_5))
  func idle() async throws {
    var settings = HTTPServerSettings()
    settings.timeouts.firstRequest = .seconds(1)
    let server = try await TestServer.start([], settings: settings)
    let raw = try RawClient(server.address)
    raw.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    raw.send([0, 0, 0, 4, 0, 0, 0, 0, 0])
    // Settings and GOAWAY, then the end.
    #expect(!(await raw.receiveAll()).isEmpty)
    await server.stop()
  }

  @Test("curl speaks HTTP/1.1 and HTTP/2 with the server", .tags(.GW_4))
  func curl() async throws {
    let loop = try EventLoop.start(name: "test")
    let certificate = try SelfSignedCertificate(
      now: Instant.system.microsecondsSince1970 / 1_000_000)
    let service = Service(
      Router([
        Route(.post, "/echo") { (request) throws(Problem) in
          Response(contentType: "text/plain", bytes: request.body.bytes)
        }
      ]), log: .none)
    let listeners = [
      HTTPListener(.tcp(host: "127.0.0.1", port: 0)),
      HTTPListener(
        .tcp(host: "127.0.0.1", port: 0), tls: try TLSContext(server: certificate.identity)),
    ]
    let server = try await HTTPServer.start(listeners, on: [loop], handlers: service.handlers)
    for (scheme, address, option, version) in [
      ("http", server.addresses[0], "--http1.1", "1.1"),
      ("http", server.addresses[0], "--http2-prior-knowledge", "2"),
      ("https", server.addresses[1], "--http1.1", "1.1"),
      ("https", server.addresses[1], "--http2", "2"),
      ("https", server.addresses[1], "--tls-max=1.2", "2"),
    ] {
      let outcome = try await Program(
        command: ["curl"] + option.split(separator: "=").map(String.init) + [
          "-sk", "--max-time", "120", "-d", "hello", "-w", " %{http_version}",
          "\(scheme)://\(address)/echo",
        ]
      ).run()
      #expect(outcome.output == "hello \(version)", "\(option)")
    }
    await server.stop()
    loop.stop()
  }

  @Test("nghttp receives the answers of a server with the settings of a service", .tags(.GW_4))
  func nghttp() async throws {
    var settings = HTTPServerSettings()
    settings.http2 = .internal
    let server = try await TestServer.start(
      [
        Route(.get, "/numbers") { (_) throws(Problem) in
          Response(contentType: "text/plain", bytes: Array(repeating: 0x37, count: 100_000))
        }
      ], settings: settings)
    let outcome = try await Program(command: [
      "nghttp", "--timeout=120", "--multiply=3", "http://\(server.address)/numbers",
    ]).run()
    #expect(outcome.isSuccess)
    #expect(outcome.bytes == Data(repeating: 0x37, count: 300_000))
    await server.stop()
  }
}
