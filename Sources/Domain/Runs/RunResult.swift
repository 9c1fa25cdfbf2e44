import Time

/// One runner's result, final once the run is closed (RUN-5).
package struct RunResult: Hashable, Sendable {
  /// The outcome; the raw value is stored.
  package enum Outcome: Int16, Hashable, Sendable, CaseIterable {
    /// The runner crossed the finish.
    case finished = 1
    /// The runner was on the course when the run ended.
    case didNotFinish = 2
    /// The runner was never on the course during the run.
    case didNotStart = 3

    /// The outcome as a runner's state in the API.
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
  /// The outcome.
  package let outcome: Outcome
  /// The rank, shared by equal runners; nil if the runner did not start.
  package let place: Int32?
  /// The distance along the course in metres.
  package let metres: Double
  /// When the runner first reached that distance; nil if the runner did not start.
  package let reachedAt: Instant?
  /// When the runner passed each whole kilometre.
  package let kilometresAt: [Instant]

  /// Creates a result from storage.
  package init(
    stored number: Int32, _ outcome: Outcome, place: Int32?, metres: Double,
    reachedAt: Instant?, kilometresAt: [Instant]
  ) {
    self.number = number
    self.outcome = outcome
    self.place = place
    self.metres = metres
    self.reachedAt = reachedAt
    self.kilometresAt = kilometresAt
  }

  /// When the runner crossed the finish; nil for other outcomes.
  package var finishedAt: Instant? { outcome == .finished ? reachedAt : nil }
}

/// The results of a run. The same course and fixes always yield the same results, regardless of the
/// order of the fixes.
package struct RunResults: Sendable {
  private let timed: TimedCourse
  private var runners: [(runner: Int32, progress: RunnerProgress)] = []

  /// Creates empty results on this course.
  package init(on timed: TimedCourse) { self.timed = timed }

  /// Adds a runner with all fixes, in any order; duplicate fixes count once.
  package mutating func add(_ number: Int32, fixes: [Fix]) {
    runners.append((number, RunnerTrail(of: fixes, on: timed).progress))
  }

  /// The results, by number.
  package var results: [RunResult] {
    var places: [Int32: Int32] = [:]
    for rank in Placings(of: runners).ranks { places[rank.runner] = rank.rank }
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
