import Domain
import LiveRuns
import Operations
import Postgres
import PostgresFixture
import Requirements
import ServiceKit
import Support
import Testing
import Time
import Track4RunFixture

@Suite("Runners whose position stops arriving")
struct LostSignalTests {
  /// The number of pending notices in the outbox.
  private func notices(_ stage: LiveStage) throws -> Int {
    let rows = try stage.test.session().rows(
      "SELECT count(*) FROM track4run.outbox WHERE kind = 3")
    return try #require(rows.first?.first.flatMap { $0 }.flatMap { Int($0) })
  }

  private func time(_ second: Int64) -> Instant {
    LiveStage.startsAt.adding(seconds: second)
  }

  @Test(
    "a runner silent for two minutes receives one notice, and none for our own delay",
    .tags(.RUN_14))
  func silence() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 3)
      let signals = LostSignals(database: stage.database, outbox: stage.outbox)
      stage.set(second: 220)
      // The third one never started.
      try await stage.store(runID, [1: 200, 2: 250], second: 90, number: 1)
      try await stage.store(runID, [2: 300], second: 210, number: 5)
      let lost = try await eventually("the silence", within: .seconds(120)) {
        let lost = stage.parts.lostSignals()
        return lost.count == 1 ? lost : nil
      }
      #expect(lost.map(\.number) == [1])
      #expect(lost.first?.since == LiveStage.startsAt.adding(seconds: 90))
      // No notice is sent before the data that Data4Help had two minutes later is stored.
      #expect(try await signals.notify(lost, caughtUpAt: nil))
      #expect(try await signals.notify(lost, caughtUpAt: time(209)))
      #expect(try notices(stage) == 0)
      #expect(try await signals.notify(lost, caughtUpAt: time(210)) == false)
      #expect(try notices(stage) == 1)
      #expect(try await signals.notify(lost, caughtUpAt: time(210)) == false)
      // Another process sends none either.
      let other = LostSignals(database: stage.database, outbox: stage.outbox)
      for _ in 0..<2 { _ = try await other.notify(lost, caughtUpAt: time(210)) }
      #expect(try notices(stage) == 1)
    }
  }

  @Test(
    "a silence seen only once, or interrupted by data, causes no notice",
    .tags(.RUN_14))
  func mistaken() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 1)
      let signals = LostSignals(database: stage.database, outbox: stage.outbox)
      func signal(since second: Int64, upTo: Int64) -> LostSignal {
        LostSignal(
          runID: runID, number: 1, since: LiveStage.startsAt.adding(seconds: second), upTo: upTo)
      }
      // A clock three minutes slow: late, and a different silence in each round.
      for second in 90...95 as ClosedRange<Int64> {
        _ = try await signals.notify([signal(since: second, upTo: second)], caughtUpAt: time(1_000))
      }
      #expect(try notices(stage) == 0)
      try await stage.store(runID, [1: 200], second: 90, number: 7)
      for _ in 0..<3 {
        _ = try await signals.notify([signal(since: 90, upTo: 6)], caughtUpAt: time(1_000))
      }
      #expect(try notices(stage) == 0)
      _ = try await signals.notify([signal(since: 90, upTo: 7)], caughtUpAt: time(1_000))
      #expect(try notices(stage) == 1)
    }
  }

  @Test("another silence is reported ten minutes later, not before", .tags(.RUN_14))
  func again() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 1)
      let signals = LostSignals(database: stage.database, outbox: stage.outbox)
      for (second, count) in [(90, 1), (689, 1), (690, 2)] as [(Int64, Int)] {
        let signal = LostSignal(
          runID: runID, number: 1, since: LiveStage.startsAt.adding(seconds: second), upTo: 0)
        for _ in 0..<3 { _ = try await signals.notify([signal], caughtUpAt: time(2_000)) }
        #expect(try notices(stage) == count, "\(second)")
      }
      // A runner who left receives no notice.
      try stage.test.run(
        "UPDATE track4run.enrolments SET left_at = now(), left_reason = 1, silent_since = NULL")
      let signal = LostSignal(
        runID: runID, number: 1, since: LiveStage.startsAt.adding(seconds: 1_500), upTo: 0)
      for _ in 0..<3 { _ = try await signals.notify([signal], caughtUpAt: time(2_000)) }
      #expect(try notices(stage) == 2)
    }
  }
}
