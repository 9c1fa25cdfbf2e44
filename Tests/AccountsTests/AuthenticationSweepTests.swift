import Accounts
import Data4HelpFixture
import Domain
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Support
import Testing

@Suite("Sweeping accounts")
struct AuthenticationSweepTests {
  @Test(
    "an unactivated registration is removed with its key and its reservations",
    .tags(.ACC_1))
  func expired() async throws {
    try await AuthenticationStage.with { stage in
      try await stage.makePerson()
      _ = try await stage.registerPerson(Sent.bianca)
      _ = try await stage.registerCompany()
      let sweeper = AccountSweeper(stage.parts, stage.settings)
      try await stage.advance(by: .seconds(24 * 3600))
      try await sweeper.sweep()
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.accounts") == "3")
      stage.clock.advance(by: .seconds(600))
      try await sweeper.sweep()
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.accounts") == "1")
      // The email and the fiscal code of the remaining registration.
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.account_identifiers") == "2")
      #expect(try stage.keys.cell("SELECT count(*) FROM account_keys") == "1")
      #expect(try await stage.login().status == 200)
    }
  }

  @Test("reservations taken over by a later registration stay with it", .tags(.ACC_1))
  func takenOver() async throws {
    try await AuthenticationStage.with { stage in
      _ = try await stage.registerPerson()
      _ = try await stage.mailbox.next()
      try await stage.advance(by: .seconds(25 * 3600))
      _ = try await stage.registerPerson()
      try await AccountSweeper(stage.parts, stage.settings).sweep()
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.accounts") == "1")
      _ = try await stage.activate(try await stage.mailbox.nextToken())
      #expect(try await stage.login().status == 200)
    }
  }

  @Test("the key of a registration interrupted by a crash is destroyed", .tags(.NFR_5))
  func abandoned() async throws {
    try await AuthenticationStage.with { stage in
      let account = AccountID(rawValue: 42)
      _ = try await stage.parts.accountKeys.make(for: account)
      try stage.data.session().run(
        "INSERT INTO data4help.begun_registrations VALUES (42, '2026-11-18T11:00:00Z')")
      let sweeper = AccountSweeper(stage.parts, stage.settings)
      try await sweeper.sweep()
      #expect(try stage.keys.cell("SELECT count(*) FROM account_keys") == "1")
      stage.clock.advance(by: .seconds(3600))
      try await sweeper.sweep()
      #expect(try stage.keys.cell("SELECT count(*) FROM account_keys") == "0")
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.begun_registrations") == "0")
    }
  }

  @Test("more ended sessions than one batch holds are swept in one run", .tags(.ACC_7))
  func manySessions() async throws {
    try await AuthenticationStage.with { stage in
      try stage.data.run(
        """
        INSERT INTO data4help.accounts (account_id, kind, state, password_hash, registered_at,
               activated_at, sealed_email, sealed_identity, sealed_profile, birth_date, sex)
        SELECT 1000000 + n, 1, 2, '', now(), '2026-01-01', '', '', '', '1980-01-01', 'F'
          FROM generate_series(1, 2001) AS n;
        INSERT INTO data4help.sessions (token_hash, account_id, kind, started_at, last_used_at,
               expires_at, change)
        SELECT sha256(n::text::bytea), 1000000 + n, 1, '2026-01-01', '2026-01-01', '2026-01-02', n
          FROM generate_series(1, 2001) AS n;
        UPDATE data4help.session_clock SET change = 2001;
        """)
      let sweeper = AccountSweeper(stage.parts, stage.settings)
      try await sweeper.sweep()
      let ended = try stage.data.session().rows(
        "SELECT count(ended_at), count(DISTINCT change), min(change) > 2001 FROM data4help.sessions"
      )
      // Another sweeper may have run at the same moment: it leaves a gap in the numbers.
      #expect(ended == [["2001", "2001", "t"]])
      stage.clock.advance(by: .seconds(8 * 86_400))
      try await sweeper.sweep()
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.sessions") == "0")
    }
  }

  @Test("old sessions and wrong passwords are deleted", .tags(.ACC_7))
  func forgotten() async throws {
    try await AuthenticationStage.with { stage in
      try await stage.makePerson()
      _ = try await stage.login()
      _ = try await stage.login(Sent.bianca)
      let sweeper = AccountSweeper(stage.parts, stage.settings)
      stage.clock.advance(by: .seconds(86_400))
      try await sweeper.sweep()
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.login_failures") == "0")
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.sessions") == "1")
      stage.clock.advance(by: .seconds(7 * 86_400))
      try await sweeper.sweep()
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.sessions") == "0")
    }
  }

  @Test("an ended session is kept for the period that the operator set", .tags(.NFR_6))
  func kept() async throws {
    try await AuthenticationStage.with { stage in
      try await stage.makePerson()
      _ = try await stage.login()
      let settings = try #require(
        AuthenticationSettings(
          publicURL: "https://trackme.example", sessionIdle: .seconds(3600),
          sessionMax: .seconds(86_400), keepSessions: .seconds(2 * 86_400)))
      let sweeper = AccountSweeper(stage.parts, settings)
      stage.clock.advance(by: .seconds(3600))
      try await sweeper.sweep()
      #expect(try stage.data.cell("SELECT count(ended_at) FROM data4help.sessions") == "1")
      stage.clock.advance(by: .seconds(2 * 86_400 - 1))
      try await sweeper.sweep()
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.sessions") == "1")
      stage.clock.advance(by: .seconds(1))
      try await sweeper.sweep()
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.sessions") == "0")
    }
  }
}
