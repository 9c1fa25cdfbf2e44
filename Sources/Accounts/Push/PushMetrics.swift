import Operations

/// The metrics of push messages; they contain nothing about recipients.
struct PushMetrics: Sendable {
  /// Messages accepted by push services.
  let sent: Counter
  /// Messages that were refused, or not accepted in time.
  let failed: Counter
  /// Subscriptions that push services have ended.
  let ended: Counter
  /// Messages in the queue of the database, for any process to send.
  let waiting: Gauge

  /// Registers the metrics.
  init(_ metrics: Metrics) {
    sent = metrics.counter("trackme_push_sent_total", "Messages accepted by push services.")
    failed = metrics.counter(
      "trackme_push_failed_total", "Push messages that were refused, or not accepted in time.")
    ended = metrics.counter(
      "trackme_push_ended_total", "Push subscriptions that ended at their push service.")
    waiting = metrics.gauge(
      "trackme_push_waiting", "Push messages in the queue of the database, for any process to send."
    )
  }
}
