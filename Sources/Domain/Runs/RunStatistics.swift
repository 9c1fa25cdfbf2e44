import Time

/// The statistics of a runner's progress (RUN-6).
package struct RunStatistics: Hashable, Sendable {
  /// The distance along the course in metres.
  package let metres: Double
  /// The seconds from the start of the run to the finish; on the course, to the latest fix; without
  /// a finish, to the time at which the distance was first reached.
  package let seconds: Double
  /// The average pace in seconds per kilometre; nil before the first metre.
  package let averagePace: Double?
  /// The pace of the last minute in seconds per kilometre; nil without movement, after the finish
  /// and while the signal is lost.
  package let currentPace: Double?
  /// The splits for each kilometre, and for the rest of the last one.
  package let splits: [Split]

  /// A section of the course and its duration.
  package struct Split: Hashable, Sendable {
    /// The end, in metres from the start of the course.
    package let metres: Double
    /// The duration in seconds.
    package let seconds: Double
    /// The pace in seconds per kilometre.
    package let pace: Double
  }

  /// The statistics of a runner in this state; nil before the runner's start.
  package init?(of progress: RunnerProgress, _ state: RunnerState, since startsAt: Instant) {
    guard let reachedAt = progress.reachedAt else { return nil }
    metres = progress.metres
    let isOnTheWay = state == .running || state == .signalLost
    let until = isOnTheWay ? progress.latest?.time ?? reachedAt : reachedAt
    seconds = until.seconds(since: startsAt)
    averagePace = Self.pace(seconds, over: metres)
    currentPace = state == .running ? Self.pace(1, over: progress.recentSpeed) : nil
    splits = Self.splits(
      progress.kilometresAt, to: progress.metres, finishedAt: progress.finishedAt, since: startsAt)
  }

  /// The statistics of a final result; nil if the runner did not start.
  package init?(of result: RunResult, since startsAt: Instant) {
    guard let reachedAt = result.reachedAt else { return nil }
    metres = result.metres
    seconds = reachedAt.seconds(since: startsAt)
    averagePace = Self.pace(seconds, over: metres)
    currentPace = nil
    splits = Self.splits(
      result.kilometresAt, to: metres, finishedAt: result.finishedAt, since: startsAt)
  }

  /// A slower speed counts as standing, in metres a second: an hour for a kilometre.
  static let standingSpeed = 1000.0 / 3600

  private static func pace(_ seconds: Double, over metres: Double) -> Double? {
    let isStanding = metres <= 0 || metres / max(seconds, .leastNonzeroMagnitude) < standingSpeed
    return isStanding ? nil : seconds / metres * 1000
  }

  private static func splits(
    _ kilometresAt: [Instant], to end: Double, finishedAt: Instant?, since startsAt: Instant
  ) -> [Split] {
    var splits: [Split] = []
    var before = (metres: 0.0, time: startsAt)
    func add(_ metres: Double, at time: Instant) {
      let seconds = time.seconds(since: before.time)
      splits.append(
        Split(
          metres: metres, seconds: seconds, pace: seconds / (metres - before.metres) * 1000))
      before = (metres, time)
    }
    for time in kilometresAt { add(before.metres + 1000, at: time) }
    if let finishedAt, end - before.metres >= 1 {
      add(end, at: finishedAt)
    }
    return splits
  }
}
