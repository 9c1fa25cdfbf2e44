import Data4HelpFixture
import Domain
import EventLoop
import Mail
import PostgresFixture
import PublicAPI
import Requirements
import Testing

@Suite("Registering")
struct AuthenticationRegistrationTests {
  @Test("a person registers, follows the link and can log in", .tags(.R1, .R2, .ACC_1))
  func person() async throws {
    try await AuthenticationStage.with { stage in
      let registered = try await stage.registerPerson()
      #expect(registered.status == 200)
      #expect(registered["message"] == "Registration successful")
      #expect(try await stage.login().status == 401)
      let mail = try await stage.mailbox.next()
      #expect(mail.to.text == "mario.rossi@example.org")
      #expect(mail.from.text == "trackme@trackme.example")
      #expect(mail.text.contains("https://trackme.example:8443/auth/activ?activToken=tma_"))
      let token = String(try #require(mail.text.firstMatch(of: /activToken=(\S+)/)).1)
      let activated = try await stage.activate(token)
      #expect(activated.status == 200)
      #expect(activated["message"] == "Account activated")
      let login = try await stage.login()
      #expect(login.status == 200)
      #expect(login["accountType"] == "single")
    }
  }

  @Test("a company registers and reads its own profile", .tags(.R1, .R3))
  func company() async throws {
    try await AuthenticationStage.with { stage in
      #expect(try await stage.registerCompany().status == 200)
      _ = try await stage.activate(try await stage.mailbox.nextToken())
      let login = try await stage.login(Sent.acme)
      #expect(login["accountType"] == "tp")
      let identity = try stage.identity(of: try #require(login["authToken"]))
      let me = try await stage.call(.me, by: identity)
      #expect(me["company_name"] == "Acme S.p.A.")
      #expect(me["piva"] == "12345670157")
      #expect(me["email"] == "info@acme.example")
    }
  }

  @Test("a field that breaks a rule is refused with its name", .tags(.R2, .R4, .ACC_3))
  func refused() async throws {
    let cases: [(String, String?)] = [
      ("email", "mario@"), ("email", nil), ("password", "short"), ("password", nil),
      ("password", "password1"), ("fc", "RSSMRA80A01H501X"), ("fc", "BNCLRA92D55F205E"),
      ("fc", ""), ("full_name", " "), ("full_name", "Mario\nRossi"),
      ("birthdate", "1980-02-30"), ("birthdate", "2999-01-01"), ("sex", "X"), ("sex", nil),
    ]
    try await AuthenticationStage.with { stage in
      for (field, value) in cases {
        let reply = try await stage.registerPerson(Sent.mario.with(field, value))
        #expect(reply.status == 400, "\(field)")
        #expect(reply["error"] == "Malformed request")
        #expect(reply["field"] == field)
      }
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.accounts") == "0")
      #expect(try stage.keys.cell("SELECT count(*) FROM account_keys") == "0")
    }
  }

  @Test("a field that breaks a rule for companies is refused with its name", .tags(.R3, .ACC_4))
  func refusedCompany() async throws {
    let cases: [(String, String?)] = [
      ("piva", "12345670158"), ("piva", nil), ("company_name", "..."),
      ("company_description", " "), ("company_description", nil),
      ("company_description", "a\u{202E}b"), ("company_description", "a\u{2028}b"),
    ]
    try await AuthenticationStage.with { stage in
      for (field, value) in cases {
        let reply = try await stage.registerCompany(Sent.acme.with(field, value))
        #expect(reply.status == 400, "\(field)")
        #expect(reply["field"] == field)
      }
    }
  }

  @Test("a description of 500 characters is accepted and one of 501 is refused")
  func descriptionLength() async throws {
    try await AuthenticationStage.with { stage in
      let long = String(repeating: "è", count: 501)
      let refused = try await stage.registerCompany(Sent.acme.with("company_description", long))
      #expect(refused.status == 400)
      let fitting = String(long.dropLast())
      let taken = try await stage.registerCompany(Sent.acme.with("company_description", fitting))
      #expect(taken.status == 200)
    }
  }

  @Test("identifiers of another account are refused", .tags(.R2, .R4))
  func alreadyRegistered() async throws {
    try await AuthenticationStage.with { stage in
      try await stage.makePerson()
      let sameEmail = Sent.bianca.with("email", "Mario.Rossi@EXAMPLE.org")
      let first = try await stage.registerPerson(sameEmail)
      #expect(first.status == 403)
      #expect(first["error"] == "Already registered")
      #expect(first["field"] == "email")
      let second = try await stage.registerPerson(Sent.mario.with("email", "other@example.org"))
      #expect(second["field"] == "fc")
      let third = try await stage.registerCompany(
        Sent.acme.with("email", "mario.rossi@example.org"))
      #expect(third["field"] == "email")
      #expect(try stage.keys.cell("SELECT count(*) FROM account_keys") == "1")
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.begun_registrations") == "0")
    }
  }

  @Test("a company name that looks like another's is refused", .tags(.ACC_12))
  func lookAlikeNames() async throws {
    try await AuthenticationStage.with { stage in
      _ = try await stage.registerCompany()
      let other = Sent.acme.with("email", "else@else.example").with("piva", "07643520567")
      for name in [
        "ACME srl", "A.C.M.E. SPA", "acmé", " Acme  S. r. l. ", "Acm\u{119}", "Acme\u{328}",
      ] {
        let reply = try await stage.registerCompany(other.with("company_name", name))
        #expect(reply.status == 403)
        #expect(reply["error"] == "Already registered")
        #expect(reply["field"] == "company_name")
      }
      let sameNumber = other.with("piva", "IT 12345670157").with("company_name", "Other")
      #expect(try await stage.registerCompany(sameNumber)["field"] == "piva")
      #expect(try await stage.registerCompany(other.with("company_name", "Acmes")).status == 200)
    }
  }

  @Test("50 equal registrations at the same time create exactly one account", .tags(.R2, .R4))
  func concurrent() async throws {
    try await AuthenticationStage.with { stage in
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<50 { group.addTask { try await stage.registerPerson().status } }
        return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
      }
      #expect(statuses == [200: 1, 403: 49])
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.accounts") == "1")
      #expect(try stage.keys.cell("SELECT count(*) FROM account_keys") == "1")
    }
  }

  @Test("a registration repeated with its Idempotency-Key has the first answer")
  func idempotent() async throws {
    try await AuthenticationStage.with { stage in
      let key = [("idempotency-key", "one")]
      let body = Sent.json(Sent.mario)
      let first = try await stage.call(.registerSingleUser, body, fields: key)
      let second = try await stage.call(.registerSingleUser, body, fields: key)
      #expect(first.status == 200)
      #expect(second.status == 200)
      #expect(second.text == first.text)
      #expect(try stage.keys.cell("SELECT count(*) FROM account_keys") == "1")
      #expect(try await stage.call(.registerSingleUser, body).status == 403)
    }
  }

}
