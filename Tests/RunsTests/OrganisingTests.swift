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

@Suite("Organising runs")
struct OrganisingTests {
  private func span(_ points: [UInt8]) throws -> StoredPath { try StoredPath.decode(points.span) }

  @Test("an organiser creates at most 200 runs a day, however many at once")
  func madeADay() async throws {
    try await RunFixture.with { fixture in
      let madeMax = RunOrganising.madeADayMax
      let terms = try RunFixture.terms(starts: 90_000, ends: 93_600)
      let refused = try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<madeMax + 10 {
          group.addTask {
            do throws(ApplicationError) {
              _ = try await fixture.database.transaction { (transaction) throws(ApplicationError) in
                try await fixture.organising.create(
                  terms, by: RunFixture.organiser, named: "Corse", in: transaction)
              }
              return false
            } catch {
              #expect(error.reason == .rateLimited)
              // It is noon.
              #expect(error.retryAfter == 43_200)
              return true
            }
          }
        }
        return try await group.reduce(into: 0) { if $1 { $0 += 1 } }
      }
      #expect(refused == 10)
      let made: StaticString = "SELECT count(*) FROM track4run.runs"
      #expect(try fixture.number(made) == madeMax)
      _ = try await fixture.create(terms, by: RunFixture.other)
      fixture.clock.set(RunFixture.now.adding(seconds: 43_200))
      _ = try await fixture.create(terms)
    }
  }

  @Test("a path is stored and read as it was drawn, to the last digit", .tags(.R38))
  func paths() async throws {
    let drawn = try [
      RunFixture.path(),
      RunPath([GeoPoint("10,179.99"), GeoPoint("10.0000001,-179.99"), GeoPoint("10,180")]),
      RunPath([GeoPoint("89.99,12.3456789"), GeoPoint("90,0"), GeoPoint("89.99,-170.7654321")]),
      RunPath(
        (0..<RunPath.pointsMax).map { step in
          try GeoPoint(
            latitude: 45 + Double(step % 7) / 1e7, longitude: 9 + Double(step) / 1e5)
        }),
    ]
    try await RunFixture.with { fixture in
      for path in drawn {
        var bytes: [UInt8] = []
        StoredPath(path).encode(into: &bytes)
        #expect(try span(bytes).path == path)
        let runID = try await fixture.create(try RunFixture.terms())
        guard case .published = try await fixture.publish(runID, path) else {
          Issue.record("the path was refused")
          continue
        }
        let stored = try await fixture.database.rows(PathOfRun(runID: runID))
        #expect(stored.first?.path == path)
        _ = try await fixture.cancel(runID)
      }
      let difference = """
        SELECT count(*) FROM track4run.paths
         WHERE abs(postgis.ST_Length(path) - length_metres) > length_metres * 1e-6
        """ as StaticString
      #expect(try fixture.number(difference) == 0)
    }
  }

  @Test(
    "corrupt bytes of a path are an internal error, and crash no process",
    arguments: [
      [], [1], Array(repeating: 0, count: 9), [0, 0, 0, 0, 2, 255, 255, 255, 255],
      [0, 0, 0, 0, 2, 0, 0, 0, 1] + Array(repeating: 0, count: 16),
      [0, 0, 0, 0, 2, 0, 0, 0, 1] + Array(repeating: 255, count: 16),
      [0, 0, 0, 0, 1, 0, 0, 0, 1] + Array(repeating: 0, count: 16),
    ] as [[UInt8]])
  func noPaths(bytes: [UInt8]) {
    #expect(throws: PostgresError.self) { try span(bytes) }
  }

  @Test(
    "a run is listed once it has a path, and keeps its code when that changes", .tags(.R38, .RUN_4))
  func publishing() async throws {
    try await RunFixture.with { fixture in
      let runID = try await fixture.create(try RunFixture.terms())
      #expect(try await fixture.join(runID, 1) == .refused(.notListed))
      guard case .published(let code) = try await fixture.publish(runID, try RunFixture.path())
      else {
        Issue.record("the path was refused")
        return
      }
      #expect(code.count == RunCode.length)
      let again = try await fixture.publish(runID, try RunFixture.path(5))
      #expect(again == .published(code: code))
      #expect(try await fixture.join(runID, 1) == .joined(number: 1))
      let ends: StaticString = """
        SELECT count(*) FROM track4run.publications WHERE end_latitude = 45.5142
        """
      #expect(try fixture.number(ends) == 1)
    }
  }

  @Test("only organisers of a run publish, change and cancel it", .tags(.RUN_2))
  func strangers() async throws {
    try await RunFixture.with { fixture in
      let runID = try await fixture.listed(try RunFixture.terms())
      let path = try RunFixture.path(3)
      #expect(try await fixture.publish(runID, path, by: RunFixture.other) == .unknown)
      #expect(try await fixture.publish(runID + 1, path) == .unknown)
      #expect(try await fixture.cancel(runID, by: RunFixture.other) == .unknown)
      _ = try await fixture.coOrganiser(RunFixture.other, of: runID, allowed: true)
      guard case .published = try await fixture.publish(runID, path, by: RunFixture.other) else {
        Issue.record("a co-organiser could not change the path")
        return
      }
      _ = try await fixture.coOrganiser(RunFixture.other, of: runID, allowed: false)
      #expect(try await fixture.cancel(runID, by: RunFixture.other) == .unknown)
      #expect(try await fixture.cancel(runID) == .done)
      #expect(try await fixture.cancel(runID) == .refused(.cancelled))
    }
  }

  @Test("a path that shares half or more with another of the same day is refused", .tags(.RUN_1))
  func overlaps() async throws {
    try await RunFixture.with { fixture in
      _ = try await fixture.listed(try RunFixture.terms())
      let runID = try await fixture.create(try RunFixture.terms(), by: RunFixture.other)
      func publish(_ points: [String]) async throws -> PublishOutcome {
        let path = try RunPath(points.map { try GeoPoint($0) })
        return try await fixture.publish(runID, path, by: RunFixture.other)
      }
      // The same road in the other direction, on its other side, 22 m apart.
      #expect(
        try await publish(["45.4644,9.2156", "45.4644,9.19"]) == .notPublished(.alongAnother))
      // One shared kilometre, and more than a kilometre elsewhere.
      let third = try await publish(["45.4642,9.19", "45.4642,9.2027", "45.4742,9.2027"])
      guard case .published = third else {
        Issue.record("a path of which less than half is another's was refused")
        return
      }
      #expect(
        try await publish(["45.4642,9.19", "45.4642,9.2027", "45.4720,9.2027"])
          == .notPublished(.alongAnother))
    }
  }

  @Test("paths of another day, of cancelled runs and of the run itself do not count", .tags(.RUN_1))
  func overlapsThatDoNot() async throws {
    try await RunFixture.with { fixture in
      let first = try await fixture.listed(try RunFixture.terms())
      let path = try RunFixture.path()
      func isPublished(_ runID: Int64) async throws -> Bool {
        if case .published = try await fixture.publish(runID, path) { true } else { false }
      }
      #expect(try await isPublished(first))
      // Midnight is twelve hours away.
      let tomorrow = try await fixture.create(try RunFixture.terms(starts: 43_200, ends: 50_000))
      #expect(try await isPublished(tomorrow))
      let today = try await fixture.create(try RunFixture.terms(starts: 43_199, ends: 50_000))
      #expect(try await !isPublished(today))
      _ = try await fixture.cancel(first)
      #expect(try await isPublished(today))
    }
  }

  @Test("an organiser has five published runs on a day at most")
  func fiveADay() async throws {
    try await RunFixture.with { fixture in
      var runs: [Int64] = []
      for north in 0..<5 { runs.append(try await fixture.listed(try RunFixture.terms(), north)) }
      let sixth = try await fixture.create(try RunFixture.terms())
      let path = try RunFixture.path(6)
      #expect(try await fixture.publish(sixth, path) == .notPublished(.tooManyThatDay))
      // Another organiser's run, a run of another day, and a replacement of a cancelled run are
      // published.
      let others = try await fixture.create(try RunFixture.terms(), by: RunFixture.other)
      let published = try await fixture.publish(others, path, by: RunFixture.other)
      #expect(published != .notPublished(.tooManyThatDay))
      _ = try await fixture.listed(try RunFixture.terms(starts: 90_000, ends: 100_000), 7)
      _ = try await fixture.cancel(runs[0])
      #expect(
        try await fixture.publish(sixth, try RunFixture.path(8)) != .notPublished(.tooManyThatDay))
    }
  }

  @Test("one of two equal paths published at once is refused", .tags(.RUN_1))
  func race() async throws {
    try await RunFixture.with { fixture in
      let path = try RunFixture.path()
      for round in 0..<5 as Range<Int64> {
        let terms = try RunFixture.terms(starts: 3600 + round * 86_400, ends: 7200 + round * 86_400)
        let first = try await fixture.create(terms)
        let second = try await fixture.create(terms, by: RunFixture.other)
        async let left = fixture.publish(first, path)
        async let right = fixture.publish(second, path, by: RunFixture.other)
        let outcomes = try await [left, right]
        #expect(outcomes.count { $0 == .notPublished(.alongAnother) } == 1)
      }
    }
  }
}
