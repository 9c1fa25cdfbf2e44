import Time

/// The state of a runner in a run; the raw value is that of the API.
package enum RunnerState: String, Hashable, Sendable, CaseIterable {
  /// Has joined, but has not accepted the check-in request.
  case enrolled = "enrolled"
  /// Has accepted it, but has not been on the course yet.
  case checkedIn = "checked in"
  /// Is on the course.
  case running = "running"
  /// Is on the course, without a fix for two minutes.
  case signalLost = "signal lost"
  /// Has crossed the finish.
  case finished = "finished"
  /// Was never on the course during the run.
  case didNotStart = "did not start"
  /// Was on the course when the run ended.
  case didNotFinish = "did not finish"

  /// The seconds without a fix after which the signal counts as lost.
  package static let signalLostAfter = 120.0

  /// The state of a runner at `now`.
  package init(
    isCheckedIn: Bool, progress: RunnerProgress, during times: RunTimes, now: Instant
  ) {
    self =
      if !isCheckedIn {
        .enrolled
      } else if progress.finishedAt != nil {
        .finished
      } else if times.isOver(at: now) {
        progress.hasStarted ? .didNotFinish : .didNotStart
      } else if !progress.hasStarted {
        .checkedIn
      } else if progress.isSilent(at: now) {
        .signalLost
      } else {
        .running
      }
  }
}

extension RunnerProgress {
  /// Whether the latest fix is so old that the signal counts as lost.
  fileprivate func isSilent(at now: Instant) -> Bool {
    latest.map { now.seconds(since: $0.time) > RunnerState.signalLostAfter } ?? false
  }
}
