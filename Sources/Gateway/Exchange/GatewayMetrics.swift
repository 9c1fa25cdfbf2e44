import Operations

/// The metrics of one endpoint.
final class EndpointMeasures: Sendable {
  private static let classes = ["1xx", "2xx", "3xx", "4xx", "5xx"]
  private let answers: [Counter]
  private let durations: Histogram

  init(_ name: String, _ metrics: Metrics) {
    answers = Self.classes.map { status in
      metrics.counter(
        "trackme_gateway_requests_total", "Requests answered, by endpoint and status class.",
        labels: [MetricLabel("endpoint", name), MetricLabel("status", status)])
    }
    durations = metrics.histogram(
      "trackme_gateway_request_seconds", "Time from a request's head to the end of its response.",
      labels: [MetricLabel("endpoint", name)])
  }

  /// Counts a completed request.
  func record(status: UInt16, duration: Duration) {
    let index = Int(status / 100) - 1
    if answers.indices.contains(index) { answers[index].increment() }
    durations.observe(duration)
  }
}

/// The metrics of the gateway as a whole.
package struct GatewayMetrics: Sendable {
  /// Requests that matched no endpoint.
  let unrouted: EndpointMeasures
  /// Requests for web pages and their files.
  let pages: EndpointMeasures
  /// Requests that clients abandoned before the end of the response.
  package let abandoned: Counter
  /// Requests sent to a replica, and the repetitions among them.
  package let forwarded: Counter
  package let retried: Counter
  /// Requests answered from the cache, without a replica.
  package let kept: Counter
  /// Requests rejected by a rate limit.
  package let limited: Counter
  /// Times a replica was taken out of rotation.
  package let ejections: Counter
  /// Token look-ups in the database because the token was not in memory.
  package let lookups: Counter

  /// Registers the metrics.
  package init(_ metrics: Metrics) {
    unrouted = EndpointMeasures("none", metrics)
    pages = EndpointMeasures("page", metrics)
    abandoned = metrics.counter(
      "trackme_gateway_abandoned_total", "Requests that clients abandoned before their end.")
    forwarded = metrics.counter(
      "trackme_gateway_forwarded_total", "Requests sent to replicas, repetitions included.")
    retried = metrics.counter("trackme_gateway_retried_total", "Requests sent again.")
    kept = metrics.counter(
      "trackme_gateway_kept_total", "Requests answered from the cache, without a replica.")
    limited = metrics.counter(
      "trackme_gateway_limited_total", "Requests rejected by a rate limit.")
    ejections = metrics.counter(
      "trackme_gateway_ejections_total", "Times a replica was taken out of rotation.")
    lookups = metrics.counter(
      "trackme_gateway_lookups_total", "Tokens looked up in the database, not found in memory.")
  }
}
