import HTTP
import Requirements
import Support
import Testing

@Suite("Accounts, through the gateway")
struct AccountJourney {
  // One account from registration to login: each step depends on the previous one.
  @Test(
    "a single user registers, follows the mail's link, and can only then log in",
    .tags(.R1, .R2, .ACC_1, .ACC_7), arguments: PublicClient.Way.allCases)
  func singleUser(way: PublicClient.Way) async throws {
    let system = try await TestSystem.shared()
    let client = try PublicClient(system, way)
    let person = People.person()
    let reply = try await client.post("/auth/reg/single", person.registration)
    #expect(reply.json == ["message": "Registration successful"], "\(reply.text)")
    let login: JSONValue = ["email": .text(person.email), "password": .text(People.password)]
    let early = try await client.post("/auth/login", login)
    #expect(early.outcome == Outcome(401, "Wrong credentials"))
    let mail = try await system.mailbox.activationMail(to: person.email)
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
  @Test("a third party registers, activates and logs in", .tags(.R1, .R3, .ACC_1))
  func thirdParty() async throws {
    let party = try await TestSystem.shared().thirdParty(.http2)
    let me = try await party.client.get("/auth/me", token: party.token)
    #expect(me.json.accountType == "tp")
    #expect(me.json.piva.text == party.company.vatNumber)
    #expect(me.json.company_name.text == party.company.name)
  }

  @Test(
    "email, fiscal code, P.IVA and company name are unique",
    .tags(.R2, .R3, .R4, .ACC_12))
  func unique() async throws {
    let system = try await TestSystem.shared()
    let taken = try await system.singleUser()
    let party = try await system.thirdParty()
    let refusal = Outcome(403, "Already registered")
    for member in ["email", "fc"] {
      let other = People.person().registration.with(member, taken.person.registration[member])
      #expect(try await taken.client.post("/auth/reg/single", other).outcome == refusal)
    }
    for member in ["piva", "company_name"] {
      let other = People.company().registration.with(member, party.company.registration[member])
      #expect(try await party.client.post("/auth/reg/tp", other).outcome == refusal)
    }
    // Uniqueness holds across both kinds of account and ignores case.
    let shouted = JSONValue.text(taken.person.email.uppercased())
    let other = People.company().registration.with("email", shouted)
    #expect(try await party.client.post("/auth/reg/tp", other).outcome == refusal)
  }

  @Test("one session at a time: a second login is refused, or replaces the first", .tags(.ACC_7))
  func replace() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let login: JSONValue = ["email": .text(user.person.email), "password": .text(People.password)]
    let second = try await user.client.post("/auth/login", login)
    #expect(second.outcome == Outcome(403, "Already logged in"))
    let third = try await user.client.post("/auth/login", login.with("replace", true))
    let token = try #require(third.json.authToken.text)
    #expect(token != user.token)
    #expect(try await user.client.get("/auth/me", token: token).outcome == .ok)
    try await user.waitUntilRefused(user.token)
  }

  @Test("logging out ends the session, and another login is possible", .tags(.ACC_7))
  func logout() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let reply = try await user.client.post("/auth/logout", token: user.token, nil)
    #expect(reply.outcome == .ok)
    let late = try await user.client.get("/auth/me", token: user.token)
    #expect(late.outcome == Outcome(401, "Wrong token"))
    _ = try await system.logIn(user.person.email, user.client)
  }

  @Test(
    "the token may be in the body or the query, and must agree with the header", .tags(.GW_3))
  func tokenPlaces() async throws {
    let user = try await TestSystem.shared().singleUser()
    let query = try await user.client.get("/auth/me?authToken=\(user.token)")
    #expect(query.outcome == .ok)
    #expect(query.fields["cache-control"] == "no-store")
    let both = try await user.client.get("/auth/me?authToken=\(user.token)x", token: user.token)
    #expect(both.outcome == .malformed)
    let types: JSONValue = ["types": ["steps"], "enabled": [true], "authToken": .text(user.token)]
    #expect(try await user.client.post("/settings/single/data", types).outcome == .ok)
  }

  @Test("curl receives the same responses over HTTP/1.1 and HTTP/2", .tags(.GW_4))
  func curl() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    for (flag, version) in [("--http1.1", "1.1"), ("--http2", "2")] {
      let outcome = try await Program(
        command: [
          "curl", "--silent", "--show-error", flag, "--cacert",
          system.state + "/tls/certificate.pem", "--header",
          "Authorization: Bearer \(user.token)", "--write-out", " %{http_version} %{http_code}",
          "https://localhost:\(system.httpsPort)/auth/me",
        ]
      ).run()
      #expect(outcome.output.contains(user.person.fiscalCode))
      #expect(outcome.output.hasSuffix(" \(version) 200"), "\(outcome.output)")
    }
  }
}
