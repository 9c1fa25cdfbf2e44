import Operations
import Webhooks

/// The metrics of callbacks, without a reference to accounts.
struct CallbackMetrics: Sendable {
  /// Third parties whose callback was switched off.
  let switchedOff: Counter
  private let taken: Counter
  private let failed: Counter
  private let interrupted: Counter

  /// Registers the metrics.
  init(_ metrics: Metrics) {
    func attempts(_ outcome: String) -> Counter {
      metrics.counter(
        "trackme_data4help_callback_attempts_total", "Calls to third parties, by outcome.",
        labels: [MetricLabel("outcome", outcome)])
    }
    taken = attempts("taken")
    failed = attempts("failed")
    interrupted = attempts("interrupted")
    switchedOff = metrics.counter(
      "trackme_data4help_callbacks_switched_off_total",
      "Callbacks that were switched off after ten attempts or a 410.")
  }

  /// Counts a call.
  func count(_ outcome: CallbackOutcome) {
    if outcome.isTaken { return taken.increment() }
    outcome == .failed(.stopped) ? interrupted.increment() : failed.increment()
  }
}
