import Support
import Testing

/// A single user with an active account and its token.
struct SingleUser {
  let person: Person
  let token: String
  let client: PublicClient
}

/// A third party with an active account and its token.
struct ThirdParty {
  let company: Company
  let token: String
  let client: PublicClient
}

extension TestSystem {
  /// Registers a single user, follows the mail's link and logs in.
  func singleUser(_ way: PublicClient.Way = .plain) async throws -> SingleUser {
    let client = try PublicClient(self, way)
    let person = People.person()
    try await register(person.registration, at: "/auth/reg/single", person.email, client)
    let token = try await logIn(person.email, client)
    return SingleUser(person: person, token: token, client: client)
  }

  /// Registers a company, follows the mail's link and logs in.
  func thirdParty(_ way: PublicClient.Way = .plain) async throws -> ThirdParty {
    let client = try PublicClient(self, way)
    let company = People.company()
    try await register(company.registration, at: "/auth/reg/tp", company.email, client)
    let token = try await logIn(company.email, client)
    return ThirdParty(company: company, token: token, client: client)
  }

  private func register(
    _ registration: JSONValue, at path: String, _ email: String, _ client: PublicClient
  ) async throws {
    let reply = try await client.post(path, registration)
    try #require(reply.outcome == .ok, "\(path): \(reply.text)")
    let token = try Mailbox.activationToken(in: try await mailbox.activationMail(to: email))
    let activation = try await client.get("/auth/activ?activToken=\(token)")
    try #require(activation.outcome == .ok, "\(activation.text)")
  }

  func logIn(_ email: String, _ client: PublicClient) async throws -> String {
    let reply = try await client.post(
      "/auth/login", ["email": .text(email), "password": .text(People.password)])
    try #require(reply.outcome == .ok, "\(reply.text)")
    return try #require(reply.json.authToken.text)
  }
}

extension SingleUser {
  /// Posts with this account's token.
  func post(_ path: String, _ document: JSONValue?, key: String? = nil) async throws -> Reply {
    try await client.post(path, token: token, document, key: key)
  }

  func get(_ target: String) async throws -> Reply { try await client.get(target, token: token) }

  /// The document at a target. Fails for any other status than 200, so that a wait for a change of
  /// the document does not hide a refusal.
  func json(_ target: String) async throws -> JSONValue {
    let reply = try await get(target)
    try #require(reply.outcome == .ok, "\(target): \(reply.text)")
    return reply.json
  }

  /// Posts under a key, which the server may process once only; repeats a request that it asks to
  /// repeat.
  func postUntilServed(
    _ path: String, _ document: JSONValue?, key: String? = nil
  ) async throws -> Reply {
    try await eventually("the response of \(path)") {
      let reply = try await post(path, document, key: key)
      return reply.mustBeRepeated ? nil : reply
    }
  }

  /// Uploads samples of one type.
  @discardableResult
  func upload(_ type: String, _ samples: [(String, JSONValue)]) async throws -> Reply {
    let reply = try await post(
      "/data/upload",
      [
        "dataTypes": .array(samples.map { _ in .text(type) }),
        "values": .array(samples.map(\.1)),
        "timestamp": .array(samples.map { .text($0.0) }),
      ])
    try #require(reply.outcome == .ok, "\(reply.text)")
    return reply
  }

  /// Waits for the end of a session, which the gateway learns within its polling interval.
  func waitUntilRefused(_ token: String) async throws {
    _ = try await eventually("the end of the session") {
      let reply = try await client.get("/auth/me", token: token)
      return reply.outcome == Outcome(401, "Wrong token") ? true : nil
    }
  }
}

extension ThirdParty {
  /// Posts with this company's token.
  func post(_ path: String, _ document: JSONValue?, key: String? = nil) async throws -> Reply {
    try await client.post(path, token: token, document, key: key)
  }

  func get(_ target: String) async throws -> Reply { try await client.get(target, token: token) }

  /// Sends a single request and returns its identifier.
  func ask(
    _ user: SingleUser, for types: JSONValue, subscribing seconds: Int? = nil,
    more: JSONValue = [:]
  ) async throws -> String {
    var request: JSONValue = [
      "email": .text(user.person.email), "dataTypes": types,
      "subscribing": .bool(seconds != nil),
    ]
    if let seconds { request = request.with("duration", .number(Double(seconds))) }
    let reply = try await post("/req/tp/sendSingle", request.merging(more))
    try #require(reply.outcome == .ok, "\(reply.text)")
    return try #require(reply.json.reqID.text)
  }

  /// The row of one request in the list.
  func row(_ request: String) async throws -> JSONValue {
    let list = try await get("/req/tp/list")
    try #require(list.outcome == .ok, "\(list.text)")
    return list.json.requests.items.first { $0.reqID.text == request } ?? .null
  }
}
