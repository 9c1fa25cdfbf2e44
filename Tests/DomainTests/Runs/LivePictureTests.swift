import Domain
import Requirements
import Support
import Testing

@Suite("live pictures and simulated runners")
struct LivePictureTests {
  private static func picture(_ number: Int64, _ random: inout SeededRandom) -> LivePicture {
    var picture = LivePicture(number: number)
    for runner in 0..<30 as Range<Int32> where Int.random(in: 0..<8, using: &random) > 0 {
      picture.runners[runner] = LiveRunner(
        name: "Runner \(Int.random(in: 0..<40, using: &random) == 0 ? -runner : runner)",
        status: Int.random(in: 0..<9, using: &random) == 0 ? .paused : .running,
        spot: Int.random(in: 0..<9, using: &random) == 0 ? nil : spot(&random))
    }
    return picture
  }

  private static func spot(_ random: inout SeededRandom) -> LiveSpot {
    LiveSpot(
      latitudeE5: .random(in: -9_000_000...9_000_000, using: &random),
      longitudeE5: .random(in: -18_000_000...18_000_000, using: &random),
      metres: .random(in: 0...500_000, using: &random),
      second: .random(in: 0...50_000, using: &random))
  }

  @Test("a full picture and all later changes yield the current picture", .tags(.R52))
  func changes() throws {
    var random = SeededRandom()
    var shown = Self.picture(1, &random)
    var watched = shown
    for number in 2...300 as ClosedRange<Int64> {
      var next = Bool.random(using: &random) ? Self.picture(number, &random) : shown
      next.number = number
      let changes = next.changes(since: shown)
      #expect(changes.isEmpty == (next.runners == shown.runners))
      try watched.apply(changes)
      #expect(watched == next)
      shown = next
    }
  }

  @Test("a runner who only moves is sent as differences", .tags(.R52))
  func moves() {
    let spot = LiveSpot(latitudeE5: 4_546_420, longitudeE5: 919_000, metres: 100, second: 30)
    let before = LivePicture(
      number: 1, runners: [7: LiveRunner(name: "Anna", status: .running, spot: spot)])
    var after = before
    after.number = 2
    after.runners[7]?.spot = LiveSpot(
      latitudeE5: 4_546_417, longitudeE5: 919_004, metres: 103, second: 31)
    let move = LiveSpot(latitudeE5: -3, longitudeE5: 4, metres: 3, second: 1)
    #expect(
      after.changes(since: before)
        == LiveChanges(number: 2, moved: [.init(runner: 7, by: move)]))
  }

  @Test("a pause removes the position, and its end sends it in full", .tags(.RUN_12))
  func pause() {
    let spot = LiveSpot(latitudeE5: 1, longitudeE5: 2, metres: 3, second: 4)
    let running = LiveRunner(name: "Anna", status: .running, spot: spot)
    let paused = LiveRunner(name: "Anna", status: .paused, spot: nil)
    let before = LivePicture(number: 1, runners: [7: running])
    let during = LivePicture(number: 2, runners: [7: paused])
    let after = LivePicture(number: 3, runners: [7: running])
    #expect(during.changes(since: before).replaced == [.init(runner: 7, with: paused)])
    #expect(after.changes(since: during).replaced == [.init(runner: 7, with: running)])
  }

  @Test("changes of another picture change nothing", .tags(.R52))
  func wrongPicture() {
    let runner = LiveRunner(
      name: "Anna", status: .running,
      spot: LiveSpot(latitudeE5: 1, longitudeE5: 1, metres: .max, second: 1))
    let before = LivePicture(number: 4, runners: [1: runner])
    let step = LiveSpot(latitudeE5: 0, longitudeE5: 0, metres: 1, second: 1)
    let wrong: [(LiveChanges, LiveChangesError)] = [
      (LiveChanges(number: 4), .wrongPicture), (LiveChanges(number: 6), .wrongPicture),
      (LiveChanges(number: 5, removed: [2]), .wrongPicture),
      (LiveChanges(number: 5, moved: [.init(runner: 2, by: step)]), .wrongPicture),
      (LiveChanges(number: 5, moved: [.init(runner: 1, by: step)], removed: [1]), .wrongPicture),
      (LiveChanges(number: 5, moved: [.init(runner: 1, by: step)]), .outOfRange),
    ]
    for (changes, error) in wrong {
      var picture = before
      #expect(throws: error) { try picture.apply(changes) }
      #expect(picture == before)
    }
  }

  @Test("the shown status is the runner's state, with a pause first", .tags(.RUN_12, .R52))
  func status() {
    #expect(LiveStatus(.enrolled, isOffCourse: false, isPaused: false) == nil)
    #expect(LiveStatus(.running, isOffCourse: false, isPaused: false) == .running)
    #expect(LiveStatus(.running, isOffCourse: true, isPaused: false) == .offCourse)
    #expect(LiveStatus(.running, isOffCourse: true, isPaused: true) == .paused)
    #expect(LiveStatus(.signalLost, isOffCourse: true, isPaused: false) == .signalLost)
    #expect(LiveStatus(.finished, isOffCourse: false, isPaused: true) == .finished)
  }

  @Test("a spot is the latest fix that counted, to a metre", .tags(.R52))
  func spot() throws {
    let plan = Plan(-33.5, -179.999)
    let course = try plan.course([(0, 0), (400, 0)])
    let fix = Fix(time: Morning.at(30.9), position: plan.position(99.6, 3))
    let progress = RunnerProgress(of: [fix], on: course)
    let spot = try #require(LiveSpot(progress, since: Morning.start))
    #expect(abs(Double(spot.latitudeE5) / 1e5 - fix.position.latitude) <= 0.5001e-5)
    #expect(abs(Double(spot.longitudeE5) / 1e5 - fix.position.longitude) <= 0.5001e-5)
    #expect(spot.metres == 99)
    #expect(spot.second == 30)
    #expect(LiveSpot(RunnerProgress(), since: Morning.start) == nil)
  }

  @Test("simulated runners start, move at a runner's pace and finish")
  func simulated() throws {
    let course = try Plan().course([(0, 0), (1500, 200), (1500, 900), (0, 0)])
    let timed = Morning.timed(course)
    for number in 0..<30 as Range<Int32> {
      let runner = SimulatedRunner(number: number, seed: 42)
      var progress = RunnerProgress()
      var before = 0.0
      for second in 0..<3600 {
        let metres = runner.metres(after: Double(second), length: course.length)
        #expect((0...6).contains(metres - before))
        before = metres
        progress.take(
          Fix(
            time: Morning.at(Double(second)),
            position: runner.position(after: Double(second), on: course)), on: timed)
        if progress.finishedAt == nil { #expect(abs(progress.metres - metres) < 15) }
      }
      #expect(before == course.length)
      let finish = Morning.seconds(try #require(progress.finishedAt))
      #expect((course.length / 4.1...course.length / 2.4 + 30).contains(finish))
    }
    // The same runner again is at the same position, another one elsewhere.
    let position = SimulatedRunner(number: 3).position(after: 100, on: course)
    #expect(SimulatedRunner(number: 3).position(after: 100, on: course) == position)
    #expect(SimulatedRunner(number: 4).position(after: 100, on: course) != position)
  }
}
