import Requirements
import Testing

@Suite("Accounts, through the gateway")
struct AccountJourney {
  @Test(
    "a single user registers, follows the mail's link, and only then logs in",
    .tags(.R1, .R2, .R4, .R5, .ACC_1), arguments: PublicClient.Way.allCases)
  func singleUser(way: PublicClient.Way) async throws {
    let system = try await TestSystem.shared()
    let client = try PublicClient(system, way)
    let person = People.person()
    let reply = try await client.post("/auth/reg/single", person.registration)
    #expect(reply.json == ["message": "Registration successful"], "\(reply.text)")
    let login: JSONValue = ["email": .text(person.email), "password": .text(People.password)]
    let early = try await client.post("/auth/login", login)
    #expect(early.outcome == Outcome(401, "Wrong credentials"))
    let mail = try await system.mailbox.mail(to: person.email)
    let token = try Mailbox.activationToken(in: mail)
    #expect(mail.contains("https://localhost:\(system.httpsPort)/auth/activ?activToken="))
    let wrong = try await client.get("/auth/activ?activToken=\(token)x")
    #expect(wrong.outcome == Outcome(401, "Wrong token"))
    let first = try await client.get("/auth/activ?activToken=\(token)")
    #expect(first.json == ["message": "Account activated"])
    let second = try await client.get("/auth/activ?activToken=\(token)")
    #expect(second.outcome == Outcome(403, "Already activated"))
    let late = try await client.post("/auth/login", login)
    #expect(late.json.message == "Login successful")
    #expect(late.json.accountType == "single")
    let session = try #require(late.json.authToken.text)
    let me = try await client.get("/auth/me", token: session)
    #expect(me.json.fc.text == person.fiscalCode)
    #expect(me.json.full_name.text == person.name)
  }
}
