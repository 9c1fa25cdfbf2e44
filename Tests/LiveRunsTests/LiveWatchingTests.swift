import Domain
import HTTP
import PostgresFixture
import Requirements
import Support
import Testing
import Time
import Track4RunFixture
import Web

@Suite("Watching runs that change, before their start and after a finish")
struct LiveWatchingTests {
  @Test(
    "runs evicted for lack of room are not reported as over",
    .tags(.RUN_11))
  func manyRuns() async throws {
    try await LiveStage.with { stage in
      var spectators: [Spectator] = []
      // Two days before the start: followed only because of its spectators.
      stage.set(second: -2 * 86_400)
      for _ in 0..<66 { spectators.append(try await stage.watch(try stage.run(runners: 1))) }
      var texts: [String] = []
      // Evicted streams are told to reconnect after a second.
      _ = try await eventually("two streams that make way", within: .seconds(120)) {
        texts = []
        for spectator in spectators { texts.append(await spectator.text()) }
        return texts.count { $0.contains("retry: ") } >= 2 ? true : nil
      }
      #expect(!texts.contains { $0.contains("event: ended") || $0.contains("retry: 3600000") })
      for spectator in spectators { spectator.close() }
    }
  }

  @Test("a run moved before its start is shown with its new times", .tags(.RUN_2))
  func moved() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 1)
      let body = #"{"runID":\#(runID)}"#
      let before = try await stage.bytes("/t4r/active/spec", body)
      try stage.test.run(
        "UPDATE track4run.runs SET ends_at = ends_at + interval '1 hour' WHERE run_id = \(runID)")
      _ = try await eventually("the new end", within: .seconds(120)) {
        try await stage.bytes("/t4r/active/spec", body) != before ? true : nil
      }
    }
  }

  @Test(
    "answers to searches for runners are not cached, because searches are counted",
    .tags(.RUN_7))
  func soughtRunner() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 1)
      let question = #"{"runID":\#(runID),"runners":[{"email":"1001@example.org"}]}"#
      let found = try await stage.call("/t4r/active/specUpdate", question)
      #expect(found.fields[.cacheControl] == "no-store")
      let everybody = try await stage.call("/t4r/active/specUpdate", #"{"runID":\#(runID)}"#)
      #expect(everybody.fields[.cacheControl] == nil)
    }
  }

  @Test("a finished runner who pauses shows no heart rate", .tags(.RUN_12, .RUN_6))
  func pausedFinisher() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 1)
      try stage.test.run("UPDATE track4run.enrolments SET shows_health = true")
      stage.set(second: 1_000)
      let beat = Sample(
        stored: .heartRate, time: LiveStage.startsAt.adding(seconds: 90), value: .number(151))
      for (index, metres) in stride(from: 0.0, through: 2_100, by: 300).enumerated() {
        try await stage.store(
          runID, [1: metres], second: 90 + 60 * Int64(index), number: 1 + Int64(index), [beat])
      }
      _ = try await eventually("the finish with its heart rate", within: .seconds(120)) {
        let runner = try await stage.update(runID)[1]
        return runner?.status == "finished" && runner?.heartRate != nil ? true : nil
      }
      let body = #"{"runID":\#(runID),"paused":true}"#
      _ = try await stage.call("/t4r/my/pause", body, by: 1_001)
      let runner = try await eventually("the finish without it", within: .seconds(120)) {
        let runner = try await stage.update(runID)[1]
        return runner?.heartRate == nil ? runner : nil
      }
      #expect((runner.status, runner.place) == ("finished", 1))
    }
  }
}
