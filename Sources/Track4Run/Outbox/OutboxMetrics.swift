import Operations

/// What is counted of the conversation with Data4Help; nothing of whom it is about.
struct OutboxMetrics: Sendable {
  /// Orders that Data4Help carried out.
  let carriedOut: Counter
  /// Orders that were set aside.
  let refused: Counter
  /// Orders that wait, whichever process will send them.
  let waiting: Gauge
  /// Runners who were asked to check in.
  let asked: Counter
  /// Events of Data4Help's sequence whose effect was stored.
  let followed: Counter
  /// Events of Data4Help's sequence that were passed over.
  let unreadable: Counter
  /// Events that were set aside, to be tried again.
  let setAside: Counter
  /// Events that are set aside, whichever process follows.
  let aside: Gauge
  /// Those of them that have failed again and again.
  let stuck: Gauge
  /// Events that were set aside until Data4Help kept them no longer.
  let lost: Counter

  /// Registers everything.
  init(_ metrics: Metrics) {
    carriedOut = metrics.counter(
      "trackme_outbox_carried_out_total", "Outbox orders that Data4Help executed.")
    refused = metrics.counter(
      "trackme_outbox_refused_total", "Outbox orders that Data4Help refused permanently.")
    waiting = metrics.gauge(
      "trackme_outbox_waiting", "Outbox orders pending in all processes.")
    asked = metrics.counter(
      "trackme_checkins_asked_total", "Check-in requests sent to runners.")
    followed = metrics.counter(
      "trackme_following_events_total", "Data4Help events whose effect was stored.")
    unreadable = metrics.counter(
      "trackme_following_unreadable_total",
      "Data4Help events skipped because they could not be decoded.")
    setAside = metrics.counter(
      "trackme_following_set_aside_total",
      "Data4Help events moved to the dead-letter table after repeated failures.")
    aside = metrics.gauge(
      "trackme_following_aside", "Data4Help events in the dead-letter table, to be retried.")
    stuck = metrics.gauge(
      "trackme_following_stuck",
      "Data4Help events in the dead-letter table that failed at least eight times.")
    lost = metrics.counter(
      "trackme_following_lost_total",
      "Data4Help events deleted at the source before a retry succeeded.")
  }
}
