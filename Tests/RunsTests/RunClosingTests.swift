import Domain
import EventLoop
import Foundation
import HTTP
import Postgres
import PostgresFixture
import Requirements
import Runs
import ServiceKit
import Support
import Testing
import Time
import Track4RunFixture
import Web

@Suite("Final results")
struct RunClosingTests {
  private func closing(_ stage: LiveStage) -> RunClosing {
    var environment = Environment.system
    let clock = stage.clock
    environment.now = { clock.now }
    return RunClosing(environment: environment, database: stage.database, runData: stage.runData)
  }

  private func close(_ stage: LiveStage, caughtUpAt second: Int64) async throws -> Bool {
    let time = LiveStage.startsAt.adding(seconds: second)
    return try await closing(stage).close(caughtUpAt: time)
  }

  private func count(_ stage: LiveStage, _ query: StaticString) throws -> Int? {
    try stage.test.session().rows(query).first?.first.flatMap { $0 }.flatMap { Int($0) }
  }

  /// The first runner finishes at five metres a second, the second gives up at three, the third
  /// never starts.
  private func ran(_ stage: LiveStage) async throws -> Int64 {
    let runID = try stage.run(runners: 3)
    func samples(_ speed: Double, until last: Int64) throws -> [Sample] {
      try stride(from: 0, through: last, by: 10).map { second in
        Sample(
          stored: .position, time: LiveStage.startsAt.adding(seconds: second),
          value: .position(try LiveStage.place(speed * Double(second))))
      }
    }
    let heartRate = Sample(
      stored: .heartRate, time: LiveStage.startsAt.adding(seconds: 30), value: .number(151))
    try await stage.store([
      CheckInSamples(
        runID: runID, number: 1, streamSeq: 10, samples: try samples(5, until: 450) + [heartRate]),
      CheckInSamples(
        runID: runID, number: 2, streamSeq: 11, samples: try samples(3, until: 400) + [heartRate]),
    ])
    return runID
  }

  @Test(
    "results become final half a minute after the end, once all data received is stored",
    .tags(.RUN_5))
  func closing() async throws {
    try await LiveStage.with { stage in
      let runID = try await ran(stage)
      stage.set(second: 3_629)
      #expect(try await close(stage, caughtUpAt: 3_629) == false)
      stage.set(second: 3_630)
      #expect(try await closing(stage).close(caughtUpAt: nil))
      #expect(try await close(stage, caughtUpAt: 3_629))
      #expect(try count(stage, "SELECT count(*) FROM track4run.results") == 0)
      #expect(try await close(stage, caughtUpAt: 3_630) == false)
      let closed: StaticString = "SELECT count(*) FROM track4run.runs WHERE closed_at IS NOT NULL"
      #expect(try count(stage, closed) == 1)
      let asExpected: StaticString = """
        SELECT count(*) FROM track4run.results
         WHERE (number, state, coalesce(place, 0), cardinality(kilometres_at))
               IN ((1, 1, 1, 2), (2, 2, 2, 1), (3, 3, 0, 0))
           AND (number <> 1 OR finished_at = reached_at)
        """
      #expect(try count(stage, asExpected) == 3)
      // A second computation gives the same results.
      let again = try await closing(stage).results(of: runID)
      #expect(again.map(\.outcome) == [.finished, .didNotFinish, .didNotStart])
      let metres = try stage.test.session().rows(
        "SELECT metres FROM track4run.results ORDER BY number")
      #expect(metres.map { $0.first.flatMap { $0 }.flatMap { Double($0) } } == again.map(\.metres))
    }
  }

  @Test(
    "a runner who left after the finish has a result, before it none",
    .tags(.RUN_5, .RUN_10))
  func left() async throws {
    try await LiveStage.with { stage in
      _ = try await ran(stage)
      try stage.test.run(
        """
        UPDATE track4run.enrolments
           SET left_at = now(), left_reason = CASE number WHEN 1 THEN 5 ELSE 1 END
         WHERE number <= 2
        """)
      stage.set(second: 3_630)
      _ = try await close(stage, caughtUpAt: 3_630)
      let rows = try stage.test.session().rows(
        "SELECT number, state, place FROM track4run.results ORDER BY number")
      #expect(rows.map { $0.map { $0 ?? "-" } } == [["1", "1", "1"], ["3", "3", "-"]])
    }
  }

  @Test(
    "only the result of a runner who left after the finish is visible",
    .tags(.RUN_5, .RUN_10))
  func shownAfterLeaving() async throws {
    try await LiveStage.with { stage in
      let runID = try await ran(stage)
      try stage.test.run("UPDATE track4run.enrolments SET shows_health = true")
      stage.set(second: 600)
      _ = try await eventually("the finish", within: .seconds(120)) {
        try await stage.update(runID)[1]?.heartRate == nil ? nil : true
      }
      try stage.test.run(
        """
        UPDATE track4run.enrolments SET left_at = now(), left_reason = 5
         WHERE number = 1
        """)
      let shown = try await eventually("the result without the name", within: .seconds(120)) {
        let runner = try await stage.update(runID)[1]
        return runner?.runnerName == "deleted runner" ? runner : nil
      }
      #expect((shown.status, shown.place) == ("finished", 1))
      #expect(shown.coordinate == nil && shown.heartRate == nil)
      let own = try await stage.json("/t4r/org/live?runID=\(runID)", by: LiveStage.organiser)
      let seen = try #require(own[1])
      #expect(seen.coordinate == nil && seen.heartRate == nil && seen.place == 1)
      #expect(own[2]?.heartRate == 151)
      let sought = "{\"runID\":\(runID),\"runners\":[{\"email\":\"1001@example.org\"}]}"
      let found = try await stage.json("/t4r/active/specUpdate", sought)
      #expect(found.runners?.isEmpty == true)
    }
  }

  @Test("unreadable runs do not prevent others from being closed", .tags(.RUN_5))
  func unreadable() async throws {
    try await LiveStage.with { stage in
      let damaged = try (0..<11).map { _ in try stage.run(runners: 1) }
      try stage.test.run(
        """
        UPDATE track4run.paths
           SET path = postgis.ST_GeogFromText('LINESTRING(9.19 45.46, 9.19 45.46)')
         WHERE run_id <= \(damaged.max() ?? 0)
        """)
      let sound = try stage.run(runners: 1)
      stage.set(second: 3_630)
      let closing = closing(stage)
      let time = LiveStage.startsAt.adding(seconds: 3_630)
      for _ in 0..<2 { #expect(try await closing.close(caughtUpAt: time) == false) }
      let closed: StaticString = "SELECT run_id FROM track4run.runs WHERE closed_at IS NOT NULL"
      #expect(try count(stage, closed).map(Int64.init) == sound)
      // After the repair the others are closed too.
      try stage.test.run(
        """
        UPDATE track4run.paths AS path
           SET path = sound.path
          FROM track4run.paths AS sound
         WHERE sound.run_id = \(sound)
        """)
      for _ in 0..<2 { _ = try await closing.close(caughtUpAt: time) }
      let all: StaticString = "SELECT count(*) FROM track4run.runs WHERE closed_at IS NOT NULL"
      #expect(try count(stage, all) == 12)
    }
  }

  @Test("data after the results does not change them", .tags(.RUN_5))
  func final() async throws {
    try await LiveStage.with { stage in
      let runID = try await ran(stage)
      stage.set(second: 3_630)
      let before = try await completeStatistics(stage, runID)
      #expect(!before.final)
      _ = try await close(stage, caughtUpAt: 3_630)
      let after = try await statistics(stage, runID, by: 1001)
      #expect(after.final)
      #expect(after.runners == before.runners)
      try await stage.store(runID, [3: 500], second: 200, number: 20)
      _ = try await close(stage, caughtUpAt: 3_630)
      _ = try await eventually("the late position in the live picture", within: .seconds(120)) {
        try await stage.update(runID)[3]?.place == nil ? nil : true
      }
      let later = try await statistics(stage, runID, by: 1001)
      #expect(later.runners.map(\.place) == after.runners.map(\.place))
      #expect(later.runners.map(\.distance) == after.runners.map(\.distance))
    }
  }

  @Test(
    "a runner sees the own result beside the others, with the heart rates that are shown",
    .tags(.RUN_6))
  func beside() async throws {
    try await LiveStage.with { stage in
      let runID = try await ran(stage)
      stage.set(second: 3_630)
      _ = try await close(stage, caughtUpAt: 3_630)
      let first = try await completeStatistics(stage, runID)
      #expect((first.number, first.state) == (1, "ended"))
      #expect(first.runners.map(\.number) == [1, 2, 3])
      #expect(first.runners.map(\.own) == [true, false, false])
      #expect(first.runners.map(\.status) == ["finished", "did not finish", "did not start"])
      #expect(first.runners.map(\.place) == [1, 2, nil])
      #expect(first.runners.map(\.heartRate) == [151, nil, nil])
      #expect(first.runners[0].splits?.count == 3)
      // The fixes are ten seconds apart, and the last one is exactly on the line.
      #expect((200...205).contains(first.runners[0].averagePace ?? 0))
      #expect(abs((first.runners[1].distance ?? 0) - 1_200) < 1)
      #expect(first.runners[2].distance == nil)
      try stage.test.run("UPDATE track4run.enrolments SET shows_health = true WHERE number = 2")
      let shown = try await eventually("the choice of the second", within: .seconds(120)) {
        let all = try await statistics(stage, runID, by: 1001)
        return all.runners[1].heartRate == nil ? nil : all
      }
      #expect(shown.runners.map(\.heartRate) == [151, 151, nil])
      let stranger = await #expect(throws: Problem.self) {
        _ = try await statistics(stage, runID, by: 1009)
      }
      #expect(stranger?.status == .notFound)
    }
  }

  private struct Statistics: Decodable, Sendable {
    struct Runner: Decodable, Sendable, Equatable {
      struct Split: Decodable, Sendable, Equatable {
        let distance: Double
        let seconds: Double
      }
      let number: Int32
      let own: Bool
      let status: String
      let place: Int32?
      let distance: Double?
      let averagePace: Double?
      let heartRate: Double?
      let splits: [Split]?
    }
    let number: Int32
    let state: String
    let final: Bool
    let runners: [Runner]
  }

  private func statistics(
    _ stage: LiveStage, _ runID: Int64, by runner: Int64
  ) async throws -> Statistics {
    let response = try await stage.call("/t4r/my/stats?runID=\(runID)", by: runner)
    guard case .bytes(let bytes) = response.body else { throw NoBytes() }
    return try JSONDecoder().decode(Statistics.self, from: Data(bytes))
  }

  /// The statistics once the live picture has all data of `ran`: it is published once a second, and
  /// the clock of the test has passed the end already.
  private func completeStatistics(_ stage: LiveStage, _ runID: Int64) async throws -> Statistics {
    try await eventually("the data in the live picture", within: .seconds(120)) {
      let all = try await statistics(stage, runID, by: 1001)
      let isComplete = all.runners.first?.heartRate != nil && all.runners[1].distance != nil
      return all.state == "ended" && isComplete ? all : nil
    }
  }

  private struct NoBytes: Error {}
}
