import Operations

/// What is counted of live runs; nothing of whose they are.
struct LiveMetrics: Sendable {
  /// Streams of spectators that are open now.
  let open: Gauge
  /// Runs that this process follows.
  let followed: Gauge
  /// Pictures that were made.
  let pictures: Counter
  /// Rows of what runners shared that were counted.
  let rows: Counter
  /// Runners whose data was read again as a whole.
  let replays: Counter

  /// Registers everything.
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
