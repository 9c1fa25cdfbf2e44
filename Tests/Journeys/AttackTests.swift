import Foundation
import HTTP
import Requirements
import Support
import Testing

/// Attacks through the gateway by an adversary with accounts of its own.
@Suite("Attacks, through the gateway")
struct AttackTests {
  private static let upload: JSONValue = [
    "dataTypes": ["heartRate"], "values": [70], "timestamp": ["2024-02-01T08:00:00Z"],
  ]

  @Test(
    "internal header fields from outside are ignored, in any spelling",
    .tags(.R5, .GW_1),
    arguments: ["X-TrackMe-", "x-trackme-", "X_TrackMe_", "x.trackme.", "xtrackme", "X--TrackMe_"])
  func spoofedFields(prefix: String) async throws {
    let user = try await TestSystem.shared().singleUser()
    let spoofed = [
      (prefix + "account", "1"), (prefix + "kind", "tp"), (prefix + "secret", "x"),
      (prefix + "session", String(repeating: "0", count: 64)),
    ]
    let stranger = try await user.client.get("/auth/me", fields: spoofed)
    #expect(stranger.outcome == Outcome(401, "Wrong token"))
    let me = try await user.client.get("/auth/me", token: user.token, fields: spoofed)
    #expect(me.json.email.text == user.person.email)
    let stripping = [("connection", "x-trackme-secret, x-trackme-account")]
    let same = try await user.client.get("/auth/me", token: user.token, fields: stripping)
    #expect(same.json.email.text == user.person.email)
  }

  @Test("a token of a different kind, or with one changed character, is refused", .tags(.R5))
  func tokenConfusion() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let party = try await system.thirdParty()
    let waiting = People.person()
    _ = try await user.client.post("/auth/reg/single", waiting.registration)
    let mail = try await system.mailbox.activationMail(to: waiting.email)
    let activation = try Mailbox.activationToken(in: mail)
    let changed = String(user.token.dropLast()) + (user.token.hasSuffix("A") ? "B" : "A")
    for token in [activation, changed, party.token, user.token.uppercased(), "x"] {
      let reply = try await user.client.get("/data/quota", token: token)
      #expect(reply.outcome == Outcome(401, "Wrong token"))
    }
    let used = try await user.client.get("/auth/activ?activToken=\(user.token)")
    #expect(used.outcome == Outcome(401, "Wrong token"))
    let query = try await user.client.post("/auth/logout?authToken=\(user.token)", nil)
    #expect(query.outcome == Outcome(401, "Wrong token"))
  }

  @Test("other people's requests and imports look as if they did not exist", .tags(.R9, .R12, .R14))
  func foreignIdentifiers() async throws {
    let system = try await TestSystem.shared()
    let (owner, user) = (try await system.singleUser(), try await system.singleUser())
    let (asker, party) = (try await system.thirdParty(), try await system.thirdParty())
    _ = try await owner.client.post("/data/upload", token: owner.token, Self.upload)
    let asked = try await asker.client.post(
      "/req/tp/sendSingle", token: asker.token, Self.request(of: owner))
    let requestID = try #require(asked.json.reqID.text)
    let body: JSONValue = ["reqID": .text(requestID)]
    let choice: JSONValue = ["reqID": .text(requestID), "choice": "accept"]
    let chosen = try await user.client.post("/req/single/choice", token: user.token, choice)
    #expect(chosen.outcome == Outcome(403, "Wrong parameters"))
    let notFound = Outcome(404, "Not found")
    let ended = try await user.client.post("/req/single/end", token: user.token, body)
    #expect(ended.outcome == notFound)
    let stopped = try await party.client.post("/req/tp/end", token: party.token, body)
    #expect(stopped.outcome == notFound)
    _ = try await owner.client.post("/req/single/choice", token: owner.token, choice)
    let data = try await party.client.get("/req/tp/data?reqID=\(requestID)", token: party.token)
    #expect(data.outcome == notFound)
    let started = try await owner.client.send(
      .post, "/data/import?format=apple-health", token: owner.token,
      body: Array("<HealthData/>".utf8), mediaType: "application/xml")
    let importID = try #require(started.json.importID.text)
    let progress = try await user.client.get("/data/import?importID=\(importID)", token: user.token)
    #expect(progress.outcome == notFound)
  }

  @Test("of many concurrent answers to one request, one counts", .tags(.R13))
  func racingChoices() async throws {
    let system = try await TestSystem.shared()
    let (owner, asker) = (try await system.singleUser(), try await system.thirdParty())
    _ = try await owner.client.post("/data/upload", token: owner.token, Self.upload)
    let asked = try await asker.client.post(
      "/req/tp/sendSingle", token: asker.token, Self.request(of: owner))
    let requestID = try #require(asked.json.reqID.text)
    let outcomes = try await Self.atOnce(8) { index in
      let client = try PublicClient(system)
      let choice: JSONValue = index % 2 == 0 ? "accept" : "decline"
      return try await client.post(
        "/req/single/choice", token: owner.token, ["reqID": .text(requestID), "choice": choice]
      ).outcome
    }
    #expect(outcomes.filter { $0 == .ok }.count == 1)
    #expect(outcomes.filter { $0 == Outcome(403, "Wrong parameters") }.count == 7)
  }

  @Test("of many concurrent registrations with one email, one succeeds", .tags(.R4))
  func racingRegistrations() async throws {
    let system = try await TestSystem.shared()
    let email = People.person().email
    let outcomes = try await Self.atOnce(6) { _ in
      let registration = People.person().registration.with("email", .text(email))
      return try await PublicClient(system).post("/auth/reg/single", registration).outcome
    }
    #expect(outcomes.filter { $0 == .ok }.count == 1)
    #expect(outcomes.filter { $0 == Outcome(403, "Already registered") }.count == 5)
  }

  @Test("a stranger with another account's Idempotency-Key is refused and changes nothing")
  func strangersKey() async throws {
    let client = try PublicClient(try await TestSystem.shared())
    let (first, second) = (People.person(), People.person())
    let key = "stranger-\(first.email)"
    let registered = try await client.post("/auth/reg/single", first.registration, key: key)
    #expect(registered.outcome == .ok)
    let stranger = try await client.post("/auth/reg/single", second.registration, key: key)
    #expect(stranger.outcome == Outcome(422, "Key reused"))
    let again = try await client.post("/auth/reg/single", first.registration, key: key)
    #expect(again.json == registered.json)
    let other = try await client.post("/auth/reg/single", second.registration, key: key + "2")
    #expect(other.outcome == .ok)
  }

  @Test(
    "a company cannot take another's name in another alphabet", .tags(.ACC_12),
    arguments: ["Clinic о", "Ｃｌｉｎｉｃ o", "Ϲlinic o", "CLΙNΙC o", "𝐂𝐥𝐢𝐧𝐢𝐜 o"])
  func lookAlikes(name: String) async throws {
    let system = try await TestSystem.shared()
    let party = try await system.thirdParty()
    let number = party.company.name.filter(\.isNumber)
    let taken = People.company().registration.with("company_name", .text("Clinic o \(number)"))
    #expect(try await party.client.post("/auth/reg/tp", taken).outcome == .ok)
    let other = People.company().registration.with("company_name", .text("\(name) \(number)"))
    let reply = try await party.client.post("/auth/reg/tp", other)
    #expect(reply.outcome == Outcome(403, "Already registered"))
  }

  @Test("an import without a file is refused", .tags(.DAT_6))
  func importWithoutFile() async throws {
    let user = try await TestSystem.shared().singleUser()
    let reply = try await user.client.post(
      "/data/import?format=apple-health", token: user.token, nil)
    #expect(reply.outcome == .malformed)
    let stranger = try await user.client.post("/data/import?format=apple-health", nil)
    #expect(stranger.outcome == Outcome(401, "Wrong token"))
  }

  @Test("no log contains an email, a name, a code, a password or a token", .tags(.NFR_5))
  func logs() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let mail = try await system.mailbox.activationMail(to: user.person.email)
    _ = try await user.client.get("/auth/me?authToken=\(user.token)")
    let last = try await user.client.post(
      "/auth/login", ["email": .text(user.person.email), "password": "a wrong password"])
    let secrets = [
      user.token, try Mailbox.activationToken(in: mail), user.person.email, user.person.name,
      user.person.fiscalCode, People.password, "a wrong password",
    ]
    let folder = system.state + "/logs"
    // The lines of the access log are written later than the responses, in their order.
    let id = try #require(last.fields[.requestID])
    try await eventually("the line of the last request") {
      try String(contentsOfFile: folder + "/gateway.log", encoding: .utf8).contains(id)
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let bytes = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
      for (index, secret) in secrets.enumerated() {
        #expect(bytes.firstRange(of: Data(secret.utf8)) == nil, "secret \(index) in \(name)")
      }
    }
  }

  private static func request(of user: SingleUser) -> JSONValue {
    ["email": .text(user.person.email), "dataTypes": ["heartRate"], "subscribing": false]
  }

  /// Runs the same operation many times concurrently.
  private static func atOnce(
    _ count: Int, _ work: @escaping @Sendable (Int) async throws -> Outcome
  ) async throws -> [Outcome] {
    try await withThrowingTaskGroup(of: Outcome.self) { group in
      for index in 0..<count { group.addTask { try await work(index) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }
}
