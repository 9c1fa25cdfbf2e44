import EventLoop
import HTTP
import Operations

/// Fills an empty installation with two accounts, sixty days of samples, a pending request and a
/// published run: through the gateway, as anybody would, but for the run. Doing it again does
/// nothing twice. On one loop.
struct DemoData {
  private let installation: Installation
  private let loop: EventLoop
  private let client: HTTPClient
  private let authority: String

  /// How long a mail may take.
  private static let patience = Duration.seconds(30)

  init(_ installation: Installation, on loop: EventLoop) throws(StartError) {
    self.installation = installation
    self.loop = loop
    let port = try installation.value(SettingTable.httpPort)
    authority = "localhost:\(port)"
    var settings = HTTPClientSettings()
    settings.version = .http1
    client = HTTPClient(to: .tcp(host: "127.0.0.1", port: port), on: loop, settings: settings)
  }

  /// Everything that goes through the gateway.
  func load() async throws(StartError) {
    defer { client.shutDown() }
    try await register(DemoAccounts.personRegistration, "/auth/reg/single", DemoAccounts.person)
    try await register(DemoAccounts.hospitalRegistration, "/auth/reg/tp", DemoAccounts.hospital)
    let person = try await logIn(DemoAccounts.person)
    let samples = DemoSamples.make(until: World.system.now().demoTimestamp)
    _ = try await post("/data/upload", DemoJSON.upload(samples), token: person)
    let hospital = try await logIn(DemoAccounts.hospital)
    let request = DemoJSON.request(to: DemoAccounts.person.email)
    _ = try await post(
      "/req/tp/sendSingle", request, token: hospital, key: "demo-request")
    for token in [person, hospital] {
      _ = try await post("/auth/logout", [], token: token)
    }
  }

  private func register(
    _ registration: [UInt8], _ path: String, _ login: DemoLogin
  ) async throws(StartError) {
    let answer = try await post(path, registration, otherwise: .forbidden)
    if answer.head.status == .forbidden, await canLogIn(login) { return }
    let token = try await activationToken(of: login)
    let activation = RequestHead(.get, "/auth/activ?activToken=\(token)", authority: authority)
    _ = try await send(activation, [], otherwise: .forbidden)
  }

  private func canLogIn(_ login: DemoLogin) async -> Bool {
    do throws(StartError) {
      _ = try await logIn(login)
      return true
    } catch {
      return false
    }
  }

  private func activationToken(of login: DemoLogin) async throws(StartError) -> String {
    let mail = DemoMail(directory: installation.state.file("mail"))
    let end = loop.now + Self.patience
    while loop.now < end {
      if let token = mail.activationToken(for: login.email) { return token }
      await withCheckedContinuation { continuation in
        _ = loop.schedule(after: .milliseconds(50)) { continuation.resume() }
      }
    }
    throw StartError("The demo data is incomplete: no mail came for \(login.email).")
  }

  private func logIn(_ login: DemoLogin) async throws(StartError) -> String {
    let answer = try await post("/auth/login", login.request)
    guard let token = DemoJSON.text("authToken", in: answer.body) else {
      throw StartError("The demo data is incomplete: logging in gave no token.")
    }
    return token
  }

  private func post(
    _ path: String, _ body: [UInt8], token: String? = nil, key: String? = nil,
    otherwise accepted: HTTPStatus? = nil
  ) async throws(StartError) -> HTTPClientResponse {
    var head = RequestHead(.post, path, authority: authority)
    if !body.isEmpty { head.fields.append(.contentType, "application/json") }
    if let token { head.fields.append(.authorization, "Bearer \(token)") }
    if let key { head.fields.append(.idempotencyKey, key) }
    return try await send(head, body, otherwise: accepted)
  }

  /// Fails for any status but 200 and `accepted`.
  private func send(
    _ head: RequestHead, _ body: [UInt8], otherwise accepted: HTTPStatus? = nil
  ) async throws(StartError) -> HTTPClientResponse {
    let response: HTTPClientResponse
    do throws(HTTPClientError) {
      response = try await client.send(head, body: body)
    } catch {
      throw StartError("The demo data is incomplete: the gateway did not answer.")
    }
    guard response.head.status == .ok || response.head.status == accepted else {
      throw StartError(
        "The demo data is incomplete: \(head.pathText) answered \(response.head.status.code).")
    }
    return response
  }
}
