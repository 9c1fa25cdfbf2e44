import HTTP
import HTTPFixture
import Operations
import Requirements
import Testing
import Web

private let routes = [
  Route(.get, "/hello") { (_) throws(Problem) in
    Response(contentType: "text/plain", bytes: Array("hello".utf8))
  },
  Route(.get, "/port") { (request) throws(Problem) in
    guard case .ipv4(_, let port) = request.peer else { throw .notFound }
    return Response(contentType: "text/plain", bytes: Array("\(port)".utf8))
  },
  Route(.post, "/echo") { (request) throws(Problem) in
    Response(contentType: "application/octet-stream", bytes: request.body.bytes)
  },
]

@Suite("A client and a server on real sockets", .tags(.GW_4))
struct LiveClientTests {
  static let versions: [HTTPClientSettings.Version] = [.http1, .http2]

  private func client(
    _ server: TestServer, _ version: HTTPClientSettings.Version, tls: TLSContext? = nil
  ) -> HTTPClient {
    var settings = HTTPClientSettings()
    settings.version = version
    settings.tls = tls
    settings.serverName = tls == nil ? nil : "localhost"
    return HTTPClient(to: server.address, on: server.loops[0], settings: settings)
  }

  @Test("a request is answered", arguments: versions)
  func answer(_ version: HTTPClientSettings.Version) async throws {
    let server = try await TestServer.start(routes)
    let client = client(server, version)
    for _ in 0..<3 {
      let response = try await client.send(RequestHead(.get, "/hello", authority: "a"))
      #expect(response.head.status == .ok)
      #expect(response.head.contentLength == 5)
      #expect(response.body == Array("hello".utf8))
    }
    client.shutDown()
    await server.stop()
  }

  @Test("a connection that the server may be closing is not used again", arguments: versions)
  func outdated(_ version: HTTPClientSettings.Version) async throws {
    let server = try await TestServer.start(routes)
    var settings = HTTPClientSettings()
    settings.version = version
    settings.timeouts.idle = .zero
    let client = HTTPClient(to: server.address, on: server.loops[0], settings: settings)
    var ports: Set<String> = []
    for _ in 0..<3 {
      let response = try await client.send(RequestHead(.get, "/port", authority: "a"))
      #expect(response.head.status == .ok)
      #expect(ports.insert(String(decoding: response.body, as: UTF8.self)).inserted)
    }
    client.shutDown()
    await server.stop()
  }

  @Test("a body is returned unchanged", arguments: versions)
  func echo(_ version: HTTPClientSettings.Version) async throws {
    let server = try await TestServer.start(routes)
    let client = client(server, version)
    for count in [0, 1, 65_535, 700_000, 1_048_576] {
      let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let response = try await client.send(
        RequestHead(.post, "/echo", authority: "a"), body: body)
      #expect(response.body == body)
    }
    client.shutDown()
    await server.stop()
  }

  @Test("sixty-four concurrent requests are all answered", arguments: versions)
  func concurrent(_ version: HTTPClientSettings.Version) async throws {
    let server = try await TestServer.start(routes, loops: 2)
    let client = client(server, version)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<64 {
        group.addTask {
          let body = Array("request \(index)".utf8)
          let response = try await client.send(
            RequestHead(.post, "/echo", authority: "a"), body: body)
          return response.body == body
        }
      }
      for try await isSame in group { #expect(isSame) }
    }
    client.shutDown()
    await server.stop()
  }
}
