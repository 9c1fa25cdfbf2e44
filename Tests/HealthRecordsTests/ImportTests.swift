import Bytes
import Cryptography
import Data4Help
import Data4HelpFixture
import Domain
import Foundation
import HealthRecords
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Testing
import Time
import Zip
import trackme_lab

/// The chunks of a generated export.
func generatedExport(_ bytes: Int, seed: UInt64 = 1) -> [[UInt8]] {
  var export = AppleHealthExport(bytes: bytes, seed: seed)
  var pieces: [[UInt8]] = []
  while let piece = export.next() { pieces.append(piece) }
  return pieces
}

@Suite("Imports of Apple Health exports")
struct ImportTests {
  @Test("every statement agrees with the schema, as the service's role")
  func statements() async throws {
    try await TestDatabase.with { database in
      let problems = try StatementCheck.problems(
        of: ImportStatements.all, at: database.url(as: "data4help"))
      #expect(problems == [])
    }
  }

  @Test("a generated export is imported completely, and again as duplicates only", .tags(.DAT_6))
  func endToEnd() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let pieces = generatedExport(5_000_000)
      let bytes = pieces.reduce(0) { $0 + $1.count }
      let first = try await test.wholeImport(pieces, as: account)
      let samples = try #require(first.object["samples"] as? Int)
      #expect(first.state == "done")
      #expect(samples > 9_000)
      let repeated = try #require(first.object["duplicates"] as? Int)
      #expect(first.importCounts == [samples, samples - repeated, repeated, 0, 0, 0])
      #expect(first.object["bytesRead"] as? Int == bytes)
      #expect(first.object["bytesTotal"] as? Int == bytes)
      let skipped = try #require(first.object["skipped"] as? [String: Int])
      #expect(Array(skipped.keys) == ["HKQuantityTypeIdentifierHeartRateVariabilitySDNN"])
      #expect(try await test.everything(of: account).count == samples - repeated)

      let second = try await test.wholeImport(pieces, as: account)
      #expect(second.importCounts == [samples, 0, samples, 0, 0, 0])
      #expect(try test.value("SELECT count(*) FROM data4help.import_blocks") == "0")
    }
  }

  @Test("the zip of an export yields the same samples", .tags(.DAT_6))
  func zipped() async throws {
    try await HealthDataTest.run { test in
      let zip = try #require(ZipWriter(year: 2026, month: 3, day: 1))
      let pieces = generatedExport(1_000_000)
      var zipped = [zip.begin("apple_health_export/export.xml")]
      zipped += pieces.map { zip.write($0) }
      zipped += [zip.endEntry(), zip.end()]
      let account = try await test.newAccount()
      let plain = try await test.wholeImport(pieces, as: account)
      let second = try await test.wholeImport(zipped.filter { !$0.isEmpty }, as: account)
      #expect(second.state == "done")
      #expect(second.object["duplicates"] as? Int == plain.object["samples"] as? Int)
    }
  }

  @Test("a malformed file fails with line and column, and leaves nothing", .tags(.DAT_6))
  func malformed() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      // Long enough that blocks were staged before the fault appears.
      var pieces = generatedExport(12_000_000)
      pieces.removeLast()
      pieces += [Array("\n</a>".utf8), Array("and more that nobody reads".utf8)]
      let failed = try await test.wholeImport(pieces, as: account)
      #expect(failed.state == "failed")
      let error = try #require(failed.object["error"] as? [String: Any])
      #expect(error["line"] as? Int ?? 0 > 20_000 && error["column"] as? Int ?? 0 > 0)
      #expect(error["detail"] as? String == "The XML is malformed: mismatched tag.")
      #expect(try test.value("SELECT count(*) FROM data4help.import_blocks") == "0")
      #expect(try await test.everything(of: account).isEmpty)
      let next = try await test.wholeImport(generatedExport(100_000), as: account)
      #expect(next.state == "done")
    }
  }

  @Test(
    "beyond the quota of the account the newest samples stay, and it is reported", .tags(.DAT_5))
  func quota() async throws {
    try await HealthDataTest.run(bytesMax: 30_000) { test in
      let account = try await test.newAccount()
      let pieces = generatedExport(5_000_000)
      let done = try await test.wholeImport(pieces, as: account)
      #expect(done.state == "done")
      let dropped = try #require(done.object["dropped"] as? Int)
      let stored = try #require(done.object["stored"] as? Int)
      let left = try await test.everything(of: account)
      #expect(dropped > 0 && left.count == stored - dropped)
      let used = try test.value("SELECT bytes_used FROM data4help.sample_accounts")
      #expect(Int(used ?? "") ?? .max <= 30_000)

      let roomy = try await test.newAccount()
      _ = try await test.startImport(pieces, as: roomy)
      try await test.merge(
        into: SampleStore(test.parts.dependencies.healthRecords, recent: RecentAccounts()))
      // A day's rows are evicted together: from the day after the oldest remaining one, all are
      // present.
      let oldest = try #require(left.map(\.sample.time).min()).adding(seconds: 86_400)
      let whole = try await test.everything(of: roomy)
      #expect(whole.count == stored)
      #expect(
        left.count { $0.sample.time >= oldest } == whole.count { $0.sample.time >= oldest })
    }
  }

  @Test("a second import of an account has to wait, one of another account not", .tags(.DAT_6))
  func oneAtATime() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let pieces = generatedExport(50_000)
      let first = try await test.startImport(pieces, as: account)
      #expect(first.status == 202)
      let id = try #require(first.object["importID"] as? String)
      #expect(try await test.readImport(id, as: account).state == "running")
      #expect(try await test.startImport(pieces, as: account).status == 409)
      let other = try await test.newAccount()
      #expect(try await test.startImport(pieces, as: other).status == 202)
      #expect(try await test.readImport(id, as: other).status == 404)
      try await test.merge()
      #expect(try await test.readImport(id, as: account).state == "done")
      #expect(try await test.startImport(pieces, as: account).status == 202)
    }
  }

  @Test("an unknown import is not found", .tags(.DAT_6))
  func unknown() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let id = UniversalID.random().description
      #expect(try await test.readImport(id, as: account).status == 404)
      #expect(try await test.readImport("x", as: account).status == 400)
    }
  }

  @Test("imports left by a crashed receiver or worker are deleted, or continued", .tags(.NFR_4))
  func takenOver() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let started = try await test.startImport(generatedExport(50_000), as: account)
      let id = try #require(started.object["importID"] as? String)
      // Another worker has it, with a current heartbeat.
      try test.data.run("UPDATE data4help.imports SET worker = '\(UniversalID.random())'")
      try await test.merge()
      #expect(try await test.readImport(id, as: account).state == "running")
      try test.data.run("UPDATE data4help.imports SET heartbeat_at = '2026-03-15T10:57Z'")
      try await test.merge()
      #expect(try await test.readImport(id, as: account).state == "done")

      // A receiver that crashed.
      let second = try await test.startImport(generatedExport(50_000), as: account)
      #expect(second.status == 202)
      try test.data.run("UPDATE data4help.imports SET state = 0 WHERE state = 1")
      #expect(try await test.startImport(generatedExport(50_000), as: account).status == 409)
      try test.data.run(
        "UPDATE data4help.imports SET heartbeat_at = '2026-03-15T10:57Z' WHERE state = 0")
      #expect(try await test.startImport(generatedExport(50_000), as: account).status == 202)
      try await test.merge()
      #expect(try test.value("SELECT count(*) FROM data4help.import_blocks") == "0")
    }
  }

  @Test("the report of an import is kept for the period that the operator set", .tags(.NFR_6))
  func kept() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let report = try await test.wholeImport(generatedExport(50_000), as: account)
      let id = try #require(report.object["importID"] as? String)
      test.clock.advance(seconds: 2 * 86_400)
      try await test.merge(keptFor: .seconds(2 * 86_400 + 1))
      #expect(try await test.readImport(id, as: account).status == 200)
      try await test.merge(keptFor: .seconds(2 * 86_400))
      #expect(try await test.readImport(id, as: account).status == 404)
    }
  }

  @Test("a generated export is equal for equal seeds, and different for others")
  func deterministic() {
    #expect(generatedExport(300_000, seed: 7) == generatedExport(300_000, seed: 7))
    #expect(generatedExport(300_000, seed: 7) != generatedExport(300_000, seed: 8))
    let bytes = generatedExport(3_000_000).reduce(0) { $0 + $1.count }
    #expect(abs(bytes - 3_000_000) < 60_000, "\(bytes) bytes")
  }
}
