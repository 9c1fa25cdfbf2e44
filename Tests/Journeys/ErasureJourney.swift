import Foundation
import Requirements
import Support
import Testing

@Suite("The remains of deleted accounts, through the gateway")
struct ErasureJourney {
  private static let deletion: JSONValue = [
    "password": .text(People.password), "confirm": "DELETE",
  ]

  /// The whole content of the data's database as SQL, without the table definitions.
  private static func dump(_ system: TestSystem) async throws -> String {
    let (arguments, environment) = try system.connecting(as: "postgres")
    let outcome = try await system.postgres(
      ["pg_dump"] + arguments + ["--data-only", "--schema", "data4help", "trackme"],
      environment: environment)
    try #require(outcome.isSuccess, "\(outcome.output)")
    return outcome.output
  }

  /// Restores a dump as an operator does after a loss of data. Returns the number of an account's
  /// rows before a replica has seen them and deletes them again.
  private static func restore(
    _ dump: String, _ system: TestSystem, countingRowsOf account: String
  ) async throws -> String {
    let path = system.directory + "/backup.sql"
    try dump.write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    let emptying = """
      DO $$ BEGIN EXECUTE (
        SELECT 'TRUNCATE ' || string_agg(format('data4help.%I', relname), ', ') || ' CASCADE'
          FROM pg_class
         WHERE relnamespace = 'data4help'::regnamespace AND relkind IN ('r', 'p')); END $$
      """
    // Not `pg_dump --disable-triggers`, because Citus has no triggers of distributed tables.
    let withoutTriggers = "SET session_replication_role = replica"
    let (arguments, environment) = try system.connecting(as: "postgres")
    // The replicas still use the tables: after a deadlock the restore is retried.
    let outcome = try await eventually("a restore without a deadlock") {
      let outcome = try await system.postgres(
        ["psql"] + arguments + [
          "-X", "-q", "-A", "-t", "--single-transaction", "--set", "ON_ERROR_STOP=1",
          "-d", "trackme", "-c", emptying, "-c", withoutTriggers, "-f", path, "-c",
          counting(account),
        ], environment: environment)
      // Citus writes "distributed deadlock".
      return outcome.output.contains("deadlock") ? nil : outcome
    }
    try #require(outcome.isSuccess, "\(outcome.output)")
    return outcome.output.split(separator: "\n").last.map(String.init) ?? ""
  }

  private static func rows(of account: String, _ system: TestSystem) async throws -> String {
    try await system.superuser(counting(account))
  }

  private static func counting(_ account: String) -> String {
    """
    SELECT (SELECT count(*) FROM data4help.accounts WHERE account_id = \(account))
         + (SELECT count(*) FROM data4help.chunks WHERE account_id = \(account))
         + (SELECT count(*) FROM data4help.notices WHERE account_id = \(account))
         + (SELECT count(*) FROM data4help.idempotent_answers WHERE account_id = \(account))
    """
  }

  @Test(
    "a backup restored after a deletion cannot read the deleted person, and the audit holds",
    .tags(.ACC_8, .NFR_6))
  func restored() async throws {
    let system = try await TestSystem()
    let user = try await system.singleUser()
    let stranger = try await system.singleUser()
    let party = try await system.thirdParty()
    try await user.upload("weight", [("2024-01-15T10:00:00Z", "137.0625")])
    let request = try await party.ask(user, for: ["weight"])
    let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
    #expect(try await user.post("/req/single/choice", choice, key: "kept").outcome == .ok)
    #expect(try await party.get("/req/tp/data?reqID=\(request)").outcome == .ok)
    let account = try await system.superuser(
      "SELECT account_id FROM data4help.single_requests WHERE request_id = '\(request)'")
    _ = try await eventually("the checkpoint of the record") {
      let checkpointed = try await system.superuser(
        "SELECT checkpointed_count FROM data4help.access_heads WHERE account_id = \(account)")
      return checkpointed == "1" ? true : nil
    }
    let backup = try await Self.dump(system)
    #expect(backup.contains(account))

    #expect(try await user.post("/auth/delete", Self.deletion).outcome == .ok)
    #expect(try await Self.rows(of: account, system) == "0")
    let audit = try await system.trackme("audit", "verify")
    #expect(audit.isSuccess, "\(audit.output)")

    let restored = try await Self.restore(backup, system, countingRowsOf: account)
    #expect(Int(restored).map { $0 > 0 } == true, "\(restored)")
    let names = ["data4help-1", "data4help-2"]
    let former = try names.map { try system.member($0).process.int }
    for name in names { try system.crash(name) }
    for (name, former) in zip(names, former) { try await system.waitUntilReplaced(name, former) }
    // A ready replica has already replayed the ledger.
    #expect(try await Self.rows(of: account, system) == "0")
    let logIn: JSONValue = [
      "email": .text(user.person.email), "password": .text(People.password), "replace": true,
    ]
    // The gateway finds the new processes a moment later.
    let refused = try await eventually("an answer") {
      let status = try await user.client.post("/auth/login", logIn).status
      return status == 503 ? nil : status
    }
    #expect(refused == 401)
    let left = try await Self.dump(system)
    for canary in [user.person.email, user.person.fiscalCode, user.person.name, "137.0625"] {
      #expect(!left.contains(canary), "\(canary) is in the dump")
    }
    let again = try await system.trackme("audit", "verify")
    #expect(again.isSuccess, "\(again.output)")
    let others = logIn.with("email", .text(stranger.person.email))
    #expect(try await stranger.client.post("/auth/login", others).outcome == .ok)
    await system.stop()
  }

  @Test("a third party's deletion ends its requests, and its people are notified", .tags(.ACC_8))
  func company() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 61)])
    let party = try await system.thirdParty()
    let key = try await party.post("/auth/keys", ["name": "a program"])
    let program = try #require(key.json.key.text)
    let request = try await party.ask(user, for: ["heartRate"], subscribing: 3600)
    let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
    #expect(try await user.post("/req/single/choice", choice).outcome == .ok)
    let pending = try await party.ask(user, for: ["heartRate"])
    let data = "/req/tp/data?reqID=\(request)"
    #expect(try await party.client.get(data, token: program).outcome == .ok)

    #expect(try await party.post("/auth/delete", Self.deletion).outcome == .ok)
    for token in [party.token, program] {
      _ = try await eventually("the end of the session") {
        try await party.client.get(data, token: token).status == 401 ? true : nil
      }
    }
    let logIn: JSONValue = [
      "email": .text(party.company.email), "password": .text(People.password),
    ]
    #expect(try await party.client.post("/auth/login", logIn).status == 401)
    let late: JSONValue = ["reqID": .text(pending), "choice": "accept"]
    #expect(try await user.post("/req/single/choice", late).status == 403)
    let notices = try await user.get("/notifications").text
    #expect(notices.contains("account deleted") && notices.contains(request), "\(notices)")
    let statuses = try await system.superuser(
      """
      SELECT string_agg(status::text || coalesce(end_reason::text, ''), ' ' ORDER BY status)
        FROM data4help.single_requests WHERE request_id IN ('\(request)', '\(pending)')
      """)
    #expect(statuses == "4 55")
    // The person has lost no data.
    #expect(try await user.get("/data/stats").json.dataTypes.count == 1)
  }
}
