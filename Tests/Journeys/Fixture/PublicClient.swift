import HTTP
import Support

/// A response of the gateway.
struct Reply {
  let status: Int
  let fields: HTTPFields
  let body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }
  /// The body as JSON; null if it is not JSON.
  var json: JSONValue { (try? JSONValue(body)) ?? .null }
  /// The contract's text for an error.
  var error: String? { json.error.text }
  /// Whether the server is unavailable for a moment, or still works on the first such request, and
  /// asks the client to repeat it.
  var mustBeRepeated: Bool { [409, 503].contains(status) && fields[.retryAfter] != nil }
  /// The path of the invalid field.
  var field: String? { json.field.text }
  /// The status and, for an error, the contract's text: most tests compare these.
  var outcome: Outcome { Outcome(status, error) }
}

/// A status with the `error` of the contract, if any.
struct Outcome: Equatable, CustomStringConvertible {
  let status: Int
  let error: String?
  init(_ status: Int, _ error: String? = nil) { (self.status, self.error) = (status, error) }
  var description: String { "\(status)\(error.map { " \($0)" } ?? "")" }
  static let ok = Outcome(200)
  static let malformed = Outcome(400, "Malformed request")
}

/// A client of one installation's gateway with its own connections.
struct PublicClient: Sendable {
  /// The protocol and port of the gateway.
  enum Way: Sendable, CaseIterable {
    case plain, http1, http2
  }

  private let client: HTTPClient
  private let address: SocketAddress
  private let settings: HTTPClientSettings
  private let authority: String
  private let isSecure: Bool

  /// A client of the gateway, or of another one of the installation on this port.
  init(_ system: TestSystem, _ way: Way = .plain, port other: UInt16? = nil) throws {
    var settings = HTTPClientSettings()
    settings.version = way == .http2 ? .http2 : .http1
    isSecure = way != .plain
    let port = other ?? (way == .plain ? system.httpPort : system.httpsPort)
    if isSecure {
      settings.tls = try TLSContext(
        clientTrusting: .certificates(system.certificate),
        protocols: way == .http2 ? [.http2] : [.http1])
      settings.serverName = "localhost"
    }
    settings.timeouts.connect = .seconds(120)
    settings.timeouts.response = .seconds(120)
    self.settings = settings
    authority = "localhost:\(port)"
    address = .tcp(host: "127.0.0.1", port: port)
    client = HTTPClient(to: address, on: try clientLoop.get(), settings: settings)
  }

  /// A client of the plain port of another gateway.
  init(port: UInt16) throws {
    var settings = HTTPClientSettings()
    settings.version = .http1
    settings.timeouts.response = .seconds(120)
    self.settings = settings
    isSecure = false
    authority = "localhost:\(port)"
    address = .tcp(host: "127.0.0.1", port: port)
    client = HTTPClient(to: address, on: try clientLoop.get(), settings: settings)
  }

  /// The flow-control window of a response that `begin` asks for, in bytes.
  static let slowWindow = 64 * 1024

  /// Begins a GET on a connection of its own. On the loop of the clients.
  func begin(
    _ target: String, token: String? = nil, for handler: any ResponseHandler
  ) throws -> any ClientStream {
    var head = RequestHead(.get, target, authority: authority)
    head.isSecure = isSecure
    if let token { head.fields.append(.authorization, "Bearer \(token)") }
    var settings = settings
    settings.http2.streamWindow = Int32(Self.slowWindow)
    let connection = ClientConnection(to: address, on: try clientLoop.get(), settings: settings)
    return connection.send(head, endStream: true, handler: handler)
  }

  /// Sends one request with arbitrary bytes as its body.
  func send(
    _ method: HTTPMethod, _ target: String, token: String? = nil, body: [UInt8],
    mediaType: String?, fields: [(String, String)] = []
  ) async throws -> Reply {
    var head = RequestHead(method, target, authority: authority)
    head.isSecure = isSecure
    if let token { head.fields.append(.authorization, "Bearer \(token)") }
    if let mediaType { head.fields.append(.contentType, mediaType) }
    for (name, value) in fields { head.fields.append(name, value) }
    let response = try await client.send(head, body: body, bodyBytesMax: 64 * 1024 * 1024)
    return Reply(
      status: Int(response.head.status.code), fields: response.head.fields, body: response.body)
  }

  func get(
    _ target: String, token: String? = nil, fields: [(String, String)] = []
  ) async throws -> Reply {
    try await send(.get, target, token: token, body: [], mediaType: nil, fields: fields)
  }

  /// Sends a JSON document; nil for no body at all.
  func post(
    _ target: String, token: String? = nil, _ document: JSONValue?, key: String? = nil
  ) async throws -> Reply {
    try await send(
      .post, target, token: token, body: document?.bytes ?? [],
      mediaType: document == nil ? nil : "application/json",
      fields: key.map { [("idempotency-key", $0)] } ?? [])
  }

  func close() { client.shutDown() }
}
