import Domain
import HTTP
import JSON
import Postgres
import PostgresFixture
import Requirements
import Support
import Testing
import Track4RunFixture

@Suite("Searching for runners")
struct RunnerSearchTests {
  @Test(
    "a runner is found under the known property only, unless the runner disabled it",
    .tags(.RUN_7))
  func knownRunners() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 3)
      try stage.test.run(
        "UPDATE track4run.enrolments SET is_findable = false WHERE number = 3")
      stage.set(second: 100)
      try await stage.store(runID, [1: 300, 2: 250, 3: 200], second: 90, number: 1)
      _ = try await eventually("positions", within: .seconds(120)) {
        try await stage.update(runID)[3]?.coordinate
      }
      func find(_ runners: String) async throws -> [LiveAnswer.Runner] {
        let body = #"{"runID":\#(runID),"runners":[\#(runners)]}"#
        return try await stage.json("/t4r/active/specUpdate", body).runners ?? []
      }
      let known = try await find(#"{"email":"1001@example.org"}"#)
      #expect(known.map(\.runnerName) == ["1001@example.org"])
      #expect((known.first?.number, known.first?.place) == (nil, 1))
      #expect(known.first?.coordinate == (try LiveStage.place(300)).text)
      #expect(try await find(#"{"name":"2"}"#).map(\.number) == [2])
      // Runners who chose not to be found, runners of other runs and unknown people look the same.
      for nobody in [
        #"{"name":"3"}"#, #"{"email":"1003@example.org"}"#, #"{"email":"5000@example.org"}"#,
        #"{"email":"nobody@example.org"}"#,
      ] {
        #expect(try await find(nobody).isEmpty)
      }
      for wrong in ["{}", #"{"name":"1","email":"1@example.org"}"#, #"{"email":"x"}"#] {
        let problem = await #expect(throws: Problem.self) { _ = try await find(wrong) }
        #expect(problem?.status == .badRequest)
      }
    }
  }

  @Test(
    "a runner is found by the real name only after allowing it, and under that name alone",
    .tags(.RUN_7))
  func realNames() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 4)
      func find(_ name: String) async throws -> [LiveAnswer.Runner] {
        let body = #"{"runID":\#(runID),"runners":[{"fullName":"\#(name)"}]}"#
        return try await stage.json("/t4r/active/specUpdate", body).runners ?? []
      }
      stage.set(second: 100)
      try await stage.store(runID, [1: 300, 2: 250, 3: 200, 4: 150], second: 90, number: 1)
      _ = try await eventually("positions", within: .seconds(120)) {
        try await stage.update(runID)[4]?.coordinate
      }
      #expect(try await find("Mario Rossi").isEmpty)
      // The third allows it, but has disabled all searches.
      try stage.test.run(
        """
        UPDATE track4run.enrolments SET is_findable_by_name = true WHERE number > 1;
        UPDATE track4run.enrolments SET is_findable = false WHERE number = 3;
        """)
      let found = try await eventually("both who allow it", within: .seconds(120)) {
        let found = try await find("Mario Rossi")
        return found.count == 2 ? found : nil
      }
      #expect(found.map(\.runnerName) == ["Mario Rossi", "Mario Rossi"])
      #expect(found.map(\.number) == [nil, nil])
      #expect(found.map(\.place) == [2, 4])
      #expect(try await find("Luigi Bianchi").isEmpty)
      try stage.test.run(
        "UPDATE track4run.enrolments SET is_findable_by_name = false WHERE number > 1")
      _ = try await eventually("that nobody is found", within: .seconds(120)) {
        try await find("Mario Rossi").isEmpty ? true : nil
      }
      for wrong in [#""fullName":"-""#, #""fullName":"A","name":"1""#] {
        let body = #"{"runID":\#(runID),"runners":[{\#(wrong)}]}"#
        let problem = await #expect(throws: Problem.self) {
          _ = try await stage.call("/t4r/active/specUpdate", body)
        }
        #expect(problem?.status == .badRequest)
      }
    }
  }

  @Test("searching for many people is rate limited, following a few is not", .tags(.RUN_7))
  func guessing() async throws {
    try await LiveStage.with { stage in
      let runID = try stage.run(runners: 1)
      func find(_ number: Int) async throws {
        let body = #"{"runID":\#(runID),"runners":[{"email":"\#(number)@example.org"}]}"#
        _ = try await stage.call("/t4r/active/specUpdate", body)
      }
      for _ in 0..<50 { try await find(1_001) }
      for number in 1..<20 { try await find(number) }
      let problem = await #expect(throws: Problem.self) { try await find(20) }
      #expect(problem?.status == .tooManyRequests)
      try await find(1_001)
      _ = try await stage.update(runID)
    }
  }
}
