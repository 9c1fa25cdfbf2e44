import EventLoop
import HTTP
import Installation
import Operations
import Time

/// A client of this installation's gateway on its plain HTTP port. It also reads the activation
/// mails of the accounts that it registers. On one loop.
struct LocalGateway {
  private let loop: EventLoop
  private let client: HTTPClient
  private let authority: String
  private let mail: DemoMail
  /// The failed operation, as the beginning of an error sentence.
  private let failure: String

  /// How long to wait for a mail, and for a gateway that answers `Retry-After`.
  private static let waitMax = Duration.seconds(60)
  /// The longest single `Retry-After` to follow, in seconds.
  private static let waitSecondsMax: Int64 = 30

  /// A client whose error sentences begin with `failure`.
  init(_ installation: Installation, on loop: EventLoop, failure: String) throws(StartError) {
    self.loop = loop
    self.failure = failure
    mail = DemoMail(directory: installation.state.file("mail"))
    let port = try installation.value(SettingTable.httpPort)
    authority = "localhost:\(port)"
    var settings = HTTPClientSettings()
    settings.version = .http1
    client = HTTPClient(to: .tcp(host: "127.0.0.1", port: port), on: loop, settings: settings)
  }

  /// Closes its connections.
  func shutDown() { client.shutDown() }

  func pause(_ duration: Duration) async {
    await withCheckedContinuation { continuation in
      _ = loop.schedule(after: duration) { continuation.resume() }
    }
  }

  /// Sends a document; returns a response of any status. After 429 or 503 it retries for up to a
  /// minute.
  ///
  /// - Throws: `StartError` if the gateway is unreachable.
  func call(
    _ method: HTTPMethod, _ path: String, _ body: [UInt8] = [], token: String? = nil,
    key: String? = nil
  ) async throws(StartError) -> HTTPClientResponse {
    let end = loop.now + Self.waitMax
    while true {
      let response = try await send(method, path, body, token: token, key: key)
      guard loop.now < end, let wait = Self.wait(for: response) else { return response }
      await pause(wait)
    }
  }

  /// The body of a response that must have status 200.
  ///
  /// - Throws: a sentence about the response otherwise.
  func insist(
    _ method: HTTPMethod, _ path: String, _ body: [UInt8] = [], token: String? = nil,
    key: String? = nil
  ) async throws(StartError) -> [UInt8] {
    let response = try await call(method, path, body, token: token, key: key)
    guard response.head.status == .ok else { throw refusal(path, response) }
    return response.body
  }

  /// The error for a response with a status other than 200.
  func refusal(_ path: String, _ response: HTTPClientResponse) -> StartError {
    let detail = DemoJSON.text("detail", in: response.body).map { ": \($0)" } ?? "."
    return StartError("\(failure): \(path) answered \(response.head.status.code)\(detail)")
  }

  private func send(
    _ method: HTTPMethod, _ path: String, _ body: [UInt8], token: String?, key: String?
  ) async throws(StartError) -> HTTPClientResponse {
    var head = RequestHead(method, path, authority: authority)
    if !body.isEmpty { head.fields.append(.contentType, "application/json") }
    if let token { head.fields.append(.authorization, "Bearer \(token)") }
    if let key { head.fields.append(.idempotencyKey, key) }
    do throws(HTTPClientError) { return try await client.send(head, body: body) } catch {
      throw StartError("\(failure): nothing answers at \(authority). Is the system running?")
    }
  }

  private static func wait(for response: HTTPClientResponse) -> Duration? {
    let status = response.head.status
    guard status == .tooManyRequests || status == .unavailable else { return nil }
    let seconds = response.head.fields[.retryAfter].flatMap { Int64($0) } ?? 1
    return .seconds(min(max(seconds, 1), waitSecondsMax))
  }
}

// MARK: Accounts

extension LocalGateway {
  /// Registers a missing account, with consent to all documents, and follows the link in its mail;
  /// then logs in.
  ///
  /// - Returns: the session's token.
  func logIn(
    _ login: DemoLogin, registering registration: Registration
  ) async throws(StartError) -> String {
    let documents = try PublishedDocument.list(in: try await insist(.get, "/auth/documents"))
    // The mails to a deleted account with the same address remain, with a token that has ended.
    var former = mail.names
    let registered = try await call(
      .post, registration.path, registration.body(consentingTo: documents))
    switch registered.head.status {
    case .ok: break
    case .forbidden:
      let known = try await call(.post, "/auth/login", login.request)
      if known.head.status == .ok { return try token(in: known.body) }
      // An interrupted call may have registered the account without activating it.
      former = []
    default: throw refusal(registration.path, registered)
    }
    let activation = try await activationToken(of: login, after: former)
    _ = try await call(.get, "/auth/activ?activToken=\(activation)")
    return try token(in: try await insist(.post, "/auth/login", login.request))
  }

  private func token(in answer: [UInt8]) throws(StartError) -> String {
    guard let token = DemoJSON.text("authToken", in: answer) else {
      throw StartError("\(failure): the login returned no token.")
    }
    return token
  }

  private func activationToken(
    of login: DemoLogin, after former: Set<String>
  ) async throws(StartError) -> String {
    let end = loop.now + Self.waitMax
    while loop.now < end {
      if let token = mail.activationToken(for: login.email, after: former) { return token }
      await pause(.milliseconds(50))
    }
    throw StartError("\(failure): no mail came for \(login.email).")
  }
}
