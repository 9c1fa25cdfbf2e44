import Domain
import HTTP
import PostgresFixture
import Requirements
import Runs
import Support
import Testing
import Track4RunFixture

@Suite("Unreadable rows")
struct UnreadableRowsTests {
  private static let unreadable = "trackme_track4run_unreadable_rows_total"

  @Test("an unreadable row of runner data is skipped, and affects no other", .tags(.R52))
  func data() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 2)
      stage.set(second: 100)
      try await stage.store(runID, [1: 200, 2: 250], second: 80, number: 1)
      let damage = "UPDATE track4run.run_data SET sealed_samples = '\\x00' WHERE stream_seq = "
      try stage.test.run(damage + "2")
      _ = try await eventually("the one that can be read", within: .seconds(120)) {
        try await stage.update(runID)[1]?.seconds
      }
      #expect(try await stage.update(runID)[2]?.seconds == nil)
      // The same for a row that arrives while the run is followed, among others.
      try stage.test.run(
        """
        INSERT INTO track4run.run_data (run_id, number, stream_seq, sealed_samples)
        VALUES (\(runID), 1, 5, '\\x0102')
        """)
      try await stage.store(runID, [1: 210, 2: 260], second: 90, number: 6)
      _ = try await eventually("what came behind it", within: .seconds(120)) {
        let answer = try await stage.update(runID)
        return answer[1]?.seconds == 90 && answer[2]?.seconds == 90 ? true : nil
      }
      #expect(try stage.count(Self.unreadable) == 2)
      // Rereading counts each row once.
      let stored = try await stage.runData.samples(
        ofRun: runID, numbers: nil, from: stage.database)
      #expect(stored.mapValues(\.count) == [1: 2, 2: 1])
      #expect(try stage.count(Self.unreadable) == 2)
    }
  }

  @Test("an unreadable name is replaced by the number, and other names stay")
  func names() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 2)
      try stage.test.run(
        "UPDATE track4run.enrolments SET sealed_name = '\\x00' WHERE number = 2")
      stage.set(second: 100)
      let shown = try await stage.update(runID)
      #expect(shown.runners?.map(\.runnerName) == ["1", "2"])
      #expect(try stage.count(Self.unreadable) == 1)
    }
  }

  @Test("a run with a corrupt path is an error only for requests about it")
  func run() async throws {
    try await LiveStage.with { stage in
      let (damaged, sound) = (try stage.run(runners: 1), try stage.run(runners: 1))
      try stage.test.run(
        """
        UPDATE track4run.paths
           SET path = postgis.ST_GeogFromText('LINESTRING(9.19 45.46, 9.19 45.46)')
         WHERE run_id = \(damaged)
        """)
      stage.set(second: 100)
      let problem = await #expect(throws: Problem.self) {
        _ = try await stage.update(damaged)
      }
      #expect(problem?.status == .internalError)
      try await stage.store(sound, [1: 200], second: 90, number: 1)
      _ = try await eventually("the other run", within: .seconds(120)) {
        try await stage.update(sound)[1]?.seconds
      }
      #expect(try stage.count(Self.unreadable) == 1)
      // After the repair it is shown.
      try stage.test.run(
        """
        UPDATE track4run.paths AS path
           SET path = sound.path
          FROM track4run.paths AS sound
         WHERE sound.run_id = \(sound) AND path.run_id = \(damaged)
        """)
      _ = try await eventually("the repaired run", within: .seconds(120)) {
        do { return try await stage.update(damaged).state } catch is Problem { return nil }
      }
    }
  }
}
