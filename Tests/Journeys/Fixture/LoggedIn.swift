import Testing

/// A single user whose account works, with its token.
struct SingleUser {
  let person: Person
  let token: String
  let client: PublicClient
}

/// A third party whose account works, with its token.
struct ThirdParty {
  let company: Company
  let token: String
  let client: PublicClient
}

extension TestSystem {
  /// Registers, follows the mail's link and logs in.
  func singleUser(_ way: PublicClient.Way = .plain) async throws -> SingleUser {
    let client = try PublicClient(self, way)
    let person = People.person()
    try await register(person.registration, at: "/auth/reg/single", person.email, client)
    let token = try await logIn(person.email, client)
    return SingleUser(person: person, token: token, client: client)
  }

  /// The same for a company.
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
    let token = try Mailbox.activationToken(in: try await mailbox.mail(to: email))
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
