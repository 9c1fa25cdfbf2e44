import Bytes
import Cryptography
import Data4HelpFixture
import Domain
import HTTP
import Mail
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import ServiceKit
import Support
import Testing

@Suite("Changing and recovering a password")
struct PasswordRecoveryTests {
  private static let next = "an entirely new phrase"

  private func forgot(_ stage: AuthenticationStage, _ email: String) async throws -> Reply {
    try await stage.call(.forgotPassword, Sent.json(["email": email]))
  }

  private func resetToken(_ stage: AuthenticationStage) async throws -> String {
    let text = try await stage.mailbox.next().text
    return String(try #require(text.firstMatch(of: /reset\?token=(\S+)/)).1)
  }

  private func reset(
    _ stage: AuthenticationStage, _ token: String, _ password: String = next
  ) async throws -> Reply {
    try await stage.call(.resetPassword, Sent.json(["token": token, "newPassword": password]))
  }

  @Test("the mailed link sets a new password once, and ends the session", .tags(.ACC_6))
  func recovery() async throws {
    try await AuthenticationStage.with { stage in
      _ = try await stage.person()
      #expect(try await forgot(stage, "MARIO.rossi@example.org")["message"] == "Action successful")
      let token = try await resetToken(stage)
      #expect(try await reset(stage, token, "short").status == 400)
      #expect(try await reset(stage, token)["message"] == "Action successful")
      #expect(try await stage.mailbox.next().subject.contains("password changed"))
      let open = try stage.data.cell(
        "SELECT count(*) FROM data4help.sessions WHERE ended_at IS NULL")
      #expect(open == "0")
      #expect(try await stage.login().status == 401)
      #expect(try await stage.login(password: Self.next).status == 200)
      let again = try await reset(stage, token, "another new phrase")
      #expect(again.status == 401)
      #expect(again["error"] == "Wrong token")
    }
  }

  @Test(
    "a link requested during the deletion of its account is not sent, with the same answer",
    .tags(.ACC_8))
  func deletedMeanwhile() async throws {
    try await AuthenticationStage.with { stage in
      try await stage.makePerson()
      let deletion = try stage.data.session()
      try deletion.run("BEGIN; DELETE FROM data4help.accounts")
      async let reply = forgot(stage, "mario.rossi@example.org")
      try await stage.data.untilLockIsAwaited()
      try deletion.run("COMMIT")
      let answer = try await reply
      #expect((answer.status, answer["message"]) == (200, "Action successful"))
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.password_resets") == "0")
    }
  }

  @Test("the link opens a page for the new password, and stays valid", .tags(.ACC_6))
  func page() async throws {
    try await AuthenticationStage.with { stage in
      try await stage.makePerson()
      _ = try await forgot(stage, "mario.rossi@example.org")
      let token = try await resetToken(stage)
      let browser = [("accept", "text/html,application/xhtml+xml,*/*;q=0.8")]
      func open(_ token: String) async throws -> Reply {
        try await stage.call(.openPasswordReset, query: "token=\(token)", fields: browser)
      }
      let page = try await open(token)
      #expect(page.status == 200)
      #expect(page.fields[.contentType] == "text/html; charset=utf-8")
      #expect(page.fields[.referrerPolicy] == "no-referrer")
      #expect(page.fields[.cacheControl] == "no-store")
      #expect(page.text.contains("<html lang=\"it\">") && page.text.contains("lang=\"en\""))
      #expect(page.text.contains("<form>") && page.text.contains("type=\"password\""))
      #expect(!page.text.contains("http") && !page.text.contains(token))
      #expect(page.text.contains("href=\"/app/login\""))
      // The policy allows only the page's own script and style.
      let policy = try #require(page.fields[.contentSecurityPolicy])
      let script = try #require(page.text.firstMatch(of: /<script>(.*)<\/script>/)).1
      let style = try #require(page.text.firstMatch(of: /<style>(.*)<\/style>/)).1
      for (directive, inline) in [("script-src", script), ("style-src", style)] {
        var digest: [UInt8] = []
        Base64.standard.append(SHA256.digest(of: Array(inline.utf8).span).bytes.span, to: &digest)
        let text = String(decoding: digest, as: UTF8.self)
        #expect(policy.contains("\(directive) 'sha256-\(text)='"))
      }
      #expect(policy.contains("default-src 'none'") && policy.contains("connect-src 'self'"))
      #expect(policy.contains("frame-ancestors 'none'"))

      let plain = try await stage.call(.openPasswordReset, query: "token=\(token)")
      #expect(plain["message"] == "Link valid")
      let head = try await stage.call(
        .openPasswordReset, query: "token=\(token)", fields: browser, method: .head)
      #expect(head.status == 200)
      #expect(try await reset(stage, token).status == 200)
      for wrong in [token, "nonsense"] {
        let dead = try await open(wrong)
        #expect(dead.status == 401)
        #expect(dead.fields[.wwwAuthenticate] == "Bearer")
        #expect(dead.text.contains("Link non valido") && !dead.text.contains("<form"))
        #expect(dead.text.contains("href=\"/app/password\""))
        let plain = try await stage.call(.openPasswordReset, query: "token=\(wrong)")
        #expect((plain.status, plain["error"]) == (401, "Wrong token"))
      }
      #expect(try await stage.call(.openPasswordReset).status == 400)
    }
  }

  @Test("a link is valid for exactly an hour", .tags(.ACC_6))
  func validity() async throws {
    for (age, status) in [(Duration.seconds(3600) - .milliseconds(1), 200), (.seconds(3600), 401)] {
      try await AuthenticationStage.with { stage in
        try await stage.makePerson()
        _ = try await forgot(stage, "mario.rossi@example.org")
        let token = try await resetToken(stage)
        stage.clock.advance(by: age)
        let reply = try await reset(stage, token)
        #expect(reply.status == status)
      }
    }
  }

  @Test("neither the answer nor the stored hashes disclose who has an account", .tags(.ACC_6))
  func unknown() async throws {
    try await AuthenticationStage.with { stage in
      _ = try await stage.registerPerson()
      try await stage.makePerson(Sent.bianca)
      for email in ["nobody@example.org", "mario.rossi@example.org", "bianca@example.org"] {
        let reply = try await forgot(stage, email)
        #expect(reply.status == 200)
        #expect(reply["message"] == "Action successful")
      }
      // Mario's account was not activated: only Laura receives a link, of which only the hash is
      // stored.
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.password_resets") == "1")
      // Each call wrote one mail; mails without a recipient are empty and count as sent.
      let empty = try stage.data.cell(
        """
        SELECT count(*) FROM data4help.mails
         WHERE sealed_message = '' AND attempts = 0 AND sent_at IS NOT NULL
        """)
      #expect(empty == "2")
      let token = try await resetTokenOfLaura(stage)
      let hash = try TokenAuthority(root: stage.parts.root).verify(token.utf8.span).hash
      let stored = try stage.data.cell(
        "SELECT encode(token_hash, 'hex') FROM data4help.password_resets")
      #expect(stored == hash.hexadecimal)
      #expect(try await forgot(stage, "nonsense").status == 400)
    }
  }

  private func resetTokenOfLaura(_ stage: AuthenticationStage) async throws -> String {
    while true {
      let mail = try await stage.mailbox.next()
      if let match = mail.text.firstMatch(of: /reset\?token=(\S+)/) { return String(match.1) }
    }
  }

  @Test(
    "links are at least a minute apart, and a new one invalidates the previous one", .tags(.ACC_6))
  func pace() async throws {
    try await AuthenticationStage.with { stage in
      try await stage.makePerson()
      _ = try await forgot(stage, "mario.rossi@example.org")
      let first = try await resetToken(stage)
      stage.clock.advance(by: .seconds(60) - .milliseconds(1))
      _ = try await forgot(stage, "mario.rossi@example.org")
      stage.clock.advance(by: .milliseconds(1))
      _ = try await forgot(stage, "mario.rossi@example.org")
      let second = try await resetToken(stage)
      #expect(try await reset(stage, first).status == 401)
      #expect(try await reset(stage, second).status == 200)
    }
  }

  @Test("a link used ten times at once sets one password", .tags(.ACC_6))
  func race() async throws {
    try await AuthenticationStage.with { stage in
      try await stage.makePerson()
      _ = try await forgot(stage, "mario.rossi@example.org")
      let token = try await resetToken(stage)
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<10 {
          group.addTask { try await reset(stage, token, "new pass phrase \(number)").status }
        }
        return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
      }
      #expect(statuses == [200: 1, 401: 9])
    }
  }

  @Test("a forged token, and one of a different kind, is a wrong token", .tags(.ACC_6))
  func wrongTokens() async throws {
    try await AuthenticationStage.with { stage in
      let authority = TokenAuthority(root: stage.parts.root)
      let wrong = [
        "", "x", authority.issue(.passwordReset).text, authority.issue(.activation).text,
        authority.issue(.session).text,
      ]
      for token in wrong {
        let reply = try await reset(stage, token)
        #expect(reply.status == 401)
      }
    }
  }

  @Test(
    "changing the password in the settings needs the current one and replaces the session",
    .tags(.ACC_6))
  func change() async throws {
    try await AuthenticationStage.with { stage in
      let mario = try await stage.person()
      _ = try await forgot(stage, "mario.rossi@example.org")
      let token = try await resetToken(stage)
      let wrong = ["password": "not his", "newPassword": Self.next]
      #expect(try await stage.call(.changeSingleUser, Sent.json(wrong), by: mario).status == 403)
      let right = ["password": "correct horse battery", "newPassword": Self.next]
      let reply = try await stage.call(.changeSingleUser, Sent.json(right), by: mario)
      #expect(reply.status == 200)
      #expect(reply.fields[.cacheControl] == "no-store")
      #expect(!reply.fields.contains(.setCookie))
      #expect(reply["expiresAt"] != nil)
      let next = try stage.identity(of: try #require(reply["authToken"]))
      #expect(next.account == mario.account)
      #expect(next.session != mario.session)
      #expect(try await stage.mailbox.next().subject.contains("password changed"))
      let open = try stage.data.cell(
        "SELECT encode(token_hash, 'hex') FROM data4help.sessions WHERE ended_at IS NULL")
      #expect(open == next.session.hexadecimal)
      #expect(try await stage.login(replace: true).status == 401)
      #expect(try await stage.login(password: Self.next, replace: true).status == 200)
      // A previously mailed link is invalid.
      #expect(try await reset(stage, token, "yet another phrase").status == 401)
    }
  }

  @Test("changing the password ends a session that has replaced this one", .tags(.ACC_6))
  func otherSessions() async throws {
    try await AuthenticationStage.with { stage in
      let mario = try await stage.person()
      #expect(try await stage.login(replace: true).status == 200)
      let reply = try await stage.call(.changeSingleUser, Self.changing, by: mario)
      #expect(reply.status == 200)
      let next = try stage.identity(of: try #require(reply["authToken"]))
      #expect(try Self.openSessions(stage) == next.session.hexadecimal)
    }
  }

  private static let changing = Sent.json([
    "password": "correct horse battery", "newPassword": next,
  ])

  /// The hashes of the open sessions.
  private static func openSessions(_ stage: AuthenticationStage) throws -> String? {
    try stage.data.cell(
      """
      SELECT string_agg(encode(token_hash, 'hex'), ' ')
        FROM data4help.sessions WHERE ended_at IS NULL AND bearer = 1
      """)
  }

  @Test("a page that changes the password gets the new token in its cookie only", .tags(.ACC_6))
  func cookie() async throws {
    try await AuthenticationStage.with { stage in
      let mario = try await stage.person()
      let reply = try await stage.call(
        .changeSingleUser, Self.changing, by: mario,
        fields: [(InternalField.cookie.description, "1")])
      #expect(reply["authToken"] == nil)
      let cookie = try #require(reply.fields[.setCookie])
      let value = try #require(cookie.firstMatch(of: /^__Host-trackme=([^;]+);/)).1
      let next = try stage.identity(of: String(value))
      #expect(try Self.openSessions(stage) == next.session.hexadecimal)
      #expect(cookie.contains("Max-Age=2592000"))
    }
  }

  @Test("of two equal changes at once under one key, one gets the token", .tags(.ACC_6, .NFR_4))
  func repetition() async throws {
    try await AuthenticationStage.with { stage in
      let mario = try await stage.person()
      let key = [("idempotency-key", "change")]
      async let first = stage.call(.changeSingleUser, Self.changing, by: mario, fields: key)
      async let second = stage.call(.changeSingleUser, Self.changing, by: mario, fields: key)
      let tokens = [try await first, try await second].compactMap { $0["authToken"] }
      #expect(tokens.count == 1)
      let next = try stage.identity(of: try #require(tokens.first))
      #expect(try Self.openSessions(stage) == next.session.hexadecimal)
    }
  }

  @Test("a change of the profile alone keeps the session", .tags(.ACC_5))
  func otherChange() async throws {
    try await AuthenticationStage.with { stage in
      let mario = try await stage.person()
      let body = Sent.json(["password": "correct horse battery", "phone": "12345"])
      let reply = try await stage.call(.changeSingleUser, body, by: mario)
      #expect(reply.status == 200)
      #expect(reply["authToken"] == nil)
      #expect(try Self.openSessions(stage) == mario.session.hexadecimal)
    }
  }

  @Test(
    "a changed password ends all push subscriptions, also those of its own session",
    .tags(.ACC_6, .NTF_2))
  func pushSubscriptions() async throws {
    try await AuthenticationStage.with { stage in
      let mario = try await stage.person()
      try stage.data.run(
        """
        INSERT INTO data4help.push_subscriptions (
               account_id, subscription_id, endpoint_blind, session_hash, kinds, sealed_endpoint,
               created_at)
        SELECT \(mario.account), gen_random_uuid(), stored.hash, stored.hash, 0, '', now()
          FROM (VALUES ('other'::bytea),
                       (decode('\(mario.session.hexadecimal)', 'hex'))) AS stored (hash)
        """)
      let other = Sent.json(["password": "correct horse battery", "phone": "12345"])
      #expect(try await stage.call(.changeSingleUser, other, by: mario).status == 200)
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.push_subscriptions") == "2")
      #expect(try await stage.call(.changeSingleUser, Self.changing, by: mario).status == 200)
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.push_subscriptions") == "0")
    }
  }
}
