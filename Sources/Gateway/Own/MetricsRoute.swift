import HTTP
import Operations

/// The private port's one page.
enum MetricsRoute {
  /// `GET /metrics` as Prometheus reads it.
  static func route(_ metrics: Metrics) -> Route {
    Route(.get, "/metrics") { (_) throws(Problem) in
      Response(
        contentType: "text/plain; version=0.0.4; charset=utf-8",
        bytes: Array(metrics.text().utf8))
    }
  }
}
