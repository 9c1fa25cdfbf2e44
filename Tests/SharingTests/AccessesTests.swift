import Data4HelpFixture
import Domain
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Sharing
import Testing

@Suite("The record of accesses")
struct AccessesTests {
  /// Creates a request that delivers two samples, and reads them `times` times.
  private func deliver(
    _ times: Int, on stage: SingleRequestStage, format: String? = nil
  ) async throws {
    try await stage.store(2)
    let requestID = try await stage.ask()
    _ = try await stage.choose("accept", requestID)
    for _ in 0..<times {
      #expect(try await stage.data(requestID, format: format).status == 200)
    }
  }

  private func audit(_ stage: SingleRequestStage) async throws -> AccessAudit.Outcome {
    let audit = AccessAudit(
      database: stage.parts.database, keysDatabase: stage.parts.keysDatabase,
      root: stage.installation.root)
    return try await audit.run()
  }

  @Test("the person sees the data, recipient and time of every delivery", .tags(.REQ_5, .NFR_6))
  func list() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      try await stage.store(1, of: .steps)
      let requestID = try await stage.subscribe("\"heartRate\",\"steps\"")
      _ = try await stage.choose("accept", requestID)
      let page = try await stage.data(requestID)
      stage.clock.advance(seconds: 60)
      // Neither a read without new data nor a refused one counts as a delivery.
      _ = try await stage.data(requestID, cursor: try page.next)
      _ = try await stage.data(requestID, by: Known.studio)
      _ = try await stage.data(requestID, format: "csv")
      let entries = try await stage.accessList().list("accesses")
      #expect(entries.map { $0["number"] as? Int } == [2, 1])
      #expect(entries.map { $0["format"] as? String } == ["csv", "json"])
      #expect(
        entries.map { $0["time"] as? String } == ["2026-11-18T12:01:00Z", "2026-11-18T12:00:00Z"])
      for entry in entries {
        #expect(entry["reqID"] as? String == requestID)
        #expect(entry["company_name"] as? String == "Clinic")
        #expect(entry["piva"] as? String == "12345670157")
        #expect(entry["dataTypes"] as? [String] == ["heartRate", "steps"])
        #expect(entry["samples"] as? Int == 3)
      }
      #expect(try await stage.accessList(of: Known.laura).list("accesses").isEmpty)
    }
  }

  @Test("the list comes in pages, newest first", .tags(.REQ_5))
  func pages() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await deliver(5, on: stage)
      let first = try await stage.accessList("limit=3")
      #expect(first.list("accesses").map { $0["number"] as? Int } == [5, 4, 3])
      let last = try await stage.accessList("limit=3&cursor=\(try first.next)")
      #expect(last.list("accesses").map { $0["number"] as? Int } == [2, 1])
      #expect(last["next"] == nil)
    }
  }

  @Test("on request entries are summed by recipient and day", .tags(.REQ_5))
  func byDay() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      #expect(try await stage.accessList("by=day").list("days").isEmpty)
      try await stage.store(2)
      try await stage.store(1, of: .steps)
      let clinic = try await stage.ask("\"heartRate\",\"steps\"")
      let studio = try await stage.ask(by: Known.studio)
      for requestID in [clinic, studio] { _ = try await stage.choose("accept", requestID) }
      _ = try await stage.data(clinic)
      _ = try await stage.data(clinic, format: "csv")
      _ = try await stage.data(studio, by: Known.studio)
      // The next day begins 12 hours later; then follows a gap of 40 days.
      for seconds: Int64 in [43_199, 1, 40 * 86_400] {
        stage.clock.advance(seconds: seconds)
        _ = try await stage.data(clinic)
      }
      func shown(_ query: String) async throws -> [String] {
        let reply = try await stage.accessList(query)
        try #require(reply.status == 200, "\(reply.text)")
        return reply.list("days").map { day in
          let types = (day["dataTypes"] as? [String] ?? []).joined(separator: "+")
          return ["date", "company_name", "piva"].map { day[$0] as? String ?? "?" }
            .joined(separator: " ") + " \(types) \(day["samples"] ?? "") \(day["deliveries"] ?? "")"
        }
      }
      let whole = [
        "2026-12-29 Clinic 12345670157 heartRate+steps 3 1",
        "2026-11-19 Clinic 12345670157 heartRate+steps 3 1",
        "2026-11-18 Clinic 12345670157 heartRate+steps 9 3",
        "2026-11-18 Studio 00743110157 heartRate 2 1",
      ]
      #expect(try await shown("by=day") == whole)
      #expect(try await shown("by=day&limit=4") == whole)
      // While rows are added, no entry appears twice or is missing: new entries of a day come after
      // the page already read, or not at all.
      var (pages, query): ([String], String?) = ([], "by=day&limit=1")
      while let asked = query {
        pages += try await shown(asked)
        query = try await stage.accessList(asked)["next"].map { "by=day&limit=1&cursor=\($0)" }
        _ = try await stage.data(studio, by: Known.studio)
      }
      let added = "2026-12-29 Studio 00743110157 heartRate"
      #expect(pages == whole[..<1] + ["\(added) 2 1"] + whole[1...])
      #expect(try await shown("by=day&limit=2") == whole[..<1] + ["\(added) 10 5"])
      for wrong in ["by=week", "by=day&cursor=AwAAAAAAAAAB", "cursor=DQAAAAAAAAABAAAAAAAAAAE"] {
        #expect(try await stage.accessList(wrong).status == 400, "\(wrong)")
      }
    }
  }

  @Test("an unmodified record has no fault, checkpointed or not", .tags(.NFR_6))
  func intact() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await deliver(3, on: stage)
      #expect(try await audit(stage) == AccessAudit.Outcome(records: 1, entries: 3))
      #expect(try await stage.workers.checkpoint() == 1)
      #expect(try await stage.workers.checkpoint() == 0)
      try await deliver(2, on: stage, format: "csv")
      #expect(try await audit(stage) == AccessAudit.Outcome(records: 1, entries: 5))
      #expect(try await stage.workers.checkpoint() == 1)
      #expect(try await audit(stage).findings == [])
    }
  }

  @Test("concurrent deliveries form one chain", .tags(.NFR_6))
  func concurrent() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      let requestID = try await stage.ask()
      _ = try await stage.choose("accept", requestID)
      try await SingleRequestStage.replica(of: stage.installation) { other in
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
          // Each replica admits nine at a time.
          for index in 0..<18 {
            group.addTask { try await (index < 9 ? stage : other).data(requestID).status }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 18))
      }
      #expect(try await audit(stage) == AccessAudit.Outcome(records: 1, entries: 18))
    }
  }

  /// Changes by an attacker with write access to the database, and the resulting faults.
  private static let tampering: [(String, AccessFault)] = [
    ("UPDATE data4help.accesses SET n = 1 WHERE number = 3", .changed(number: 3)),
    ("UPDATE data4help.accesses SET third_party_id = 22 WHERE number = 2", .changed(number: 2)),
    (
      "UPDATE data4help.accesses SET accessed_at = accessed_at - interval '1 day' WHERE number = 1",
      .changed(number: 1)
    ),
    ("UPDATE data4help.accesses SET chain = '\\x00' || substr(chain, 2)", .changed(number: 1)),
    ("DELETE FROM data4help.accesses WHERE number = 2", .missing(number: 2)),
    ("DELETE FROM data4help.accesses WHERE number = 4", .missing(number: 4)),
    ("DELETE FROM data4help.accesses", .missing(number: 1)),
    (
      """
      DELETE FROM data4help.accesses WHERE number > 2;
      UPDATE data4help.access_heads SET count = 2,
             head = (SELECT chain FROM data4help.accesses WHERE number = 2)
      """, .cut(count: 2, checkpointed: 4)
    ),
    (
      "DELETE FROM data4help.accesses; DELETE FROM data4help.access_heads",
      .cut(count: 0, checkpointed: 4)
    ),
    ("UPDATE data4help.access_heads SET head = sha256(head)", .headChanged),
    ("UPDATE data4help.access_heads SET count = 3", .cut(count: 3, checkpointed: 4)),
  ]

  @Test("changed, removed and truncated entries are found", .tags(.NFR_6))
  func tampered() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      for (script, fault) in Self.tampering {
        try stage.run("TRUNCATE data4help.accesses, data4help.access_heads")
        try stage.installation.keys.run(
          "UPDATE account_keys SET access_count = 0, access_head = NULL")
        try await deliver(4, on: stage)
        #expect(try await stage.workers.checkpoint() == 1)
        #expect(try await audit(stage).findings == [])
        try stage.run(script)
        let findings = try await audit(stage).findings
        #expect(findings.map(\.account) == [Known.mario], "\(script)")
        #expect(findings.map(\.fault) == [fault], "\(script)")
      }
    }
  }

  @Test("checkpointing does not wait for a delivery that locks a record", .tags(.NFR_6))
  func held() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await deliver(2, on: stage)
      let delivery = try stage.installation.data.session()
      try delivery.run("BEGIN; SELECT FROM data4help.access_heads FOR UPDATE")
      #expect(try await stage.workers.checkpoint() == 1)
      #expect(try stage.cell("SELECT checkpointed_count FROM data4help.access_heads") == "0")
      try delivery.run("COMMIT")
      // It is checkpointed already; recording that again changes nothing.
      #expect(try await stage.workers.checkpoint() == 1)
      #expect(try stage.cell("SELECT checkpointed_count FROM data4help.access_heads") == "2")
      #expect(try await stage.workers.checkpoint() == 0)
    }
  }

  @Test(
    "records that another process has not checkpointed are not marked as checkpointed",
    .tags(.NFR_6))
  func checkpointedMeanwhile() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await deliver(2, on: stage)
      let link = try #require(
        try stage.cell("SELECT encode(chain, 'hex') FROM data4help.accesses WHERE number = 1"))
      let other = try stage.installation.keys.session()
      try other.run(
        """
        BEGIN;
        UPDATE account_keys SET access_count = 1, access_head = '\\x\(link)'
         WHERE account_id = \(Known.mario)
        """)
      async let checkpointed = stage.workers.checkpoint()
      try await stage.here {
        try await stage.installation.keys.untilLockIsAwaited()
      }
      try other.run("COMMIT")
      #expect(try await checkpointed == 0)
      #expect(try stage.cell("SELECT checkpointed_count FROM data4help.access_heads") == "0")
      #expect(try await stage.workers.checkpoint() == 1)
      #expect(try stage.cell("SELECT checkpointed_count FROM data4help.access_heads") == "2")
      #expect(try await audit(stage).findings == [])
    }
  }

  @Test(
    "records of several people are verified together, and only a changed one is excluded",
    .tags(.NFR_6))
  func together() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      for (account, email) in [(Known.mario, Known.marioEmail), (Known.laura, Known.lauraEmail)] {
        try await stage.store(2, for: account)
        let reply = try await stage.send(
          "{\"email\":\"\(email)\",\"dataTypes\":[\"heartRate\"],\"subscribing\":false}")
        let requestID = try #require(reply["reqID"])
        _ = try await stage.choose("accept", requestID, by: account)
        for _ in 0..<3 { _ = try await stage.data(requestID) }
      }
      try stage.run("UPDATE data4help.accesses SET n = n + 1 WHERE account_id = \(Known.mario)")
      #expect(try await stage.workers.checkpoint() == 1)
      #expect(
        try stage.cell(
          """
          SELECT string_agg(account_id::text, ' ')
            FROM data4help.access_heads
           WHERE checkpointed_count = 3
          """) == Known.laura.description)
    }
  }

  @Test("a truncated and regrown record is found, and never checkpointed", .tags(.NFR_6))
  func regrown() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await deliver(4, on: stage)
      #expect(try await stage.workers.checkpoint() == 1)
      try stage.run(
        """
        DELETE FROM data4help.accesses WHERE number > 2;
        UPDATE data4help.access_heads SET count = 2, checkpointed_count = 0,
               head = (SELECT chain FROM data4help.accesses WHERE number = 2)
        """)
      try await deliver(3, on: stage)
      #expect(try await stage.workers.checkpoint() == 0)
      let findings = try await audit(stage).findings
      #expect(findings.map(\.fault) == [.rewritten(number: 4)])
    }
  }

  @Test("a delivery whose record can't be written returns no data", .tags(.NFR_6))
  func noRecordNoData() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      let requestID = try await stage.ask()
      _ = try await stage.choose("accept", requestID)
      try stage.run("REVOKE INSERT ON data4help.accesses FROM data4help")
      for format in ["json", "csv"] {
        let refused = try await stage.data(requestID, format: format)
        #expect(refused.status == 500)
        #expect(!refused.text.contains("heartRate"))
      }
    }
  }
}
