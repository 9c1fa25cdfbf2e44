import Domain
import Requirements
import Support
import Testing
import Time

@Suite("Results of runs")
struct RunResultTests {
  private static let start = Instant(millisecondsSince1970: 1_780_315_200_000)

  private func timed() throws -> TimedCourse {
    let path = try RunPath([GeoPoint("45.4642,9.19"), GeoPoint("45.4642,9.2156")])
    let times = try #require(
      RunTimes(startsAt: Self.start, endsAt: Self.start.adding(seconds: 3600)))
    return TimedCourse(Course(path), during: times)
  }

  /// Fixes every five seconds of a runner who gives up after this many.
  private func fixes(
    _ number: Int32, until seconds: Int64 = 3600, on timed: TimedCourse
  ) -> [Fix] {
    let runner = SimulatedRunner(number: number)
    return stride(from: 0, to: seconds, by: 5).map { second in
      Fix(
        time: Self.start.adding(seconds: second),
        position: runner.position(after: Double(second), on: timed.course))
    }
  }

  @Test("runners who finish, give up or never start have results", .tags(.RUN_5))
  func outcomes() throws {
    let timed = try timed()
    var results = RunResults(on: timed)
    results.add(3, fixes: fixes(3, on: timed))
    results.add(1, fixes: fixes(1, until: 300, on: timed))
    results.add(2, fixes: [])
    let all = results.results
    #expect(all.map(\.number) == [1, 2, 3])
    #expect(all.map(\.outcome) == [.didNotFinish, .didNotStart, .finished])
    #expect(all.map(\.place) == [2, nil, 1])
    #expect(all[0].finishedAt == nil && all[0].reachedAt != nil)
    #expect(all[1].metres == 0 && all[1].reachedAt == nil)
    #expect(all[2].metres == timed.course.length)
    #expect(all[2].kilometresAt.count == 2)
    let statistics = try #require(RunStatistics(of: all[2], since: Self.start))
    #expect(statistics.seconds == all[2].finishedAt?.seconds(since: Self.start))
    #expect(statistics.splits.count == 3 || timed.course.length - 2000 < 1)
    #expect(RunStatistics(of: all[1], since: Self.start) == nil)
  }

  @Test("the same fixes yield the same results in any order, and repeated", .tags(.RUN_5))
  func pure() throws {
    let timed = try timed()
    var random = SeededRandom()
    var once = RunResults(on: timed)
    var again = RunResults(on: timed)
    for number in 1...5 as ClosedRange<Int32> {
      let fixes = fixes(number, on: timed)
      once.add(number, fixes: fixes)
    }
    for number in (1...5 as ClosedRange<Int32>).reversed() {
      let fixes = fixes(number, on: timed)
      again.add(number, fixes: (fixes + fixes.prefix(50)).shuffled(using: &random))
    }
    #expect(once.results == again.results)
  }
}
