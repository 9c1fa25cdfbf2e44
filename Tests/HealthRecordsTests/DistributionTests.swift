import Data4Help
import Data4HelpFixture
import Domain
import Foundation
import HealthRecords
import Operations
import Postgres
import PostgresFixture
import Requirements
import Support
import Testing
import Time

/// What `deploy/citus/distribute.sql` makes of the schema, up to the call that creates shards: this
/// part PostgreSQL runs as well. The nodes are measured by `Tests/Bench/run citus`.
private struct Distribution {
  private let script: String

  init() throws {
    let path = TestDatabase.sourceDirectory + "/deploy/citus/distribute.sql"
    let text = String(decoding: try FileSystem.read(path, bytesMax: 65_536), as: UTF8.self)
    let end = try #require(text.range(of: "COMMIT;"))
    script = String(text[..<end.upperBound])
  }

  func apply(to database: TestDatabase) throws {
    try database.run(
      """
      DO $$ BEGIN
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'trackme_owner') THEN
          CREATE ROLE trackme_owner;
        END IF;
      END $$
      """)
    try database.run(script)
  }
}

@Suite("Samples distributed by account")
struct DistributionTests {
  @Test("the tables for Citus keep all samples, and the same program continues", .tags(.OPS_7))
  func sameProgram() async throws {
    try await HealthDataTest.run { test in
      let accounts = [try await test.newAccount(), try await test.newAccount()]
      var counts: [Int] = []
      for (index, account) in accounts.enumerated() {
        let count = 3_000 + index
        let earlier = try heartRates(count, from: "2026-03-01T00:00:00Z", everySeconds: 60)
        #expect(try await test.samples.append(earlier, to: account).stored == count)
        counts.append(count)
      }
      try Distribution().apply(to: test.data)
      for (account, count) in zip(accounts, counts) {
        let kept = try await test.everything(of: account).map(\.sample.sequence)
        #expect(kept == Array(1...Int64(count)))
      }
      // The first upload of an account is read and locked, the second is written from memory.
      for minute in 10...11 {
        for account in accounts {
          let newer = try heartRates(1, from: "2026-03-14T09:\(minute):00Z")
          #expect(try await test.samples.upload(newer, to: account).stored == 1)
        }
      }
      for (account, count) in zip(accounts, counts) {
        let all = try await test.everything(of: account)
        #expect(all.map(\.sample.sequence) == Array(1...Int64(count + 2)))
        try await test.checkBooks(of: account)
        #expect(try await test.erase(as: account) == count + 2)
        #expect(try await test.everything(of: account).isEmpty)
      }
    }
  }

  @Test("the last parts of days are those of the function for one server", .tags(.OPS_7))
  func sameHeads() async throws {
    try await HealthDataTest.run { test in
      let accounts = [try await test.newAccount(), try await test.newAccount()]
      for account in accounts {
        let samples = try heartRates(9_000, from: "2026-03-10T00:00:00Z", everySeconds: 30)
        _ = try await test.samples.append(samples, to: account)
      }
      func heads(_ accounts: [AccountID]) throws -> [[String?]] {
        // Days without samples too, and heads with and without data.
        try test.data.session().rows(
          """
          SELECT head.place, head.part, head.blocks, head.last_ts, head.bytes, md5(head.data)
            FROM (SELECT array_agg(account_id) AS accounts, array_agg($2::int2) AS types,
                         array_agg(day) AS days
                    FROM unnest($1::int8[]) AS account_id,
                         generate_series('2026-03-09'::date - '1970-01-01'::date,
                                         '2026-03-14'::date - '1970-01-01'::date) AS day) AS asked,
                 unnest(ARRAY[0, 500, 100000]) AS full_bytes,
                 data4help.day_heads(accounts, types, days, full_bytes) AS head
           ORDER BY full_bytes, head.place
          """,
          [
            "{\(accounts.map(\.description).joined(separator: ","))}",
            DataType.heartRate.rawValue.description,
          ])
      }
      let before = try (one: heads([accounts[0]]), both: heads(accounts))
      #expect(before.one.count == 12 && before.both.count == 24)
      try Distribution().apply(to: test.data)
      #expect(try heads([accounts[0]]) == before.one)
      #expect(try heads(accounts) == before.both)
    }
  }
}
