import Domain
import HTTP
import JSON
import Postgres
import PostgresFixture
import Requirements
import Runs
import ServiceKit
import Support
import Testing
import Time
import Track4RunFixture

@Suite("Live positions of runs")
struct LivePositionsTests {
  @Test("stored positions are shown to polling clients, by rank", .tags(.R52, .RUN_5, .RUN_6))
  func polling() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 3)
      let before = try await stage.update(runID)
      #expect((before.state, before.runners, before.watching) == ("open", [], 0))
      stage.set(second: 100)
      try await stage.store(runID, [1: 200, 2: 300], second: 90, number: 10)
      let shown = try await eventually("two runners", within: .seconds(120)) {
        let answer = try await stage.update(runID)
        return answer.runners?.count { $0.coordinate != nil } == 2 ? answer : nil
      }
      #expect(shown.state == "live")
      #expect(shown.runners?.map(\.number) == [2, 1, 3])
      #expect(shown.runners?.map(\.place) == [1, 2, nil])
      #expect(shown.runners?.map(\.status) == ["running", "running", "checked in"])
      let first = try #require(shown[2])
      #expect(first.runnerName == "2")
      #expect(first.coordinate == (try LiveStage.place(300)).text)
      #expect(first.time == LiveStage.startsAt.adding(seconds: 90).description)
      #expect(abs((first.distance ?? 0) - 300) < 0.2)
      #expect(first.seconds == 90)
      let placings = try await stage.json("/t4r/active/placings?runID=\(runID)")
      #expect(placings.placings?.map(\.number) == [2, 1])
    }
  }

  @Test("late positions count like timely ones", .tags(.RUN_5))
  func late() async throws {
    try await LiveStage.with { stage in
      let (late, timely) = (try stage.run(runners: 1), try stage.run(runners: 1))
      stage.set(second: 1_700)
      var seconds = Array(stride(from: Int64(20), through: 1_600, by: 1))
      for (index, second) in seconds.enumerated() {
        try await stage.store(
          timely, [1: Double(second)], second: second, number: Int64(index) + 10_000)
      }
      // A fix older than all kept ones comes last.
      let oldest = seconds.removeFirst()
      var number: Int64 = 20_000
      for start in stride(from: 0, to: seconds.count, by: 400) {
        let part = seconds[start..<min(start + 400, seconds.count)].reversed()
        try await stage.store(
          part.map { second in
            number += 1
            return CheckInSamples(
              runID: late, number: 1, streamSeq: number,
              samples: [
                Sample(
                  stored: .position, time: LiveStage.startsAt.adding(seconds: second),
                  value: .position(try LiveStage.place(Double(second))))
              ])
          })
        _ = try await eventually("the part", within: .seconds(120)) {
          let shown = try await stage.update(late)[1]
          return shown?.seconds == Double(part.first ?? 0) ? true : nil
        }
      }
      try await stage.store(late, [1: Double(oldest)], second: oldest, number: number + 1)
      let expected = try await eventually("the timely one", within: .seconds(120)) {
        let shown = try await stage.update(timely)[1]
        return shown?.seconds == 1_600 ? shown : nil
      }
      _ = try await eventually("the same", within: .seconds(120)) {
        try await stage.update(late)[1] == expected ? true : nil
      }
    }
  }

  @Test("a run that is not listed is unknown", .tags(.R51))
  func unknown() async throws {
    try await LiveStage.with { stage in
      for path in ["spec", "specUpdate"] {
        let problem = await #expect(throws: Problem.self) {
          _ = try await stage.call("/t4r/active/\(path)", #"{"runID":77}"#)
        }
        #expect((problem?.status, problem?.error) == (.unauthorized, "Wrong runID"))
      }
      for path in ["placings", "stream"] {
        let problem = await #expect(throws: Problem.self) {
          _ = try await stage.call("/t4r/active/\(path)?runID=77")
        }
        #expect(problem?.status == .notFound)
      }
      let runID = try stage.run(runners: 1)
      try stage.test.run("UPDATE track4run.runs SET cancelled_at = now()")
      let problem = await #expect(throws: Problem.self) {
        _ = try await stage.update(runID)
      }
      #expect(problem?.error == "Wrong runID")
    }
  }

  @Test("every spectator receives the same picture and then the same changes", .tags(.R52))
  func streams() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 2)
      stage.set(second: 100)
      let early = try await stage.watch(runID)
      try await stage.store(runID, [1: 200, 2: 250], second: 90, number: 1)
      _ = try await eventually("the first positions", within: .seconds(120)) {
        try await early.picture()?.runners[1]?.spot
      }
      let late = try await stage.watch(runID)
      try await stage.store(runID, [1: 210], second: 95, number: 5)
      for spectator in [early, late] {
        let spot = try await eventually("the move", within: .seconds(120)) {
          let spot = try await spectator.picture()?.runners[1]?.spot
          return spot?.second == 95 ? spot : nil
        }
        #expect(spot.metres == 210)
      }
      // The last event has the same text on both; another event may arrive between two reads.
      _ = try await eventually("the same picture by the same event", within: .seconds(120)) {
        let pictures = (try await early.picture(), try await late.picture())
        let last = (await early.events().last?.data, await late.events().last?.data)
        return pictures.0 == pictures.1 && last.0 == last.1 ? true : nil
      }
      let update = try await eventually("both counted", within: .seconds(120)) {
        let answer = try await stage.update(runID)
        return answer.watching == 2 ? answer : nil
      }
      #expect(update.runners?.map(\.number) == [2, 1])
      early.close()
      late.close()
    }
  }

  @Test(
    "another process sends the same picture, even if it starts later", .tags(.R52, .RUN_5, .NFR_4))
  func processes() async throws {
    try await TestDatabase.with { test in
      let installation = LiveStage.Installation(test: test)
      try await LiveStage.process(of: installation) { one in
        let runID = try one.run(runners: 3)
        one.set(second: 100)
        try await one.store(runID, [1: 210, 2: 250, 3: 205], second: 90, number: 1)
        try await one.store(runID, [1: 260, 3: 205], second: 99, number: 5)
        let shown = try await eventually("all positions", within: .seconds(120)) {
          let answer = try await one.update(runID)
          return answer[1]?.seconds == 99 ? answer : nil
        }
        let spectator = try await one.watch(runID)
        try await LiveStage.process(of: installation) { other in
          #expect(try await other.update(runID).runners == shown.runners)
          let same = try await other.json("/t4r/active/placings?runID=\(runID)")
          #expect(same.placings?.map(\.number) == [1, 2, 3])
          let watched = try await other.watch(runID)
          _ = try await eventually("who watches elsewhere", within: .seconds(120)) {
            try await other.update(runID).watching == 2 ? true : nil
          }
          #expect(
            try await watched.picture()?.runners == (try await spectator.picture())?.runners)
          watched.close()
        }
        spectator.close()
      }
    }
  }

  @Test(
    "a paused runner is hidden from spectators, but not from the result", .tags(.RUN_12, .RUN_8))
  func pause() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 2)
      stage.set(second: 100)
      try await stage.store(runID, [1: 300, 2: 250], second: 90, number: 1)
      let spectator = try await stage.watch(runID)
      _ = try await eventually("positions", within: .seconds(120)) {
        try await spectator.picture()?.runners[1]?.spot
      }
      let body = #"{"runID":\#(runID),"paused":true}"#
      _ = try await stage.call("/t4r/my/pause", body, by: 1_001)
      try await stage.store(runID, [1: 310], second: 95, number: 10)
      let hidden = try await eventually("the pause", within: .seconds(120)) {
        let answer = try await stage.update(runID)
        return answer[1]?.status == "paused" ? answer : nil
      }
      let runner = try #require(hidden[1])
      #expect((runner.coordinate, runner.distance, runner.place) == (nil, nil, nil))
      #expect(hidden[2]?.place == 2)
      // The order of the list does not disclose the place either.
      #expect(hidden.runners?.map(\.number) == [2, 1])
      let shown = try await eventually("the pause on the stream", within: .seconds(120)) {
        let shown = try await spectator.picture()?.runners[1]
        return shown?.status == .paused ? shown : nil
      }
      #expect(shown.spot == nil)
      let own = try await eventually("the organiser's view", within: .seconds(120)) {
        let own = try await stage.json(
          "/t4r/org/live?runID=\(runID)", by: LiveStage.organiser)[1]
        return own?.seconds == 95 ? own : nil
      }
      #expect((own.paused, own.place) == (true, 1))
      #expect(own.coordinate == (try LiveStage.place(310)).text)
      let again = #"{"runID":\#(runID),"paused":false}"#
      _ = try await stage.call("/t4r/my/pause", again, by: 1_001)
      _ = try await eventually("the position again", within: .seconds(120)) {
        try await spectator.picture()?.runners[1]?.spot
      }
      spectator.close()
      let problem = await #expect(throws: Problem.self) {
        _ = try await stage.call("/t4r/my/pause", body, by: 5_000)
      }
      #expect(problem?.status == .notFound)
    }
  }

  @Test(
    "health is shown to the organiser, and to spectators if the runner shows it",
    .tags(.RUN_6, .RUN_8))
  func health() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 2)
      try stage.test.run(
        """
        UPDATE track4run.enrolments SET shows_health = true WHERE number = 2;
        INSERT INTO track4run.co_organisers (run_id, third_party_id, named_at)
        VALUES (\(runID), 901, now());
        """)
      stage.set(second: 100)
      let beat = Sample(
        stored: .heartRate, time: LiveStage.startsAt.adding(seconds: 90), value: .number(151))
      try await stage.store(runID, [1: 300, 2: 250], second: 90, number: 1, [beat])
      let seen = try await eventually("positions", within: .seconds(120)) {
        let answer = try await stage.update(runID)
        return answer[1]?.coordinate != nil ? answer : nil
      }
      #expect((seen[1]?.heartRate, seen[2]?.heartRate) == (nil, 151))
      let path = "/t4r/org/live?runID=\(runID)"
      let own = try await stage.json(path, by: LiveStage.organiser)
      #expect((own[1]?.heartRate, own[2]?.heartRate) == (151, 151))
      let along = try await stage.json(path, by: 901)
      #expect((along[1]?.heartRate, along[2]?.heartRate) == (nil, nil))
      #expect(along[1]?.coordinate == own[1]?.coordinate)
      let problem = await #expect(throws: Problem.self) {
        _ = try await stage.call(path, by: 902)
      }
      #expect(problem?.status == .notFound)
    }
  }

  @Test("spectators are notified of the end and of a cancellation", .tags(.RUN_11))
  func ends() async throws {
    try await LiveStage.with { stage in
      let (ended, cancelled) = (try stage.run(runners: 2), try stage.run(runners: 1))
      stage.set(second: 100)
      let spectators = [try await stage.watch(ended), try await stage.watch(cancelled)]
      try await stage.store(ended, [1: 300], second: 90, number: 1)
      _ = try await eventually("positions", within: .seconds(120)) {
        try await spectators[0].picture()?.runners[1]?.spot
      }
      try stage.test.run(
        "UPDATE track4run.runs SET cancelled_at = now() WHERE run_id = \(cancelled)")
      try await spectators[1].ended()
      #expect(await spectators[1].events().last?.name == "ended")
      stage.set(second: 3_606)
      try await spectators[0].ended()
      #expect(await spectators[0].events().last?.name == "ended")
      let last = try await stage.update(ended)
      #expect(last.state == "ended")
      #expect(last.runners?.map(\.status) == ["did not finish", "did not start"])
      #expect(last[1]?.coordinate != nil)
      // A late client receives the complete state at once.
      let late = try await stage.watch(ended)
      try await late.ended()
      #expect(await late.events().map(\.name) == ["positions", "placings", "ended"])
    }
  }

  @Test(
    "silence for two minutes is a lost signal, and crossing the line is a finish",
    .tags(.R52, .RUN_5))
  func states() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 2)
      let length = Course(try RunFixture.path()).length
      stage.set(second: 600)
      try await stage.store(runID, [1: 1_500, 2: length - 30], second: 590, number: 1)
      try await stage.store(runID, [2: length], second: 600, number: 5)
      let finish = try await eventually("the finish", within: .seconds(120)) {
        let answer = try await stage.update(runID)
        return answer[2]?.status == "finished" ? answer : nil
      }
      #expect(finish[2]?.place == 1)
      #expect(finish[2]?.finishTime != nil)
      #expect(finish[1]?.status == "running")
      stage.set(second: 711)
      _ = try await eventually("the lost signal", within: .seconds(120)) {
        try await stage.update(runID)[1]?.status == "signal lost" ? true : nil
      }
    }
  }

  @Test("erased data is neither shown nor stored", .tags(.NFR_6))
  func erasure() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 2)
      stage.set(second: 100)
      try await stage.store(runID, [1: 200, 2: 200], second: 80, number: 1)
      try await stage.store(runID, [1: 230, 2: 230], second: 90, number: 5)
      _ = try await eventually("positions", within: .seconds(120)) {
        try await stage.update(runID)[1]?.seconds == 90 ? true : nil
      }
      let rows = try stage.test.session().rows(
        "SELECT request_id FROM track4run.enrolments WHERE number = 1")
      let bytes = Array((rows.first?.first.flatMap { $0 } ?? "").utf8)
      let found = DataRequestID(utf8: bytes.span)
      let request = try #require(found)
      let runData = stage.runData
      let erasure = RunDataErasure(
        DataTypeSet([.position]), from: LiveStage.startsAt.adding(seconds: 85), to: nil,
        of: request)
      let next = try await stage.database.transaction { (transaction) throws(ApplicationError) in
        try await runData.erase(erasure, after: 0, in: transaction)
      }
      #expect(next == nil)
      let left = try await eventually("the erasure", within: .seconds(120)) {
        let answer = try await stage.update(runID)
        return answer[1]?.seconds == 80 ? answer : nil
      }
      #expect(left[2]?.seconds == 90)
      try await stage.database.transaction { (transaction) throws(ApplicationError) in
        try await runData.eraseAll(of: AccountID(rawValue: 1_002), in: transaction)
      }
      _ = try await eventually("nothing of the account", within: .seconds(120)) {
        try await stage.update(runID)[2]?.status == "checked in" ? true : nil
      }
      let stored = try await runData.samples(ofRun: runID, numbers: nil, from: stage.database)
      #expect(stored.mapValues(\.count) == [1: 1])
    }
  }

  @Test("data with one sequence number is stored once", .tags(.R52, .NFR_4))
  func repetitions() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 1)
      for _ in 0..<2 { try await stage.store(runID, [1: 200], second: 80, number: 7) }
      let stored = try await stage.runData.samples(
        ofRun: runID, numbers: [1], from: stage.database)
      #expect(stored[1]?.count == 1)
    }
  }
}
