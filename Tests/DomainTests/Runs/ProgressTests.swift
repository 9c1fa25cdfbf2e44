import Domain
import Requirements
import Testing
import Time

/// A run of four hours, for tests: 2026-06-01 from 8 to 12 o'clock UTC.
enum Morning {
  static let start = Instant(millisecondsSince1970: 1_780_300_800_000)
  static let times: RunTimes = {
    guard let times = RunTimes(startsAt: start, endsAt: start.adding(seconds: 14_400))
    else { preconditionFailure("a run ends after it starts") }
    return times
  }()

  static func timed(_ course: Course) -> TimedCourse { TimedCourse(course, during: times) }

  /// The seconds after the start.
  static func seconds(_ time: Instant) -> Double {
    Double(time.millisecondsSince1970 - start.millisecondsSince1970) / 1000
  }

  /// The time this many seconds after the start.
  static func at(_ seconds: Double) -> Instant {
    start.adding(milliseconds: Int64((seconds * 1000).rounded()))
  }
}

extension RunnerProgress {
  /// The progress of fixes, taken in this order.
  init(of fixes: [Fix], on course: Course) {
    self.init()
    for fix in fixes { take(fix, on: Morning.timed(course)) }
  }
}

@Suite("progress along a course")
struct ProgressTests {
  private let plan = Plan()

  private func fix(
    _ seconds: Double, _ east: Double, _ north: Double = 0, accuracy: Double? = nil
  ) -> Fix {
    Fix(
      time: Morning.at(seconds), position: plan.position(east, north), accuracyMetres: accuracy)
  }

  private func straight(_ metres: Double = 3000) throws -> Course {
    try plan.course([(0, 0), (metres, 0)])
  }

  @Test(
    "progress is the distance along the course, for a runner beside it at its nearest point",
    .tags(.RUN_5))
  func along() throws {
    let progress = RunnerProgress(
      of: [fix(10, 30), fix(20, 60, 5), fix(30, 90, -80)], on: try straight())
    #expect(abs(progress.metres - 90) < 0.1)
    #expect(progress.reachedAt == Morning.at(30))
  }

  @Test("progress never decreases, and keeps the time at which it was first reached", .tags(.RUN_5))
  func neverFalls() throws {
    let progress = RunnerProgress(
      of: [fix(10, 40), fix(20, 25), fix(30, 38), fix(31, 40)], on: try straight())
    #expect(abs(progress.metres - 40) < 0.1)
    #expect(progress.reachedAt == Morning.at(10))
    #expect(progress.latest?.position == plan.position(40, 0))
  }

  @Test("fixes before the start and from the end on are ignored", .tags(.RUN_5))
  func outside() throws {
    let course = try straight()
    #expect(!RunnerProgress(of: [fix(-0.001, 20)], on: course).hasStarted)
    #expect(RunnerProgress(of: [fix(0, 20)], on: course).hasStarted)
    #expect(!RunnerProgress(of: [fix(14_400, 20)], on: course).hasStarted)
    #expect(RunnerProgress(of: [fix(14_399.999, 20)], on: course).hasStarted)
  }

  @Test("an accuracy over 100 m is ignored, a missing one counts as 10 m", .tags(.RUN_5))
  func accuracy() throws {
    let course = try straight()
    #expect(RunnerProgress(of: [fix(5, 20, accuracy: 100)], on: course).hasStarted)
    #expect(!RunnerProgress(of: [fix(5, 20, accuracy: 100.1)], on: course).hasStarted)
    for accuracy in [-1.0, 0, .nan, .infinity] {
      #expect(fix(5, 20, accuracy: accuracy).accuracyMetres == 10)
    }
  }

  @Test("fixes reachable only by a vehicle are ignored", .tags(.RUN_5))
  func vehicles() throws {
    let course = try straight()
    let slow = RunnerProgress(of: [fix(10, 40), fix(14, 89.9)], on: course)
    #expect(slow.latest?.time == Morning.at(14))
    let fast = RunnerProgress(of: [fix(10, 40), fix(14, 90.2)], on: course)
    #expect(fast.latest?.time == Morning.at(10))
    let twoAtOnce = RunnerProgress(of: [fix(10, 40), fix(10, 42)], on: course)
    #expect(abs(twoAtOnce.metres - 40) < 0.1)
  }

  @Test("a stray first position does not block the correct ones", .tags(.RUN_5))
  func strayFirst() throws {
    let progress = RunnerProgress(of: [fix(1, 20_000), fix(2, 5), fix(3, 8)], on: try straight())
    #expect(abs(progress.metres - 8) < 0.1)
  }

  @Test("no runner advances further than 8 m a second and twice the accuracy", .tags(.RUN_5))
  func lookAhead() throws {
    let progress = RunnerProgress(
      of: [fix(10, 100, accuracy: 5), fix(12, 124)], on: try straight())
    // 8 · 10 + 2 · 5 from the start, then 8 · 2 + 2 · 10 from there.
    #expect(abs(progress.metres - 124) < 0.1)
    let first = RunnerProgress(of: [fix(10, 100, accuracy: 5)], on: try straight())
    #expect(abs(first.metres - 90) < 0.1)
  }

  @Test(
    "a runner over 100 m from the course for 30 s is off it, and keeps the progress", .tags(.RUN_5))
  func offCourse() throws {
    let course = try straight()
    let way = [fix(10, 40), fix(60, 150, 90)]
    #expect(!RunnerProgress(of: way + [fix(100, 150, 99.5)], on: course).isOffCourse)
    let away = [fix(100, 150, 100.5), fix(129.9, 150, 100.5)]
    let notYet = RunnerProgress(of: way + away, on: course)
    #expect(!notYet.isOffCourse)
    let off = RunnerProgress(of: way + away + [fix(130, 200, 120)], on: course)
    #expect(off.isOffCourse)
    #expect(abs(off.metres - 150) < 0.1)
    #expect(off.latest?.time == Morning.at(130))
    let back = RunnerProgress(of: way + away + [fix(130, 200, 120), fix(150, 210, 50)], on: course)
    #expect(!back.isOffCourse)
    #expect(abs(back.metres - 210) < 0.1)
    // Twice the accuracy, where that is more.
    let rough = way + [fix(100, 150, 150, accuracy: 80), fix(200, 150, 155, accuracy: 80)]
    #expect(!RunnerProgress(of: rough, on: course).isOffCourse)
  }

  @Test("the finish time is where the line between two fixes crosses the finish", .tags(.RUN_5))
  func finish() throws {
    let course = try straight(1000)
    let way = (1...99).map { fix(Double($0) * 4, Double($0) * 10) }
    #expect(RunnerProgress(of: way, on: course).finishedAt == nil)
    // From 10 m before the line to 30 m beyond it in 16 s.
    let over = RunnerProgress(of: way + [fix(412, 1030)], on: course)
    #expect(abs(Morning.seconds(try #require(over.finishedAt)) - 400) < 0.02)
    #expect(abs(over.metres - 1000) < 0.1)
    #expect(over.metres == course.length)
    #expect(over.reachedAt == over.finishedAt)
    let onTheLine = RunnerProgress(of: way + [fix(400, 1000)], on: course)
    #expect(abs(Morning.seconds(try #require(onTheLine.finishedAt)) - 400) < 0.2)
    let justBefore = RunnerProgress(of: way + [fix(400, 999)], on: course)
    #expect(justBefore.finishedAt == nil)
    // Fixes after the finish change nothing.
    let home = RunnerProgress(of: way + [fix(412, 1030), fix(500, 700)], on: course)
    #expect(home == over)
  }

  @Test("kilometre times are where the line between two fixes crosses them", .tags(.RUN_6))
  func kilometres() throws {
    let way = stride(from: 7.0, through: 1000, by: 7).map { fix($0, 3 * $0) }
    let progress = RunnerProgress(of: way, on: try straight(3000))
    #expect(progress.kilometresAt.count == 2)
    for (kilometre, time) in progress.kilometresAt.enumerated() {
      let expected = Double(kilometre + 1) * 1000 / 3
      #expect(abs(Morning.seconds(time) - expected) < 0.02)
    }
  }
}
