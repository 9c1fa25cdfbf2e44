/// What a runner's progress comes to, as it is shown (RUN-6).
package struct RunStatistics: Hashable, Sendable {
  /// The metres along the course.
  package let metres: Double
  /// The seconds from the start of the run to the finish; of who is on the way to the latest fix,
  /// of who gave up to when the runner first was that far.
  package let seconds: Double
  /// The seconds a kilometre of the whole way; nil before the first metre.
  package let averagePace: Double?
  /// The seconds a kilometre of the last minute; nil of who stands still, has finished or was lost.
  package let currentPace: Double?
  /// The kilometres one by one, and what is left of the last one.
  package let splits: [Split]

  /// A stretch of the course and how long it took.
  package struct Split: Hashable, Sendable {
    /// Where it ends, in metres from the start of the course.
    package let metres: Double
    /// The seconds it took.
    package let seconds: Double
    /// The seconds a kilometre.
    package let pace: Double
  }

  /// The statistics of a runner in this state; nil of who has not started.
  package init?(of progress: RunnerProgress, _ state: RunnerState, since startsAt: Timestamp) {
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

  /// The statistics of a final result; nil of who did not start.
  package init?(of result: RunResult, since startsAt: Timestamp) {
    guard let reachedAt = result.reachedAt else { return nil }
    metres = result.metres
    seconds = reachedAt.seconds(since: startsAt)
    averagePace = Self.pace(seconds, over: metres)
    currentPace = nil
    splits = Self.splits(
      result.kilometresAt, to: metres, finishedAt: result.finishedAt, since: startsAt)
  }

  /// Slower than this, in metres a second, is standing: an hour for a kilometre.
  static let standingSpeed = 1000.0 / 3600

  private static func pace(_ seconds: Double, over metres: Double) -> Double? {
    let isStanding = metres <= 0 || metres / max(seconds, .leastNonzeroMagnitude) < standingSpeed
    return isStanding ? nil : seconds / metres * 1000
  }

  private static func splits(
    _ kilometresAt: [Timestamp], to end: Double, finishedAt: Timestamp?, since startsAt: Timestamp
  ) -> [Split] {
    var splits: [Split] = []
    var before = (metres: 0.0, time: startsAt)
    func add(_ metres: Double, at time: Timestamp) {
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
