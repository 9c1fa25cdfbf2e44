import HTTP
import Requirements
import Support
import Testing

@Suite("Repetitions under one Idempotency-Key, through the gateway")
struct RepetitionJourney {
  private static let count = 50

  @Test("50 equal parallel requests under one key create one request", .tags(.NFR_4))
  func requests() async throws {
    let system = try await TestSystem.shared()
    let (user, party) = (try await system.singleUser(), try await system.thirdParty())
    try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 60)])
    let request: JSONValue = [
      "email": .text(user.person.email), "dataTypes": ["heartRate"], "subscribing": false,
    ]
    let replies = try await Self.post("/req/tp/sendSingle", request, as: party.token, system)
    let identifier = try #require(replies.first?.json.reqID.text)
    for reply in replies { #expect(reply.body == replies[0].body) }
    for list in [try await party.get("/req/tp/list"), try await user.get("/req/single/list")] {
      #expect(list.json.requests.items.compactMap(\.reqID.text) == [identifier])
    }
  }

  @Test("50 equal parallel uploads under one key store their samples once", .tags(.R7, .NFR_4))
  func uploads() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let batch: JSONValue = [
      "dataTypes": ["heartRate", "heartRate"], "values": [66, 67],
      "timestamp": ["2024-01-15T10:00:00Z", "2024-01-15T11:00:00Z"],
    ]
    let replies = try await Self.post("/data/upload", batch, as: user.token, system)
    // If one of them had been executed twice, its samples would have been duplicates.
    for reply in replies {
      #expect((reply.json.stored, reply.json.duplicates) == (2, 0), "\(reply.text)")
    }
    #expect(try await user.get("/data/stats").json.dataTypes[0].countMember == 2)
  }

  /// The gateway sends requests without an account to the least busy replica, here to both.
  @Test("50 equal parallel registrations under one key create one account", .tags(.NFR_4))
  func registrations() async throws {
    // Uses its own system, because fifty parallel password hashes would block other tests.
    let system = try await TestSystem()
    let person = People.person()
    let replies = try await Self.post("/auth/reg/single", person.registration, as: nil, system)
    for reply in replies { #expect(reply.body == replies[0].body) }
    let token = try Mailbox.activationToken(
      in: try await system.mailbox.activationMail(to: person.email))
    let client = try PublicClient(system)
    defer { client.close() }
    #expect(try await client.get("/auth/activ?activToken=\(token)").outcome == .ok)
    #expect(try system.mailbox.mails(to: person.email).count == 1)
  }

  /// Posts the same request under one key from many clients at once. Each retries while the first
  /// call is in progress, or after a Retry-After because of overload. Returns their last responses,
  /// which all have status 200.
  private static func post(
    _ path: String, _ document: JSONValue, as token: String?, _ system: TestSystem
  ) async throws -> [Reply] {
    try await withThrowingTaskGroup(of: Reply.self) { group in
      for _ in 0..<count {
        group.addTask {
          let client = try PublicClient(system)
          defer { client.close() }
          return try await eventually("the first answer") {
            let reply = try await client.post(path, token: token, document, key: "one effect")
            if [409, 429, 503].contains(reply.status) {
              try #require(reply.fields[.retryAfter] != nil, "\(reply.text)")
              return nil
            }
            try #require(reply.outcome == .ok, "\(reply.text)")
            return reply
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }
}
