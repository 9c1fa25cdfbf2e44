import EventLoop
import Gateway
import HTTP
import Time
import Web

/// A gateway behind TLS with one replica of Data4Help, and the requests of a browser.
struct SecureGateway {
  let gateway: TestGateway
  let replica: TestReplica
  private let certificate: [UInt8]

  static func with(
    answer: @escaping @Sendable (Request) async throws(Problem) -> Response? = {
      (_) throws(Problem) in nil
    }, pages: PageAnswers? = nil, demandsTLS: Bool = true,
    _ body: (SecureGateway) async throws -> Void
  ) async throws {
    let certificate = try SelfSignedCertificate(
      now: Environment.system.now().microsecondsSince1970 / 1_000_000)
    let replica = try await TestReplica.start(answer: answer)
    let gateway = try await TestGateway.start(
      data4help: [replica.address], track4run: [replica.address],
      tls: try TLSContext(server: certificate.identity), keptFor: .seconds(600),
      pages: pages, demandsTLS: demandsTLS)
    try await body(
      SecureGateway(
        gateway: gateway, replica: replica,
        certificate: certificate.identity.certificateChain))
    await gateway.stop()
    await replica.stop()
  }

  /// Sends one request on a separate connection; `cookie` is the session's token.
  func send(
    _ method: HTTPMethod, _ target: String, cookie: String? = nil, token: String? = nil,
    json: String? = nil, fields: [(String, String)] = [],
    _ version: HTTPClientSettings.Version = .http1
  ) async throws -> HTTPClientResponse {
    var head = TestGateway.head(
      method, target, token: token, isJSON: json != nil, fields: fields)
    head.isSecure = true
    if let cookie { head.fields.append(.cookie, "theme=dark; __Host-trackme=\(cookie)") }
    var settings = HTTPClientSettings()
    settings.version = version
    settings.tls = try TLSContext(
      clientTrusting: .certificates(certificate),
      protocols: [version == .http2 ? .http2 : .http1])
    settings.serverName = "localhost"
    let client = HTTPClient(to: gateway.address, on: gateway.loops[0], settings: settings)
    defer { client.shutDown() }
    return try await client.send(head, body: Array((json ?? "").utf8))
  }
}
