import Domain
import Postgres
import PostgresFixture
import Requirements
import Runs
import Support
import Testing
import Time
import Track4RunFixture

@Suite("Joining and leaving runs")
struct EnrolmentTests {
  /// The outcomes of runners who join concurrently.
  private func join(
    _ runID: Int64, _ runners: ClosedRange<Int64>, _ fixture: RunFixture
  ) async throws -> [JoinOutcome] {
    try await withThrowingTaskGroup(of: JoinOutcome.self) { group in
      for runner in runners { group.addTask { try await fixture.join(runID, runner) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test("runners receive the numbers from 1 on, each number once", .tags(.R46))
  func numbers() async throws {
    try await RunFixture.with { fixture in
      let runID = try await fixture.listed(try RunFixture.terms(participants: 3))
      #expect(try await fixture.join(runID, 1) == .joined(number: 1))
      #expect(try await fixture.join(runID, 2) == .joined(number: 2))
      #expect(try await fixture.leave(runID, 1) == .left(number: 1))
      #expect(try await fixture.leave(runID, 1) == .notEnrolled)
      #expect(try await fixture.join(runID, 1) == .joined(number: 3))
      #expect(try await fixture.join(runID, 3) == .joined(number: 4))
      #expect(try await fixture.join(runID, 4) == .refused(.full))
    }
  }

  @Test("a refused runner learns the reason", .tags(.R46, .RUN_3))
  func refusals() async throws {
    try await RunFixture.with { fixture in
      let runID = try await fixture.listed(try RunFixture.terms(enrol: 1800))
      #expect(try await fixture.join(runID + 1, 1) == .refused(.notListed))
      #expect(try await fixture.join(runID, 900) == .refused(.ownRun))
      #expect(try await fixture.join(runID, 1) == .joined(number: 1))
      #expect(try await fixture.join(runID, 1) == .refused(.joinedAlready))
      let sameTime = try await fixture.listed(try RunFixture.terms(starts: 7199, ends: 9000), 1)
      #expect(try await fixture.join(sameTime, 1) == .refused(.overlapsAnother))
      let afterwards = try await fixture.listed(try RunFixture.terms(starts: 7200, ends: 9000), 2)
      #expect(try await fixture.join(afterwards, 1) == .joined(number: 1))
      fixture.clock.set(RunFixture.now.adding(seconds: 1800))
      #expect(try await fixture.join(runID, 2) == .refused(.enrolmentClosed))
      fixture.clock.set(RunFixture.now.adding(seconds: 3600))
      #expect(try await fixture.join(runID, 2) == .refused(.begun))
      _ = try await fixture.cancel(runID)
      #expect(try await fixture.join(runID, 2) == .refused(.notListed))
      // Neither a cancelled run nor one that the runner left blocks another run at that time.
      #expect(try await fixture.leave(afterwards, 1) == .left(number: 1))
      #expect(try await fixture.join(sameTime, 1) == .joined(number: 1))
    }
  }

  @Test("exactly one of fifty concurrent runners receives the last place", .tags(.R46))
  func lastPlace() async throws {
    try await RunFixture.with(connections: 10) { fixture in
      let runID = try await fixture.listed(try RunFixture.terms(participants: 4))
      for runner in 1...3 as ClosedRange<Int64> { _ = try await fixture.join(runID, runner) }
      let outcomes = try await join(runID, 101...150, fixture)
      #expect(outcomes.count { $0 == .joined(number: 4) } == 1)
      #expect(outcomes.count { $0 == .refused(.full) } == 49)
      #expect(try fixture.number("SELECT enrolled FROM track4run.runs") == 4)
    }
  }

  @Test("of two simultaneous runs joined at once, one enrolment succeeds", .tags(.RUN_3))
  func twoAtOnce() async throws {
    try await RunFixture.with { fixture in
      let first = try await fixture.listed(try RunFixture.terms(participants: 100))
      let second = try await fixture.listed(
        try RunFixture.terms(starts: 5000, ends: 9000, participants: 100), 1)
      for runner in 1...30 as ClosedRange<Int64> {
        async let left = fixture.join(first, runner)
        async let right = fixture.join(second, runner)
        let outcomes = try await [left, right]
        #expect(outcomes.count { $0 == .refused(.overlapsAnother) } == 1)
      }
      #expect(try fixture.number("SELECT sum(enrolled) FROM track4run.runs") == 30)
    }
  }

  @Test("concurrent joining and leaving keep the count of runners correct", .tags(.R46))
  func joiningWhileLeaving() async throws {
    try await RunFixture.with(connections: 8) { fixture in
      let runID = try await fixture.listed(try RunFixture.terms(participants: 5))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for runner in 1...8 as ClosedRange<Int64> {
          for _ in 0..<8 {
            group.addTask { _ = try await fixture.join(runID, runner) }
            group.addTask { _ = try await fixture.leave(runID, runner) }
          }
        }
        try await group.waitForAll()
      }
      let enrolled = try fixture.number("SELECT enrolled FROM track4run.runs")
      let rows: StaticString = "SELECT count(*) FROM track4run.enrolments WHERE left_at IS NULL"
      #expect(try fixture.number(rows) == enrolled)
      #expect(enrolled <= 5)
      let numbers: StaticString = """
        SELECT count(*) FROM track4run.runs
         WHERE last_number = (SELECT count(*) FROM track4run.enrolments)
        """
      #expect(try fixture.number(numbers) == 1)
    }
  }
}

extension EnrolmentTests {
  @Test(
    "a leaving runner's name is stored only if kept with a result", .tags(.RUN_10))
  func keptNames() async throws {
    try await RunFixture.with { fixture in
      let runID = try await fixture.listed(try RunFixture.terms())
      for runner in 1...3 as ClosedRange<Int64> { _ = try await fixture.join(runID, runner) }
      try fixture.test.run("UPDATE track4run.enrolments SET sealed_name = '\\x01'")
      let kept: [Enrolling.KeptResult] = [.none, .anonymous, .named]
      for (runner, result) in zip(1...3 as ClosedRange<Int64>, kept) {
        let number = Int32(runner)
        #expect(
          try await fixture.leave(runID, runner, keeping: result) == .left(number: number))
      }
      let rows = try fixture.test.session().rows(
        """
        SELECT left_reason, sealed_name IS NOT NULL AND keeps_name
          FROM track4run.enrolments ORDER BY number
        """)
      #expect(rows.map { $0.compactMap(\.self) } == [["1", "f"], ["5", "f"], ["5", "t"]])
      #expect(try fixture.number("SELECT enrolled FROM track4run.runs") == 0)
    }
  }
}
