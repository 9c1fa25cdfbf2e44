/// What came of one runner's run, final once the run is closed (RUN-5).
package struct RunResult: Hashable, Sendable {
  /// How it ended; the raw value is stored.
  package enum Outcome: Int16, Hashable, Sendable, CaseIterable {
    /// Crossed the finish.
    case finished = 1
    /// Was on the way when the run was over.
    case didNotFinish = 2
    /// Was never seen on the course while the run was on.
    case didNotStart = 3

    /// The API's word, that of the runner's state.
    package var state: RunnerState {
      switch self {
      case .finished: .finished
      case .didNotFinish: .didNotFinish
      case .didNotStart: .didNotStart
      }
    }
  }

  /// The runner's number in the run.
  package let number: Int32
  /// How it ended.
  package let outcome: Outcome
  /// The place; nil of who did not start. Equal ones share it.
  package let place: Int32?
  /// The metres along the course.
  package let metres: Double
  /// When the runner first was that far; nil of who did not start.
  package let reachedAt: Timestamp?
  /// When each whole kilometre was passed.
  package let kilometresAt: [Timestamp]

  /// A result as it was stored.
  package init(
    stored number: Int32, _ outcome: Outcome, place: Int32?, metres: Double,
    reachedAt: Timestamp?, kilometresAt: [Timestamp]
  ) {
    self.number = number
    self.outcome = outcome
    self.place = place
    self.metres = metres
    self.reachedAt = reachedAt
    self.kilometresAt = kilometresAt
  }

  /// When the runner crossed the finish, if that was so.
  package var finishedAt: Timestamp? { outcome == .finished ? reachedAt : nil }
}

/// The results of a run: of the same course and fixes always the same, in whatever order the fixes
/// came.
package struct RunResults: Sendable {
  private let timed: TimedCourse
  private var runners: [(runner: Int32, progress: RunnerProgress)] = []

  /// Results on this course, of nobody yet.
  package init(on timed: TimedCourse) { self.timed = timed }

  /// Adds a runner with all fixes, in any order; those that repeat count once.
  package mutating func add(_ number: Int32, fixes: [Fix]) {
    runners.append((number, RunnerTrail(of: fixes, on: timed).progress))
  }

  /// The results by number.
  package var results: [RunResult] {
    var places: [Int32: Int32] = [:]
    for place in Placings(of: runners).places { places[place.runner] = place.place }
    return runners.map { number, progress in
      let outcome: RunResult.Outcome =
        if progress.finishedAt != nil {
          .finished
        } else {
          progress.hasStarted ? .didNotFinish : .didNotStart
        }
      return RunResult(
        stored: number, outcome, place: places[number], metres: progress.metres,
        reachedAt: progress.reachedAt, kilometresAt: progress.kilometresAt)
    }.sorted { $0.number < $1.number }
  }
}
