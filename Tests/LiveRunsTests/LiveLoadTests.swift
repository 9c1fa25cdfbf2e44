import Domain
import EventLoop
import HTTP
import Postgres
import PostgresFixture
import Requirements
import Runs
import Support
import Testing
import Time
import Track4RunFixture

@Suite("Live runs under load")
struct LiveLoadTests {
  /// The outcome of requesting a run.
  private enum Answer: Equatable {
    case shown
    case refused(UInt16, hasRetryAfter: Bool)
  }

  private static func ask(_ runID: Int64, at stage: LiveStage) async throws -> Answer {
    do {
      _ = try await stage.call("/t4r/active/placings?runID=\(runID)")
      return .shown
    } catch let problem as Problem {
      return .refused(
        problem.status.code, hasRetryAfter: problem.fields[.retryAfter] != nil)
    }
  }

  @Test("requests for more than 64 runs at once are refused with a retry")
  func manyQuestions() async throws {
    try await LiveStage.with { stage in
      let session = try stage.test.session()
      try session.run("BEGIN; LOCK TABLE track4run.publications IN ACCESS EXCLUSIVE MODE")
      try await withThrowingTaskGroup(of: Answer.self) { group in
        for runID in 1...70 as ClosedRange<Int64> {
          group.addTask { try await Self.ask(1_000_000 + runID, at: stage) }
        }
        for _ in 0..<6 {
          #expect(try await group.next() == .refused(503, hasRetryAfter: true))
        }
        try session.run("ROLLBACK")
        for try await answer in group {
          // On a busy machine a request may have waited too long for the lock.
          #expect(
            answer == .refused(404, hasRetryAfter: false)
              || answer == .refused(503, hasRetryAfter: true))
        }
      }
      try await eventually("the answer for an unknown run") {
        try await Self.ask(1_000_001, at: stage) == .refused(404, hasRetryAfter: false)
      }
    }
  }

  @Test("an old run with much stored data delays no active run", .tags(.R52))
  func oldRun() async throws {
    try await LiveStage.with { stage in
      // Long before the start, so that the old run is not followed.
      stage.set(second: -10_000)
      let (old, live) = (try stage.run(runners: 1), try stage.run(runners: 1))
      try stage.test.run(
        """
        UPDATE track4run.runs
           SET starts_at = starts_at - interval '2 days', ends_at = ends_at - interval '2 days',
               enrol_until = starts_at - interval '2 days'
         WHERE run_id = \(old);
        """)
      for second in 1...2_000 as ClosedRange<Int64> {
        try await stage.store(old, [1: Double(second) / 2], second: second, number: second + 10)
      }
      stage.set(second: 100)
      try await stage.store(live, [1: 200], second: 90, number: 3_000)
      _ = try await eventually("the position", within: .seconds(120)) {
        try await stage.update(live)[1]?.coordinate
      }
      // The reads of its rows wait until the test unlocks them.
      let holder = try stage.test.session()
      try holder.run("SELECT pg_advisory_lock(1)")
      try stage.test.run(
        """
        CREATE FUNCTION track4run.unlocked(run bigint) RETURNS boolean LANGUAGE plpgsql
        COST 100000 AS $$ BEGIN
          IF run = \(old) THEN PERFORM pg_advisory_xact_lock_shared(1); END IF;
          RETURN true;
        END $$;
        GRANT EXECUTE ON FUNCTION track4run.unlocked(bigint) TO track4run;
        CREATE POLICY unlocked ON track4run.run_data USING (track4run.unlocked(run_id));
        ALTER TABLE track4run.run_data ENABLE ROW LEVEL SECURITY;
        """)
      let asking = Task(executorPreference: stage.loop) { try await Self.ask(old, at: stage) }
      let replays = try stage.count("trackme_track4run_replays_total")
      try await stage.store(live, [1: 210], second: 99, number: 10_000)
      _ = try await eventually("the next position", within: .seconds(120)) {
        try await stage.update(live)[1]?.seconds == 99 ? true : nil
      }
      // By then no runner of the old run was completely read.
      #expect(try stage.count("trackme_track4run_replays_total") == replays)
      // The request for it ends after the waiting time, and a later one finds the run.
      #expect(try await asking.value == .refused(503, hasRetryAfter: true))
      try holder.run("SELECT pg_advisory_unlock(1)")
      _ = try await eventually("the old run", within: .seconds(120)) {
        try await Self.ask(old, at: stage) == .shown ? true : nil
      }
    }
  }

  @Test(
    "of too many samples of a runner the first stored count, whether read or followed",
    .tags(.RUN_5))
  func many() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 2)
      stage.set(second: 600)
      let place = try LiveStage.place(100)
      let rows = 25
      let rowCount = CheckInSamples.countedMax / rows
      for row in 0..<rows {
        let samples = (0..<rowCount).map { index in
          let milliseconds = Int64(100_000 + row * rowCount + index)
          return Sample(
            stored: .position, time: LiveStage.startsAt.adding(milliseconds: milliseconds),
            value: .position(place))
        }
        try await stage.store([
          CheckInSamples(
            runID: runID, number: 1, streamSeq: Int64(row) + 1, samples: samples)
        ])
      }
      try await stage.store(runID, [1: 300, 2: 200], second: 500, number: 100)
      let read = try await eventually("both runners", within: .seconds(120)) {
        let answer = try await stage.update(runID)
        return answer[1]?.distance == nil || answer[2]?.distance == nil ? nil : answer
      }
      #expect(abs((read[1]?.distance ?? 0) - 100) < 1)
      #expect(abs((read[2]?.distance ?? 0) - 200) < 1)
      // Data that arrives in time now counts too.
      try await stage.store(runID, [1: 310, 2: 210], second: 510, number: 200)
      let followed = try await eventually("the other runner", within: .seconds(120)) {
        let answer = try await stage.update(runID)
        return answer[2]?.seconds == 510 ? answer : nil
      }
      #expect(followed[1]?.distance == read[1]?.distance)
      let closing = RunClosing(
        environment: .system, database: stage.database, runData: stage.runData)
      let results = try await closing.results(of: runID)
      #expect(results.map { $0.metres.rounded() } == [100, 210])
    }
  }

  @Test("fixes that are too late do not each cause a reload", .tags(.RUN_5))
  func lateAgain() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 1)
      stage.set(second: 1_700)
      // More samples than are kept, so that the first minute is too late.
      let timely = try (100...1_600 as ClosedRange<Int64>).map { second in
        Sample(
          stored: .position, time: LiveStage.startsAt.adding(seconds: second),
          value: .position(try LiveStage.place(Double(second))))
      }
      try await stage.store([
        CheckInSamples(runID: runID, number: 1, streamSeq: 1, samples: timely)
      ])
      _ = try await eventually("the runner", within: .seconds(120)) {
        try await stage.update(runID)[1]?.seconds == 1_600 ? true : nil
      }
      let before = try stage.count("trackme_track4run_replays_total")
      let began = ContinuousClock.now
      for late in 1...30 as ClosedRange<Int64> {
        let rows = try stage.count("trackme_track4run_live_rows_total")
        try await stage.store(runID, [1: Double(late)], second: late, number: 1 + late)
        _ = try await eventually("the late one", within: .seconds(120)) {
          try stage.count("trackme_track4run_live_rows_total") > rows ? true : nil
        }
      }
      let replays = try stage.count("trackme_track4run_replays_total") - before
      let seconds = (ContinuousClock.now - began) / .seconds(1)
      #expect(replays >= 1)
      #expect(Double(replays) <= 2 + seconds / 5)
      // Fixes that arrive in time are shown at once, and in the end all fixes count. After the
      // pause between two reads the last of the thirty may already be reread.
      try await stage.store(runID, [1: 31], second: 31, number: 32)
      try await stage.store(runID, [1: 1_650], second: 1_650, number: 100)
      _ = try await eventually("the timely one", within: .seconds(120)) {
        try await stage.update(runID)[1]?.seconds == 1_650 ? true : nil
      }
      _ = try await eventually("another reading", within: .seconds(120)) {
        try stage.count("trackme_track4run_replays_total") - before > replays ? true : nil
      }
      #expect(try await stage.update(runID)[1]?.seconds == 1_650)
    }
  }

  @Test("an evicted run is read again on request")
  func evicted() async throws {
    try await LiveStage.with { stage in
      // Two days before the start: followed only because of requests.
      stage.set(second: -2 * 86_400)
      var runIDs: [Int64] = []
      for _ in 0..<66 { runIDs.append(try stage.run(runners: 1)) }
      for runID in runIDs { try await Self.see(runID, at: stage) }
      _ = try await eventually("those that make way", within: .seconds(120)) {
        // A run is followed for a minute after a request, and the first requests may have taken
        // longer.
        for runID in runIDs.suffix(64) { try await Self.see(runID, at: stage) }
        return try stage.count("trackme_track4run_runs_followed") == 64 ? true : nil
      }
      for runID in runIDs.prefix(3) { try await Self.see(runID, at: stage) }
    }
  }

  /// Requests a run until it is shown: a busy machine may refuse requests with a retry.
  private static func see(_ runID: Int64, at stage: LiveStage) async throws {
    _ = try await eventually("run \(runID)", within: .seconds(120)) {
      try await ask(runID, at: stage) == .shown ? true : nil
    }
  }
}
