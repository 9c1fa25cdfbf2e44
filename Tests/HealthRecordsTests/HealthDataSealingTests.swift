import Data4HelpFixture
import Domain
import Foundation
import HealthRecords
import PostgresFixture
import PublicAPI
import Requirements
import Testing
import Time

@Suite("Samples at rest")
struct HealthDataSealingTests {
  @Test("the database's files contain no values and times of samples in clear", .tags(.NFR_5))
  func canaries() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let samples = [
        ("heartRate", "123.456789", "2026-03-15T08:00:00Z"),
        ("position", "45.4781234,9.2273456", "2026-03-15T08:00:00Z"),
        ("ecg", "atrial fibrillation", "2026-03-15T08:00:00Z"),
      ]
      for sample in samples { try await test.upload([sample], as: account) }
      try await test.upload(samples, as: account, idempotencyKey: "canary")
      try test.data.run("CHECKPOINT")
      let canaries: [[UInt8]] = [
        Array("123.456789".utf8), Array("45.4781234".utf8), Array("atrial".utf8),
        Array("2026-03-15T08:00:00".utf8),
        Self.bytes(123.456789.bitPattern), Self.bytes(123.456789.bitPattern).reversed(),
      ]
      // Four bytes appear by chance in one of a hundred logs, which all tests of the process fill.
      let latitude: [UInt8] = Self.bytes(UInt64(454_781_234)).dropLast(4).reversed()
      let database = try #require(
        try test.value("SELECT oid FROM pg_database WHERE datname = current_database()"))
      var found = 0
      var foundControl = false
      for (directory, sought) in [
        ("base/\(database)", canaries + [latitude]), ("pg_wal", canaries),
      ] {
        let path = "\(test.data.cluster.directory)/data/\(directory)"
        for file in try FileManager.default.contentsOfDirectory(atPath: path) {
          // A segment of the log may be recycled during the check.
          guard let bytes = FileManager.default.contents(atPath: "\(path)/\(file)") else {
            continue
          }
          found += 1
          foundControl = foundControl || bytes.range(of: Data("chunks_pkey".utf8)) != nil
          for canary in sought { #expect(bytes.range(of: Data(canary)) == nil, "\(file)") }
        }
      }
      #expect(found > 100)
      #expect(foundControl, "what stands in clear must be found, or the search finds nothing")
    }
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  @Test("a block moved to another type, day or part does not open", .tags(.NFR_5))
  func moved() async throws {
    try await HealthDataTest.run { test in
      for change in ["type = 11", "day = day + 1", "part = part + 1"] {
        let account = try await test.newAccount()
        try await test.upload([("heartRate", "60", "2026-03-15T08:00:00Z")], as: account)
        #expect(try await test.call(.statistics, as: account).status == 200)
        try test.data.run("UPDATE data4help.chunks SET \(change) WHERE account_id = \(account)")
        let answer = try await test.call(.statistics, as: account)
        #expect(answer.status == 500, "\(change)")
      }
    }
  }

  @Test("a block moved to another account does not open", .tags(.NFR_5, .R9))
  func movedToAnother() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let other = try await test.newAccount()
      try await test.upload([("heartRate", "60", "2026-03-15T08:00:00Z")], as: account)
      try test.data.run("UPDATE data4help.chunks SET account_id = \(other)")
      let answer = try await test.call(.statistics, as: other)
      #expect(answer.status == 500)
    }
  }

  @Test("samples of each hour one by one, and of each second in batches, take few bytes")
  func bytesPerSample() async throws {
    try await HealthDataTest.run { test in
      let hourly = try await test.newAccount()
      let first = try Instant("2026-02-01T00:00:00Z")
      for index in 0..<720 {
        let sample = NewSample(
          type: .heartRate, time: first.adding(seconds: Int64(index) * 3600),
          value: try SampleValue(Double(55 + index * 37 % 60), of: .heartRate))
        _ = try await test.samples.upload([sample], to: hourly)
      }
      let secondly = try await test.newAccount()
      let samples = try heartRates(28_800, from: "2026-03-14T00:00:00Z")
      for start in stride(from: 0, to: samples.count, by: 240) {
        _ = try await test.samples.upload(Array(samples[start..<start + 240]), to: secondly)
      }
      for (account, name) in [(hourly, "hourly"), (secondly, "every second")] {
        let row = try #require(
          try test.value(
            """
            SELECT round(sum(octet_length(data))::numeric / sum(n), 1) || ' sealed, '
                   || round(sum(pg_column_size(chunks.*) + 4 + 24)::numeric / sum(n), 1)
                   || ' with row and index entry'
              FROM data4help.chunks WHERE account_id = $1::int8
            """, account.description))
        print("bytes per sample, \(name): \(row)")
        let sealed = try #require(Double(row.prefix { $0 != " " }))
        #expect(sealed < 15)
        try await test.checkBooks(of: account)
      }
    }
  }
}
