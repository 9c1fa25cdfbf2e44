import Operations

/// Metrics of live runs, without personal data.
struct LiveMetrics: Sendable {
  /// Open spectator streams.
  let open: Gauge
  /// Runs that this process follows.
  let followed: Gauge
  /// Pictures computed.
  let pictures: Counter
  /// Rows of runner data that were counted.
  let rows: Counter
  /// Runners whose data was reread completely.
  let replays: Counter

  /// Registers all metrics.
  init(_ metrics: Metrics) {
    open = metrics.gauge(
      "trackme_track4run_spectators_open", "Open spectator streams.")
    followed = metrics.gauge("trackme_track4run_runs_followed", "Runs that this process follows.")
    pictures = metrics.counter(
      "trackme_track4run_pictures_total", "Live pictures computed.")
    rows = metrics.counter(
      "trackme_track4run_live_rows_total", "Rows of runner data applied to followed runs.")
    replays = metrics.counter(
      "trackme_track4run_replays_total", "Runners whose data was reread completely.")
  }
}
