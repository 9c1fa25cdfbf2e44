import Accounts
import Cryptography
import Data4HelpFixture
import Domain
import HTTP
import Mail
import Operations
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import ServiceKit
import Support
import Testing

@Suite("Logging in and out")
struct AuthenticationLoginTests {
  @Test("one session is open at a time, unless the login replaces it", .tags(.ACC_7))
  func oneSession() async throws {
    try await AuthenticationStage.with { stage in
      try await stage.makePerson()
      let first = try await stage.login()
      #expect(first.status == 200)
      #expect(first.fields[.cacheControl] == "no-store")
      #expect(first["expiresAt"] == "2026-12-18T11:06:40Z")
      let refused = try await stage.login()
      #expect(refused.status == 403)
      #expect(refused["error"] == "Already logged in")
      #expect(try await stage.login(replace: true).status == 200)
      let open = "SELECT count(*) FROM data4help.sessions WHERE ended_at IS NULL" as StaticString
      #expect(try stage.data.cell(open) == "1")
    }
  }

  @Test("a login with a cookie sets it for the session's lifetime and shows no token")
  func cookie() async throws {
    try await AuthenticationStage.with { stage in
      try await stage.makePerson()
      let mario = Sent.mario
      let body = Sent.json([
        "email": mario["email"] ?? "", "password": mario["password"] ?? "", "cookie": true,
      ])
      let plain = try await stage.call(.login, body, fields: [("x-forwarded-proto", "http")])
      #expect(plain.status == 400)
      #expect(plain["field"] == "cookie")
      let reply = try await stage.call(.login, body, fields: [("x-forwarded-proto", "https")])
      #expect(reply.status == 200)
      #expect(reply["authToken"] == nil)
      #expect(reply["accountType"] == "single")
      #expect(reply["expiresAt"] == "2026-12-18T11:06:40Z")
      let parts = try #require(reply.fields[.setCookie]).split(separator: "; ")
      #expect(
        parts.dropFirst()
          == ["Max-Age=2592000", "Path=/", "Secure", "HttpOnly", "SameSite=Strict"])
      let pair = try #require(parts.first)
      #expect(pair.hasPrefix("__Host-trackme="))
      let token = pair.dropFirst("__Host-trackme=".count)
      #expect(try stage.identity(of: String(token)).kind == .singleUser)
      for line in stage.logged.lines { #expect(!line.contains(token)) }
    }
  }

  @Test("logins are counted by outcome, without names")
  func metrics() async throws {
    try await AuthenticationStage.with { stage in
      try await stage.makePerson()
      #expect(try await stage.login().status == 200)
      for _ in 0..<3 { #expect(try await stage.login(password: "not this one").status == 401) }
      #expect(try await stage.login().status == 429)
      let text = stage.parts.metrics.text()
      for (outcome, count) in [("ok", 1), ("wrong", 3), ("slowed", 1)] {
        let line = "trackme_data4help_logins_total{outcome=\"\(outcome)\"} \(count)"
        #expect(text.contains(line), "\(text)")
      }
      #expect(!text.contains("@"))
    }
  }

  @Test("ten logins at the same time open one session", .tags(.ACC_7))
  func concurrent() async throws {
    try await AuthenticationStage.with { stage in
      try await stage.makePerson()
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<10 { group.addTask { try await stage.login().status } }
        return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
      }
      #expect(statuses == [200: 1, 403: 9])
    }
  }

  @Test("a session ends after 24 idle hours or 30 days, and admits another login", .tags(.ACC_7))
  func idleAndExpired() async throws {
    try await AuthenticationStage.with { stage in
      try await stage.makePerson()
      _ = try await stage.login()
      stage.clock.advance(by: .seconds(86_399))
      #expect(try await stage.login().status == 403)
      stage.clock.advance(by: .seconds(1))
      #expect(try await stage.login().status == 200)
      // In continuous use, as recorded by the gateway, until it is 30 days old.
      let use = "UPDATE data4help.sessions SET last_used_at = last_used_at + interval '30 days'"
      try stage.data.run(use)
      stage.clock.advance(by: .seconds(2_592_000 - 1))
      #expect(try await stage.login().status == 403)
      stage.clock.advance(by: .seconds(1))
      #expect(try await stage.login().status == 200)
    }
  }

  @Test("logging out ends the session", .tags(.R5, .ACC_7))
  func logout() async throws {
    try await AuthenticationStage.with { stage in
      try await stage.makePerson()
      let token = try #require(try await stage.login()["authToken"])
      let identity = try stage.identity(of: token)
      let me = try await stage.call(.me, by: identity)
      #expect(me["full_name"] == "Mario Rossi")
      #expect(me["fc"] == "RSSMRA80A01H501U")
      #expect(me["registeredAt"] == "2026-11-18T11:06:40Z")
      #expect(me.object["hospital"] == nil)
      #expect(try await stage.call(.logout, by: identity)["message"] == "Action successful")
      #expect(try await stage.login().status == 200)
      #expect(try await stage.call(.logout).status == 401)
      #expect(try await stage.call(.me).status == 401)
    }
  }

  @Test("every change of a session has its own number, in order", .tags(.GW_3))
  func changes() async throws {
    try await AuthenticationStage.with { stage in
      try await stage.makePerson()
      try await stage.makePerson(Sent.bianca)
      for _ in 0..<3 {
        _ = try await stage.login(replace: true)
        _ = try await stage.login(Sent.bianca, replace: true)
      }
      let numbers = try stage.data.session().rows(
        "SELECT change FROM data4help.sessions ORDER BY coalesce(ended_at, started_at), change")
      #expect(Set(numbers.compactMap { $0.first ?? nil }).count == 6)
      stage.clock.advance(by: .seconds(90_000))
      try await AccountSweeper(stage.parts, stage.settings).sweep()
      let last = try stage.data.cell("SELECT max(change) FROM data4help.sessions")
      #expect(try stage.data.cell("SELECT change FROM data4help.session_clock") == last)
      #expect(
        try stage.data.cell("SELECT count(*) FROM data4help.sessions WHERE ended_at IS NULL")
          == "0")
    }
  }

  @Test(
    "wrong passwords and unknown emails have one answer and the same delay", .tags(.ACC_7))
  func slowedDown() async throws {
    try await AuthenticationStage.with { stage in
      try await stage.makePerson()
      for email in ["mario.rossi@example.org", "nobody@example.org"] {
        let person = Sent.mario.with("email", email)
        for _ in 0..<3 {
          let reply = try await stage.login(person, password: "not this one")
          #expect(reply.status == 401)
          #expect(reply["error"] == "Wrong credentials")
          #expect(reply.fields[.wwwAuthenticate] != nil)
        }
        let slowed = try await stage.login(person)
        #expect(slowed.status == 429)
        #expect(slowed.fields[.retryAfter] == "5")
      }
      stage.clock.advance(by: .seconds(5))
      #expect(try await stage.login(password: "not this one").status == 401)
      #expect(try await stage.login().fields[.retryAfter] == "10")
      stage.clock.advance(by: .seconds(10))
      #expect(try await stage.login().status == 200)
      #expect(try await stage.login(password: "not this one").status == 401)
      #expect(try await stage.login().status == 403)
    }
  }

  @Test("three wrong passwords in a row are mailed to the owner once", .tags(.ACC_7))
  func reported() async throws {
    try await AuthenticationStage.with { stage in
      try await stage.makePerson()
      for _ in 0..<5 {
        _ = try await stage.login(password: "not this one")
        stage.clock.advance(by: .seconds(30))
      }
      let mail = try await stage.mailbox.next()
      #expect(mail.to.text == "mario.rossi@example.org")
      #expect(mail.subject.contains("wrong password"))
      #expect(!mail.text.contains("not this one"))
      let queued = try stage.data.cell("SELECT count(*) FROM data4help.mails")
      #expect(queued == "2")  // the activation and this one
    }
  }

  @Test("many concurrent guesses count as at most three", .tags(.ACC_7))
  func guessesAtOnce() async throws {
    try await AuthenticationStage.with { stage in
      try await stage.makePerson()
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<20 {
          group.addTask { try await stage.login(password: "guess number \(number)").status }
        }
        return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
      }
      #expect(statuses == [401: 3, 429: 17])
    }
  }

  @Test("a password over 128 characters or empty is malformed")
  func passwordLength() async throws {
    try await AuthenticationStage.with { stage in
      let long = String(repeating: "x", count: 129)
      let reply = try await stage.login(password: long)
      #expect(reply["field"] == "password")
      #expect(try await stage.login(password: "")["field"] == "password")
      #expect(try await stage.login(password: String(long.dropLast())).status == 401)
      #expect(try await stage.login(Sent.mario.with("email", "no"))["field"] == "email")
    }
  }

  @Test("a password hashed at another cost is rehashed at the next login", .tags(.NFR_5))
  func rehashed() async throws {
    try await AuthenticationStage.with { stage in
      try await stage.makePerson()
      let hasher = PasswordHasher(cost: .standard)
      let stored = try hasher.hash(SecretBytes(utf8: "correct horse battery"))
      #expect(stored.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
      try stage.data.run("UPDATE data4help.accounts SET password_hash = '\(stored)'")
      #expect(try await stage.login().status == 200)
      let hash = try stage.data.cell("SELECT password_hash FROM data4help.accounts")
      #expect(hash?.contains("$m=64,t=1,p=1$") == true)
      #expect(try await stage.login(replace: true).status == 200)
    }
  }

  @Test("more than 64 waiting password checks are refused with a retry")
  func busy() async throws {
    let cost = try #require(PasswordHashCost(memoryKiB: 32_768, passes: 64, lanes: 1))
    let slow = PasswordHash(
      cost: cost, salt: Array(repeating: 1, count: 16), tag: Array(repeating: 2, count: 32)
    ).text
    try await AuthenticationStage.with { stage in
      let replies = try await withThrowingTaskGroup(of: Reply?.self) { group in
        // Both threads are busy for seconds, so all other requests arrive before they end.
        for _ in 0..<2 {
          group.addTask {
            _ = try await stage.passwords.verify("whatever it may be", against: slow)
            return nil
          }
        }
        for _ in 0..<80 {
          group.addTask { try await stage.login(password: "whatever it may be") }
        }
        return try await group.reduce(into: [Reply]()) { $0 += [$1].compactMap(\.self) }
      }
      let busy = replies.filter { $0.status == 429 && $0.fields[.retryAfter] == "2" }
      #expect(busy.count >= 80 - PasswordPool.waitingMax - 2 - 3)
      #expect(replies.contains { $0.status == 401 })
    }
  }
}
