import Operations

/// The metrics of streams and deliveries, without a reference to accounts.
package struct EventMetrics: Sendable {
  /// Why the server ended a stream, or the client was lost.
  package enum StreamEnd: String, CaseIterable, Sendable {
    /// The process stops, or the session has ended.
    case stopping
    /// The next events are of a request that was ended.
    case revoked
    /// The client disconnected, or received nothing for the write time-out.
    case client
  }

  /// Streams that are open now.
  let open: Gauge
  /// Events sent to streams and to readers.
  let delivered: Counter
  /// The time from an event's entry into a sequence to its reading for a stream.
  let lag: Histogram
  /// Reads for a stream that found damaged events.
  let unreadable: Counter
  private let ended: [StreamEnd: Counter]

  /// Registers the metrics.
  init(_ metrics: Metrics) {
    open = metrics.gauge("trackme_data4help_streams_open", "Streams of events that are open.")
    delivered = metrics.counter(
      "trackme_data4help_events_delivered_total",
      "Events of third parties' sequences that were read for streams or by number.")
    lag = metrics.histogram(
      "trackme_data4help_event_lag_seconds",
      "Seconds from an event's entry into a sequence to its reading for a stream.")
    unreadable = metrics.counter(
      "trackme_data4help_streams_unreadable_total",
      "Readings for a stream whose next event is corrupt; the stream waits for it.")
    var ended: [StreamEnd: Counter] = [:]
    for reason in StreamEnd.allCases {
      ended[reason] = metrics.counter(
        "trackme_data4help_streams_ended_total", "Streams that have ended, by reason.",
        labels: [MetricLabel("reason", reason.rawValue)])
    }
    self.ended = ended
  }

  /// Counts the end of a stream.
  func end(_ reason: StreamEnd) { ended[reason]?.increment() }
}
