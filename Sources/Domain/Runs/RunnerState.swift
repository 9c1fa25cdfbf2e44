/// Where a runner stands in a run; the raw value is the API's word.
package enum RunnerState: String, Hashable, Sendable, CaseIterable {
  /// Has joined and not accepted the check-in request.
  case enrolled = "enrolled"
  /// Has accepted it, and was not yet seen on the course.
  case checkedIn = "checked in"
  /// Is on the way.
  case running = "running"
  /// Is on the way, and nothing was heard for two minutes.
  case signalLost = "signal lost"
  /// Has crossed the finish.
  case finished = "finished"
  /// Was never seen on the course while the run was on.
  case didNotStart = "did not start"
  /// Was on the way when the run was over.
  case didNotFinish = "did not finish"

  /// After how many seconds without a fix the signal is lost.
  package static let signalLostAfter = 120.0

  /// The state at a moment of a runner in a run.
  package init(
    isCheckedIn: Bool, progress: RunnerProgress, during times: RunTimes, now: Timestamp
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
  /// Whether the latest fix is older than after which the signal counts as lost.
  fileprivate func isSilent(at now: Timestamp) -> Bool {
    latest.map { now.seconds(since: $0.time) > RunnerState.signalLostAfter } ?? false
  }
}
