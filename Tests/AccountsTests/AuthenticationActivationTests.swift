import Bytes
import Cryptography
import Data4HelpFixture
import Domain
import HTTP
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Support
import Testing

@Suite("Activating")
struct AuthenticationActivationTests {
  @Test("a wrong token and a second use have different errors", .tags(.ACC_1))
  func outcomes() async throws {
    try await AuthenticationStage.with { stage in
      _ = try await stage.registerPerson()
      let token = try await stage.mailbox.nextToken()
      #expect(try await stage.activate(token).status == 200)
      let second = try await stage.activate(token)
      #expect(second.status == 403)
      #expect(second["error"] == "Already activated")
      let unknown = TokenAuthority(root: stage.parts.root).issue(.activation).text
      let session = TokenAuthority(root: stage.parts.root).issue(.session).text
      let changed = String(token.dropLast()) + (token.hasSuffix("A") ? "E" : "A")
      for wrong in ["nonsense", changed, unknown, session] {
        let reply = try await stage.activate(wrong)
        #expect(reply.status == 401)
        #expect(reply["error"] == "Wrong token")
        #expect(reply.fields[.wwwAuthenticate] != nil)
      }
      #expect(try await stage.call(.activate).status == 400)
    }
  }

  @Test("a link followed five times at once activates once", .tags(.ACC_1))
  func concurrent() async throws {
    try await AuthenticationStage.with { stage in
      _ = try await stage.registerPerson()
      let token = try await stage.mailbox.nextToken()
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<5 { group.addTask { try await stage.activate(token).status } }
        return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
      }
      #expect(statuses == [200: 1, 403: 4])
    }
  }

  @Test("a link is valid for exactly 24 hours", .tags(.ACC_1))
  func validity() async throws {
    try await AuthenticationStage.with { stage in
      _ = try await stage.registerPerson()
      let mario = try await stage.mailbox.nextToken()
      _ = try await stage.registerPerson(Sent.bianca)
      let bianca = try await stage.mailbox.nextToken()
      try await stage.advance(by: .seconds(24 * 3600) - .milliseconds(1))
      #expect(try await stage.activate(mario).status == 200)
      stage.clock.advance(by: .milliseconds(1))
      #expect(try await stage.activate(bianca).status == 401)
    }
  }

  @Test("an expired registration reserves nothing, and its link stays invalid", .tags(.ACC_1))
  func takenOver() async throws {
    try await AuthenticationStage.with { stage in
      _ = try await stage.registerPerson()
      let first = try await stage.mailbox.nextToken()
      try await stage.advance(by: .seconds(24 * 3600))
      #expect(try await stage.registerPerson().status == 200)
      let second = try await stage.mailbox.nextToken()
      #expect(try await stage.activate(first).status == 401)
      #expect(try await stage.activate(second).status == 200)
      #expect(try await stage.login().status == 200)
    }
  }

  @Test("a link is invalid once another account has its fiscal code", .tags(.R2, .ACC_1))
  func codeTakenOver() async throws {
    try await AuthenticationStage.with { stage in
      _ = try await stage.registerPerson()
      let token = try await stage.mailbox.nextToken()
      // As a replica with a later clock would do, for which the reservation has expired.
      let code = BlindIndex(.fiscalCode, root: stage.parts.root)
        .value(of: "RSSMRA80A01H501U")
      try stage.data.run(
        """
        UPDATE data4help.account_identifiers SET account_id = 1
         WHERE blind = '\\x\(Hexadecimal.encode(code.bytes.span))'
        """)
      #expect(try await stage.activate(token).status == 401)
      #expect(try stage.data.cell("SELECT state FROM data4help.accounts") == "1")
    }
  }

  @Test("links for one registration are few, at intervals, and expire together", .tags(.ACC_1))
  func resending() async throws {
    try await AuthenticationStage.with { stage in
      _ = try await stage.registerPerson()
      let first = try await stage.mailbox.nextToken()
      let resend = { @Sendable (email: String) async throws in
        try await stage.call(.resendActivation, Sent.json(["email": email]))
      }
      for email in ["mario.rossi@example.org", "nobody@example.org"] {
        let reply = try await resend(email)
        #expect(reply.status == 200)
        #expect(reply["message"] == "Action successful")
      }
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.activations") == "1")
      for _ in 0..<6 {
        try await stage.advance(by: .seconds(60))
        _ = try await resend("MARIO.rossi@example.org")
      }
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.activations") == "5")
      #expect(
        try stage.data.cell("SELECT count(DISTINCT valid_until) FROM data4help.activations") == "1")
      let last = try await stage.mailbox.nextToken()
      #expect(last != first)
      #expect(try await stage.activate(last).status == 200)
      #expect(try await stage.activate(first)["error"] == "Already activated")
      #expect(try await resend("nonsense").status == 400)
    }
  }

  @Test(
    "another link requested during the removal of its account is not sent", .tags(.ACC_1))
  func removedMeanwhile() async throws {
    try await AuthenticationStage.with { stage in
      _ = try await stage.registerPerson()
      stage.clock.advance(by: .seconds(60))
      let removal = try stage.data.session()
      try removal.run("BEGIN; DELETE FROM data4help.accounts")
      async let reply = stage.call(
        .resendActivation, Sent.json(["email": "mario.rossi@example.org"]))
      try await stage.data.untilLockIsAwaited()
      try removal.run("COMMIT")
      let answer = try await reply
      #expect((answer.status, answer["message"]) == (200, "Action successful"))
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.activations") == "0")
    }
  }

  @Test("a browser receives a page without external resources", .tags(.ACC_1))
  func page() async throws {
    try await AuthenticationStage.with { stage in
      _ = try await stage.registerPerson()
      let token = try await stage.mailbox.nextToken()
      let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
      let wrong = try await stage.activate("nonsense", accept: browser)
      #expect(wrong.status == 401)
      let page = try await stage.activate(token, accept: browser)
      #expect(page.status == 200)
      #expect(page.fields[.contentType] == "text/html; charset=utf-8")
      let policy = try #require(page.fields[.contentSecurityPolicy])
      #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
      #expect(page.fields[.referrerPolicy] == "no-referrer")
      #expect(page.text.contains("<html lang=\"it\">"))
      #expect(page.text.contains("lang=\"en\""))
      #expect(page.text.contains("href=\"/app/login\""))
      #expect(!page.text.contains("http"))
      #expect(!page.text.contains(token))
      #expect(try await stage.activate(token, accept: browser).status == 403)
    }
  }

  @Test("a client that accepts anything receives JSON, and a HEAD activates nothing", .tags(.ACC_1))
  func scanners() async throws {
    try await AuthenticationStage.with { stage in
      _ = try await stage.registerPerson()
      let token = try await stage.mailbox.nextToken()
      for accept in ["*/*", "application/json, text/html;q=0.9", "", "text/html;q=0"] {
        let reply = try await stage.activate("nonsense", accept: accept)
        #expect(reply.problem != nil)
      }
      let head = try await stage.call(.activate, query: "activToken=\(token)", method: .head)
      #expect(head.status == 200)
      #expect(try await stage.login().status == 401)
    }
  }
}
