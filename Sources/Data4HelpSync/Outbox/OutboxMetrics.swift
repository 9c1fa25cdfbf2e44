import Operations

/// Metrics of the synchronisation with Data4Help, without personal data.
package struct OutboxMetrics: Sendable {
  /// Orders that Data4Help executed.
  let carriedOut: Counter
  /// Orders that became dead letters.
  let refused: Counter
  /// Pending orders of all processes.
  let waiting: Gauge
  /// Check-in requests sent to runners.
  package let asked: Counter
  /// Events of Data4Help whose effect was stored.
  let consumed: Counter
  /// Events of Data4Help that were skipped because they could not be decoded.
  let unreadable: Counter
  /// Events that became dead letters.
  let deadLettered: Counter
  /// The dead-letter events of all processes.
  let deadLetters: Gauge
  /// Dead-letter events that failed at least `DeadLetters.stuckFrom` times.
  let stuck: Gauge
  /// Dead-letter events that Data4Help deleted before a retry succeeded.
  let lost: Counter

  /// Registers all metrics.
  package init(_ metrics: Metrics) {
    carriedOut = metrics.counter(
      "trackme_outbox_carried_out_total", "Outbox orders that Data4Help executed.")
    refused = metrics.counter(
      "trackme_outbox_refused_total", "Outbox orders that Data4Help refused permanently.")
    waiting = metrics.gauge(
      "trackme_outbox_waiting", "Outbox orders pending in all processes.")
    asked = metrics.counter(
      "trackme_checkins_asked_total", "Check-in requests sent to runners.")
    consumed = metrics.counter(
      "trackme_change_feed_events_total", "Data4Help events whose effect was stored.")
    unreadable = metrics.counter(
      "trackme_change_feed_unreadable_total",
      "Data4Help events skipped because they could not be decoded.")
    deadLettered = metrics.counter(
      "trackme_change_feed_dead_letters_total",
      "Data4Help events moved to the dead-letter table after repeated failures.")
    deadLetters = metrics.gauge(
      "trackme_change_feed_dead_letters_waiting",
      "Data4Help events in the dead-letter table, to be retried.")
    stuck = metrics.gauge(
      "trackme_change_feed_stuck",
      "Data4Help events in the dead-letter table that failed at least eight times.")
    lost = metrics.counter(
      "trackme_change_feed_lost_total",
      "Data4Help events deleted at the source before a retry succeeded.")
  }
}
