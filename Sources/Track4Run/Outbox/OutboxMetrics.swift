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
      "trackme_outbox_carried_out_total", "Orders of Track4Run that Data4Help carried out.")
    refused = metrics.counter(
      "trackme_outbox_refused_total", "Orders of Track4Run that Data4Help refused for good.")
    waiting = metrics.gauge(
      "trackme_outbox_waiting", "Orders of Track4Run that wait, whichever process sends them.")
    asked = metrics.counter(
      "trackme_checkins_asked_total", "Runners who were asked to check in.")
    followed = metrics.counter(
      "trackme_following_events_total", "Events of Data4Help whose effect was stored.")
    unreadable = metrics.counter(
      "trackme_following_unreadable_total",
      "Events of Data4Help that were passed over since they can't be read.")
    setAside = metrics.counter(
      "trackme_following_set_aside_total",
      "Events of Data4Help that failed for themselves and were set aside.")
    aside = metrics.gauge(
      "trackme_following_aside", "Events of Data4Help that are set aside and tried again.")
    stuck = metrics.gauge(
      "trackme_following_stuck",
      "Events of Data4Help that are set aside and fail again and again.")
    lost = metrics.counter(
      "trackme_following_lost_total",
      "Events of Data4Help that were set aside until they were kept no longer.")
  }
}
