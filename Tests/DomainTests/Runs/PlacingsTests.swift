import Domain
import Requirements
import Support
import Testing

@Suite("placings, states and statistics of runners")
struct PlacingsTests {
  private let plan = Plan()

  /// The progress of a runner, by fixes of (seconds, metres).
  private func progress(_ fixes: (Double, Double)..., over length: Double = 5000) throws
    -> RunnerProgress
  {
    let course = try plan.course([(0, 0), (length, 0)])
    return RunnerProgress(
      of: fixes.map { Fix(time: Morning.at($0.0), position: plan.position($0.1, 0)) }, on: course)
  }

  private func ranks(_ runners: [(runner: Int32, progress: RunnerProgress)]) -> [String] {
    Placings(of: runners).ranks.map { "\($0.rank): \($0.runner)" }
  }

  @Test("finishers rank by time, others by distance, then by when they reached it", .tags(.RUN_5))
  func order() throws {
    let finished = try progress((100, 300), (200, 620), over: 600)
    let later = try progress((100, 300), (210, 620), over: 600)
    let further = try progress((100, 400), over: 600)
    let first = try progress((95, 300), over: 600)
    let second = try progress((100, 300), over: 600)
    let runners: [(runner: Int32, progress: RunnerProgress)] = [
      (1, second), (2, later), (3, first), (4, RunnerProgress()), (5, further), (6, finished),
    ]
    var random = SeededRandom()
    for _ in 0..<20 {
      #expect(ranks(runners.shuffled(using: &random)) == ["1: 6", "2: 2", "3: 5", "4: 3", "5: 1"])
    }
  }

  @Test("equal runners share a rank, and the next rank counts both", .tags(.RUN_5))
  func shared() throws {
    let ahead = try progress((10, 60))
    let equal = try progress((10, 30))
    let behind = try progress((10, 20))
    #expect(
      ranks([(9, behind), (7, equal), (1, ahead), (5, equal)]) == ["1: 1", "2: 5", "2: 7", "4: 9"])
    #expect(ranks([]) == [])
  }

  @Test("the order agrees with counting the runners ahead of each", .tags(.RUN_5))
  func againstModel() throws {
    var random = SeededRandom()
    let course = try plan.course([(0, 0), (200, 0)])
    let runners = (0..<200 as Range<Int32>).map { runner in
      let fixes = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        Fix(
          time: Morning.at(Double(Int.random(in: 1...20, using: &random)) * 5),
          position: plan.position(Double(Int.random(in: 0...24, using: &random)) * 10, 0))
      }
      return (runner: runner, progress: RunnerProgress(of: fixes.sorted(), on: course))
    }
    let started = runners.filter { $0.progress.hasStarted }
    let ranks = Placings(of: runners).ranks
    #expect(ranks.count == started.count)
    for rank in ranks {
      let own = try #require(runners.first { $0.runner == rank.runner }).progress
      #expect(Int(rank.rank) == 1 + started.count { isAhead($0.progress, of: own) })
    }
  }

  private func isAhead(_ left: RunnerProgress, of right: RunnerProgress) -> Bool {
    switch (left.finishedAt, right.finishedAt) {
    case (let left?, let right?): return left < right
    case (_?, nil): return true
    case (nil, _?): return false
    case (nil, nil):
      if left.metres != right.metres { return left.metres > right.metres }
      guard let first = left.reachedAt, let second = right.reachedAt else { return false }
      return first < second
    }
  }

  @Test("a runner is enrolled, checked in, running, lost, finished, or did neither", .tags(.RUN_5))
  func states() throws {
    func state(_ progress: RunnerProgress, _ seconds: Double, isCheckedIn: Bool = true)
      -> RunnerState
    {
      RunnerState(
        isCheckedIn: isCheckedIn, progress: progress, during: Morning.times,
        now: Morning.at(seconds))
    }
    let nothing = RunnerProgress()
    let underWay = try progress((10, 30), (20, 60))
    let finished = try progress((10, 30), (20, 60), over: 50)
    #expect(state(nothing, -60, isCheckedIn: false) == .enrolled)
    #expect(state(nothing, -60) == .checkedIn)
    #expect(state(nothing, 14_399.999) == .checkedIn)
    #expect(state(nothing, 14_400) == .didNotStart)
    #expect(state(underWay, 20) == .running)
    #expect(state(underWay, 140) == .running)
    #expect(state(underWay, 140.001) == .signalLost)
    #expect(state(underWay, 14_400) == .didNotFinish)
    #expect(state(finished, 20) == .finished)
    #expect(state(finished, 14_400) == .finished)
  }

  @Test("a runner far from the course when the run ends did not start", .tags(.RUN_5))
  func neverOnCourse() throws {
    let home = try progress((10, -5000), (20, -5000))
    #expect(!home.hasStarted)
    #expect(
      RunnerState(
        isCheckedIn: true, progress: home, during: Morning.times, now: Morning.at(20_000))
        == .didNotStart)
  }

  @Test("pace, time and splits match the kilometres", .tags(.RUN_6))
  func statistics() throws {
    // 4 m/s for a kilometre, 2.5 m/s for the next, then 5 m/s to 2500 m.
    let course = try plan.course([(0, 0), (2500, 0)])
    let fixes = (1...753).map { second -> Fix in
      let seconds = Double(second)
      let metres =
        switch second {
        case ...250: 4 * seconds
        case ...650: 1000 + 2.5 * (seconds - 250)
        default: 2000 + 5 * (seconds - 650)
        }
      return Fix(time: Morning.at(seconds), position: plan.position(metres, 0))
    }
    let all = RunnerProgress(of: fixes, on: course)
    let statistics = try #require(RunStatistics(of: all, .finished, since: Morning.start))
    #expect(abs(statistics.seconds - 750) < 0.1)
    #expect(abs(statistics.metres - 2500) < 0.5)
    #expect(abs(try #require(statistics.averagePace) - 300) < 0.2)
    #expect(statistics.currentPace == nil)
    let expected: [(Double, Double, Double)] = [
      (1000, 250, 250), (2000, 400, 400), (2500, 100, 200),
    ]
    #expect(statistics.splits.count == 3)
    for (split, (metres, seconds, pace)) in zip(statistics.splits, expected) {
      #expect(abs(split.metres - metres) < 0.5)
      #expect(abs(split.seconds - seconds) < 0.2)
      #expect(abs(split.pace - pace) < 0.5)
    }
    let half = RunnerProgress(of: Array(fixes.prefix(600)), on: course)
    let running = try #require(RunStatistics(of: half, .running, since: Morning.start))
    #expect(abs(try #require(running.currentPace) - 400) < 6)
    #expect(running.splits.count == 1)
  }

  @Test(
    "time continues while standing, and ends on giving up; standing has no pace", .tags(.RUN_6))
  func standing() throws {
    let standing = try progress((10, 30), (20, 60), (1820, 60))
    let running = try #require(RunStatistics(of: standing, .running, since: Morning.start))
    #expect(running.seconds == 1820)
    #expect(running.averagePace == nil)
    #expect(running.currentPace == nil)
    let gone = try #require(RunStatistics(of: standing, .didNotFinish, since: Morning.start))
    #expect(gone.seconds == 20)
    #expect(RunStatistics(of: RunnerProgress(), .checkedIn, since: Morning.start) == nil)
  }

  @Test(
    "heart rate and energy are those of the run; energy of two devices counts once", .tags(.RUN_6))
  func health() throws {
    var health = RunnerHealth()
    #expect(health.heartRate == nil && health.meanHeartRate == nil && health.kilocalories == nil)
    func add(_ seconds: Double, _ number: Double, _ type: DataType, device: Int32 = 1) throws {
      health.add(
        StoredSample(
          time: Morning.at(seconds), device: device, sequence: 1,
          value: try SampleValue(number, of: type)), of: type, during: Morning.times)
    }
    try add(20, 150, .heartRate)
    try add(10, 130, .heartRate)
    try add(-1, 60, .heartRate)
    try add(14_400, 60, .heartRate)
    #expect(health.heartRate == 150)
    #expect(health.heartRateAt == Morning.at(20))
    #expect(health.meanHeartRate == 140)
    try add(60, 10, .activeEnergy)
    try add(120, 12, .activeEnergy)
    try add(90, 20, .activeEnergy, device: 2)
    try add(4000, 5, .activeEnergy, device: 2)
    try add(50, 80, .steps)
    #expect(health.kilocalories == 27)
  }
}
