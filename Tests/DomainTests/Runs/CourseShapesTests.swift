import Domain
import Requirements
import Support
import Testing

/// A course for which matching by distance alone fails.
enum CourseShape: String, CaseIterable, CustomTestStringConvertible {
  case straight
  /// Six laps of 400 m.
  case laps
  /// 1500 m out and back on the same road.
  case outAndBack = "out and back"
  /// The same road, with the way back on its other side.
  case twoSides = "both sides of a road"
  /// An eight, run twice.
  case crossing
  /// A street up and the next one down, 60 m apart.
  case serpentine
  /// A ring with the finish at its start.
  case ring

  var testDescription: String { rawValue }

  var points: [(Double, Double)] {
    switch self {
    case .straight: [(0, 0), (3000, 0)]
    case .laps: Array(repeating: [(0, 0), (150, 0), (150, 50), (0, 50)], count: 6).flatMap { $0 }
    case .outAndBack: [(0, 0), (700, 300), (1500, 300), (700, 300), (0, 0)]
    case .twoSides: [(0, 0), (1500, 0), (1500, 8), (0, 8)]
    case .crossing: Array(repeating: eight, count: 2).flatMap { $0 } + [(0, 0)]
    case .serpentine: (0..<8).flatMap(street)
    case .ring: (0...12).map(ring)
    }
  }

  private var eight: [(Double, Double)] {
    [
      (0, 0), (300, 300), (600, 0), (300, -300), (0, 0), (-300, 300), (-600, 0), (-300, -300),
    ]
  }

  private func street(_ row: Int) -> [(Double, Double)] {
    let north = Double(row) * 60
    return row % 2 == 0 ? [(0, north), (500, north)] : [(500, north), (0, north)]
  }

  private func ring(_ step: Int) -> (Double, Double) {
    let turn: [(Double, Double)] = [
      (1, 0), (0.866, 0.5), (0.5, 0.866), (0, 1), (-0.5, 0.866), (-0.866, 0.5), (-1, 0),
      (-0.866, -0.5), (-0.5, -0.866), (0, -1), (0.5, -0.866), (0.866, -0.5),
    ]
    return (500 * turn[step % 12].0, 500 * turn[step % 12].1)
  }
}

/// A runner with known positions, and the fixes of a phone that is some metres off.
struct TrueRunner {
  let course: Course
  var speed = 3.0
  /// The seconds from one fix to the next.
  var every = 1.0
  /// The largest error of the fixes to each side, in metres.
  var noise = 4.0

  /// When the runner crosses the finish, in seconds from the start.
  var finish: Double { course.length / speed }

  func metres(at seconds: Double) -> Double { min(speed * seconds, course.length) }

  /// The runner's position; beyond the finish, straight on.
  func position(at seconds: Double) -> GeoPoint {
    let behind = speed * seconds - course.length
    let here = course.position(at: course.length)
    guard behind > 0 else { return course.position(at: speed * seconds) }
    let before = course.position(at: course.length - 10)
    return .at(
      here.latitude + (here.latitude - before.latitude) * behind / 10,
      here.longitude + (here.longitude - before.longitude) * behind / 10)
  }

  /// The fixes from the start until some time after the finish.
  func fixes(_ random: inout SeededRandom, without gaps: [ClosedRange<Double>] = []) -> [Fix] {
    stride(from: every, through: finish + 3 * every + 10, by: every)
      .filter { seconds in !gaps.contains { $0.contains(seconds) } }
      .map { fix(at: $0, position(at: $0), &random) }
  }

  /// A fix near a position.
  func fix(at seconds: Double, _ position: GeoPoint, _ random: inout SeededRandom) -> Fix {
    let degrees = noise / 111_000
    return Fix(
      time: Morning.at(seconds),
      position: .at(
        position.latitude + .random(in: -degrees...degrees, using: &random),
        position.longitude + .random(in: -degrees...degrees, using: &random)))
  }
}

@Suite("courses that lap, cross themselves and come back")
struct CourseShapesTests {
  private let plan = Plan()

  @Test(
    "progress stays within 20 m of the truth at any rate of fixes", .tags(.RUN_5),
    arguments: CourseShape.allCases, [1.0, 5, 20])
  func follows(shape: CourseShape, every: Double) throws {
    let course = try plan.course(shape.points)
    for seed in 0..<8 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let speed = Double.random(in: 1.5...5, using: &random)
      let runner = TrueRunner(course: course, speed: speed, every: every)
      var progress = RunnerProgress()
      for fix in runner.fixes(&random) {
        progress.take(fix, on: Morning.timed(course))
        let seconds = Morning.seconds(fix.time)
        let error = progress.metres - runner.metres(at: seconds)
        #expect(abs(error) < 20, "seed \(seed), after \(seconds) s")
      }
      let finish = Morning.seconds(try #require(progress.finishedAt))
      #expect(abs(finish - runner.finish) < 3, "seed \(seed)")
    }
  }

  @Test(
    "after two minutes without a signal the runner is located again", .tags(.RUN_5),
    arguments: CourseShape.allCases)
  func gaps(shape: CourseShape) throws {
    let course = try plan.course(shape.points)
    for seed in 0..<10 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let speed = Double.random(in: 2...4, using: &random)
      let runner = TrueRunner(course: course, speed: speed)
      let gap = Double.random(in: 150...(runner.finish - 150), using: &random)
      var progress = RunnerProgress()
      for fix in runner.fixes(&random, without: [gap...(gap + 120)]) {
        progress.take(fix, on: Morning.timed(course))
        let seconds = Morning.seconds(fix.time)
        let error = progress.metres - runner.metres(at: seconds)
        // At a turn, twice the error of the pace before the gap.
        #expect(abs(error) < 30, "seed \(seed), after \(seconds) s")
      }
      #expect(progress.finishedAt != nil)
    }
  }

  @Test(
    "a runner who pauses for a quarter of an hour stays in place", .tags(.RUN_5),
    arguments: CourseShape.allCases)
  func standing(shape: CourseShape) throws {
    let course = try plan.course(shape.points)
    for seed in 0..<10 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let runner = TrueRunner(course: course, every: 5)
      let stop = Double.random(in: 100...(course.length / 3 - 60), using: &random)
      var progress = RunnerProgress()
      for fix in runner.fixes(&random) where fix.time < Morning.at(stop) {
        progress.take(fix, on: Morning.timed(course))
      }
      let place = course.position(at: runner.metres(at: stop))
      for seconds in stride(from: stop, to: stop + 900, by: 5) {
        progress.take(runner.fix(at: seconds, place, &random), on: Morning.timed(course))
      }
      #expect(abs(progress.metres - runner.metres(at: stop)) < 25, "seed \(seed)")
    }
  }

  @Test(
    "progress agrees with a slow model that checks every half metre", .tags(.RUN_5),
    arguments: CourseShape.allCases)
  func againstModel(shape: CourseShape) throws {
    let course = try plan.course(shape.points)
    // Fixed seeds: where two passes are equally far from the expected position, the half metre of
    // the model may decide otherwise.
    for seed in 0..<6 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let runner = TrueRunner(
        course: course, speed: .random(in: 1...5, using: &random),
        every: .random(in: 5...40, using: &random), noise: .random(in: 0...60, using: &random))
      let fixes = runner.fixes(&random)
      let progress = RunnerProgress(of: fixes.sorted(), on: course)
      let model = ProgressModel(of: fixes, on: course, during: Morning.times)
      #expect(abs(progress.metres - model.metres) < 1.5, "seed \(seed)")
      #expect(progress.isOffCourse == model.isOffCourse, "seed \(seed)")
      #expect((progress.finishedAt == nil) == (model.finishedAt == nil), "seed \(seed)")
    }
  }

  @Test(
    "fixes that arrive late, twice and in any order yield the same as in order", .tags(.RUN_5),
    arguments: CourseShape.allCases)
  func late(shape: CourseShape) throws {
    let course = try plan.course(shape.points)
    let timed = Morning.timed(course)
    for _ in 0..<3 {
      var random = SeededRandom()
      let runner = TrueRunner(course: course, every: 3, noise: 10)
      let fixes = runner.fixes(&random)
      let expected = RunnerProgress(of: fixes, on: course)
      var arriving = (fixes + fixes.filter { _ in Bool.random(using: &random) })
        .shuffled(using: &random)[...]
      var trail = RunnerTrail()
      while !arriving.isEmpty {
        let batch = arriving.prefix(Int.random(in: 1...40, using: &random))
        arriving = arriving.dropFirst(batch.count)
        #expect(trail.take(Array(batch), on: timed) == .counted)
      }
      #expect(trail.progress == expected)
      #expect(RunnerTrail(of: fixes.shuffled(using: &random), on: timed).progress == expected)
    }
  }

  @Test("a trail keeps its last fixes, and reports when an older one is missing", .tags(.RUN_5))
  func tooOld() throws {
    let course = try plan.course([(0, 0), (9000, 0)])
    let timed = Morning.timed(course)
    var random = SeededRandom()
    let fixes = TrueRunner(course: course).fixes(&random)
    #expect(fixes.count > 2 * RunnerTrail.keptMax)
    let late = fixes[10]
    var trail = RunnerTrail()
    for fix in fixes where fix != late { #expect(trail.take([fix], on: timed) == .counted) }
    let before = trail.progress
    #expect(trail.take([fixes[fixes.count - 1], late], on: timed) == .tooOld)
    #expect(trail.progress == before)
    #expect(trail.take([], on: timed) == .counted)
    // Half of the kept fixes stay after a trim.
    #expect(trail.take([fixes[fixes.count - RunnerTrail.keptMax / 2]], on: timed) == .counted)
    #expect(trail.progress == before)
  }
}
