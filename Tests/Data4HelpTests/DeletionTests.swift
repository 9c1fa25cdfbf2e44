import Data4Help
import Data4HelpFixture
import Domain
import Foundation
import PostgresFixture
import PublicAPI
import Requirements
import ServiceKit
import Support
import Testing

@Suite("Deleted accounts")
struct DeletionTests {
  private static func body(_ password: String, _ word: String = "DELETE") throws -> String {
    Sent.json(["password": password, "confirm": word])
  }

  @Test("deleting needs the password and the word DELETE", .tags(.ACC_8))
  func refusals() async throws {
    try await AuthenticationStage.with { stage in
      let mario = try await stage.person()
      let wrong = try await stage.call(
        .deleteAccount, Self.body("a wrong password"), by: mario)
      #expect(wrong.status == 403)
      let password = try #require(Sent.mario["password"])
      let word = try await stage.call(.deleteAccount, Self.body(password, "delete"), by: mario)
      #expect(word.status == 400)
      #expect(try await stage.call(.me, by: mario).status == 200)
    }
  }

  @Test(
    "every session ends with a change of its own, and email and fiscal code are free again",
    .tags(.ACC_8, .GW_3))
  func freed() async throws {
    try await AuthenticationStage.with { stage in
      let mario = try await stage.person()
      let password = try #require(Sent.mario["password"])
      let before = try stage.data.cell("SELECT change FROM data4help.session_clock")
      #expect(try await stage.call(.deleteAccount, Self.body(password), by: mario).status == 200)
      let ended = try stage.data.cell(
        """
        SELECT count(*) FROM data4help.sessions
         WHERE ended_at IS NOT NULL AND account_id IS NULL AND change > $1::int8
        """, before ?? "")
      #expect(ended == "1")
      #expect(try await stage.login().status == 401)
      _ = try await stage.person()
    }
  }

  @Test(
    "a restored backup shows no deleted account, and the ledger deletes them again",
    .tags(.ACC_8, .NFR_6))
  func restored() async throws {
    try await AuthenticationStage.with { stage in
      let mario = try await stage.person()
      let account = mario.account.description
      let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("\(UUID().uuidString).sql").path
      defer { try? FileManager.default.removeItem(atPath: path) }
      try Self.run([
        "pg_dump", "--data-only", "--disable-triggers", "--schema", "data4help", "--file", path,
        "--dbname", stage.data.url(),
      ])
      let password = try #require(Sent.mario["password"])
      #expect(try await stage.call(.deleteAccount, Self.body(password), by: mario).status == 200)
      try Self.expectNothing(of: account, in: stage)
      try Self.restore(path, into: stage.data)
      #expect(try Self.accounts(account, in: stage) == "1")
      #expect(try await stage.call(.me, by: mario).status == 404)
      try await DeletionWorker(stage.parts.sharing).turn()
      try Self.expectNothing(of: account, in: stage)
      #expect(try await stage.login().status == 401)
    }
  }

  @Test("an account that can't be deleted does not delay others of the ledger", .tags(.ACC_8))
  func heldUp() async throws {
    try await AuthenticationStage.with { stage in
      let damaged = try await stage.person()
      let other = try await stage.company()
      try stage.data.run(
        """
        CREATE FUNCTION data4help.refuse() RETURNS trigger LANGUAGE plpgsql
          AS $$ BEGIN RAISE EXCEPTION 'damaged'; END $$;
        CREATE TRIGGER refuse BEFORE DELETE ON data4help.accounts FOR EACH ROW
          WHEN (old.account_id = \(damaged.account)) EXECUTE FUNCTION data4help.refuse();
        """)
      for account in [damaged.account, other.account] {
        try stage.keys.run("INSERT INTO deletions VALUES (\(account), '2020-01-01')")
      }
      let worker = DeletionWorker(stage.parts.sharing)
      await #expect(throws: ApplicationError.self) { try await worker.turn() }
      #expect(try Self.accounts(damaged.account.description, in: stage) == "1")
      #expect(try Self.accounts(other.account.description, in: stage) == "0")
      try stage.data.run("DROP TRIGGER refuse ON data4help.accounts")
      try await worker.turn()
      #expect(try Self.accounts(damaged.account.description, in: stage) == "0")
    }
  }

  private static func accounts(_ account: String, in stage: AuthenticationStage) throws -> String? {
    try stage.data.cell(
      "SELECT count(*) FROM data4help.accounts WHERE account_id = $1::int8", account)
  }

  /// The data contains neither the number nor a name of the person; the ledger contains the number.
  private static func expectNothing(of account: String, in stage: AuthenticationStage) throws {
    let dump = try run([
      "pg_dump", "--data-only", "--schema", "data4help", "--dbname", stage.data.url(),
    ])
    for canary in [account, "Mario", "mario.rossi", "RSSMRA80A01H501U"] {
      #expect(!dump.contains(canary), "\(canary) is in the dump")
    }
    let ledger = try stage.keys.cell(
      """
      SELECT count(*) FROM deletions
       WHERE account_id = $1::int8 AND account_id NOT IN (SELECT account_id FROM account_keys)
      """, account)
    #expect(ledger == "1")
  }

  private static func restore(_ path: String, into database: TestDatabase) throws {
    let emptying = """
      DO $$ BEGIN EXECUTE (
        SELECT 'TRUNCATE ' || string_agg(format('data4help.%I', relname), ', ') || ' CASCADE'
          FROM pg_class
         WHERE relnamespace = 'data4help'::regnamespace AND relkind IN ('r', 'p')); END $$
      """
    try run([
      "psql", "--quiet", "--single-transaction", "--set", "ON_ERROR_STOP=1", "--dbname",
      database.url(), "--command", emptying, "--file", path,
    ])
  }

  @discardableResult
  private static func run(_ arguments: [String]) throws -> String {
    let outcome = try Program(command: arguments).runAndBlock()
    #expect(outcome.isSuccess)
    return outcome.output
  }
}
