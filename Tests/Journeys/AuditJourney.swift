import Foundation
import Requirements
import Support
import Testing

@Suite("Auditing the record of accesses of a running system")
struct AuditJourney {
  /// Creates a single user with three deliveries and waits for the checkpoint; returns the account
  /// number.
  private func audited(_ system: TestSystem) async throws -> String {
    let user = try await system.singleUser()
    let party = try await system.thirdParty()
    try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 61)])
    let request = try await party.ask(user, for: ["heartRate"])
    let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
    try #require(try await user.post("/req/single/choice", choice).outcome == .ok)
    for _ in 0..<3 {
      let data = try await party.get("/req/tp/data?reqID=\(request)")
      try #require(data.outcome == .ok, "\(data.text)")
    }
    let account = try await system.superuser(
      "SELECT account_id FROM data4help.single_requests WHERE request_id = '\(request)'")
    _ = try await eventually("the checkpoint of the record") {
      let checkpointed = try await system.superuser(
        "SELECT checkpointed_count FROM data4help.access_heads WHERE account_id = \(account)")
      return checkpointed == "3" ? true : nil
    }
    return account
  }

  @Test("deliveries are verified; a changed entry and a truncated record are found", .tags(.NFR_6))
  func verify() async throws {
    let system = try await TestSystem.shared()
    let account = try await audited(system)
    let intact = try await system.trackme("audit", "verify")
    #expect(intact.isSuccess, "\(intact.output)")

    let entry = "data4help.accesses WHERE account_id = \(account)"
    try await system.superuser(
      "UPDATE data4help.accesses SET n = n + 1 WHERE account_id = \(account) AND number = 2"
    )
    let changed = try await system.trackme("audit", "verify")
    #expect(!changed.isSuccess)
    #expect(
      changed.output.contains("account \(account): Entry 2 differs from the written one."),
      "\(changed.output)")

    try await system.superuser(
      "UPDATE data4help.accesses SET n = n - 1 WHERE account_id = \(account) AND number = 2"
    )
    #expect(try await system.trackme("audit", "verify").isSuccess)
    // The last entry is deleted, and the head is changed to match.
    try await system.superuser(
      """
      DELETE FROM \(entry) AND number = 3;
      UPDATE data4help.access_heads SET count = 2, checkpointed_count = 2,
             head = (SELECT chain FROM \(entry) AND number = 2)
       WHERE account_id = \(account)
      """)
    let cut = try await system.trackme("audit", "verify")
    #expect(!cut.isSuccess)
    #expect(
      cut.output.contains("account \(account): The record has 2 entries, but 3 were checkpointed."),
      "\(cut.output)")
  }
}
