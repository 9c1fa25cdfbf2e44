import Domain
import Postgres
import PostgresFixture
import Requirements
import Runs
import ServiceKit
import Support
import Testing
import Time
import Track4RunFixture

@Suite("Erasing runner data")
struct RunDataErasingTests {
  private func request(_ stage: LiveStage, ofNumber number: Int) throws -> DataRequestID {
    let rows = try stage.test.session().rows(
      "SELECT request_id FROM track4run.enrolments WHERE number = $1::int", ["\(number)"])
    let text = try #require(rows.first?.first.flatMap { $0 })
    return try #require(DataRequestID(text))
  }

  private func erase(
    _ erasure: RunDataErasure, after number: Int64, at stage: LiveStage
  ) async throws -> Int64? {
    let runData = stage.runData
    return try await stage.database.transaction { (transaction) throws(ApplicationError) in
      try await runData.erase(erasure, after: number, in: transaction)
    }
  }

  private func numbers(_ stage: LiveStage) throws -> [String?] {
    try stage.test.session().rows("SELECT count(*), sum(number) FROM track4run.run_data")
      .first ?? []
  }

  @Test("a large erasure proceeds in batches, each of them complete", .tags(.NFR_6))
  func pieces() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 2)
      for second in 1...1_001 as ClosedRange<Int64> {
        try await stage.store(runID, [1: Double(second)], second: second, number: second)
      }
      try await stage.store(runID, [2: 7], second: 7, number: 5_000)
      let erasure = RunDataErasure(
        DataTypeSet([.position]), from: LiveStage.startsAt.adding(seconds: 2),
        to: LiveStage.startsAt.adding(seconds: 1_001), of: try request(stage, ofNumber: 1))
      #expect(try await erase(erasure, after: 0, at: stage) == 500)
      // The first row, the rows of later batches and those of the other runner remain.
      #expect(try numbers(stage) == ["503", "504"])
      let revised = "SELECT max(data_revision) FROM track4run.enrolments" as StaticString
      #expect(try stage.test.session().rows(revised) == [["0"]])
      #expect(try await erase(erasure, after: 500, at: stage) == 1_000)
      #expect(try await erase(erasure, after: 1_000, at: stage) == nil)
      // Samples before the range and from its end on stay; the last batch notifies the followers.
      #expect(try numbers(stage) == ["3", "4"])
      #expect(try stage.test.session().rows(revised) == [["1"]])
    }
  }

  @Test("data erased entirely is removed unopened", .tags(.NFR_6))
  func unopened() async throws {
    try await LiveStage.with { stage in
      // Long before the run, so that no follower opens its rows.
      stage.set(second: -10_000)
      let runID = try stage.run(runners: 2)
      for number in 1...40 as ClosedRange<Int64> {
        try await stage.store(runID, [1: 10], second: number, number: number)
      }
      try await stage.store(runID, [2: 7], second: 7, number: 5_000)
      let types = DataTypeSet([.position, .heartRate])
      try stage.test.run(
        """
        UPDATE track4run.enrolments SET shared_types = \(types.bits);
        UPDATE track4run.run_data SET sealed_samples = '\\x00' WHERE number = 1
        """)
      // From the start of the run to its end, for all shared types.
      let request = try request(stage, ofNumber: 1)
      let erasure = RunDataErasure(
        types, from: LiveStage.startsAt, to: LiveStage.endsAt, of: request)
      #expect(try await erase(erasure, after: 0, at: stage) == nil)
      #expect(try numbers(stage) == ["1", "2"])
      #expect(try stage.count("trackme_track4run_unreadable_rows_total") == 0)
    }
  }

  @Test("a partial erasure keeps the readable rest", .tags(.NFR_6))
  func kept() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 1)
      let beat = Sample(
        stored: .heartRate, time: LiveStage.startsAt.adding(seconds: 9), value: .number(151))
      try await stage.store(runID, [1: 10], second: 10, number: 1, [beat])
      try await stage.store(runID, [1: 11], second: 11, number: 2, [beat])
      let shared = DataTypeSet([.position, .heartRate])
      try stage.test.run(
        """
        UPDATE track4run.enrolments SET shared_types = \(shared.bits);
        UPDATE track4run.run_data SET sealed_samples = '\\x00' WHERE stream_seq = 2
        """)
      let request = try request(stage, ofNumber: 1)
      let erasure = RunDataErasure(DataTypeSet([.heartRate]), from: nil, to: nil, of: request)
      #expect(try await erase(erasure, after: 0, at: stage) == nil)
      let left = try await stage.runData.samples(
        ofRun: runID, numbers: nil, from: stage.database)
      #expect(left[1]?.map(\.type) == [.position])
      // An unreadable row may contain the erased data, so it is removed.
      #expect(try numbers(stage) == ["1", "1"])
    }
  }
}
