import Operations

/// What is counted of one endpoint.
final class EndpointMeasures: Sendable {
  private static let classes = ["1xx", "2xx", "3xx", "4xx", "5xx"]
  private let answers: [Counter]
  private let durations: Histogram

  init(_ name: String, _ metrics: Metrics) {
    answers = Self.classes.map { status in
      metrics.counter(
        "trackme_gateway_requests_total", "Requests answered, by endpoint and class of status.",
        labels: [MetricLabel("endpoint", name), MetricLabel("status", status)])
    }
    durations = metrics.histogram(
      "trackme_gateway_request_seconds", "From the head of a request to the end of its answer.",
      labels: [MetricLabel("endpoint", name)])
  }

  /// Counts a request that is over.
  func record(status: UInt16, duration: Duration) {
    let index = Int(status / 100) - 1
    if answers.indices.contains(index) { answers[index].increment() }
    durations.observe(duration)
  }
}

/// What is counted of the gateway as a whole.
package struct GatewayMetrics: Sendable {
  /// Requests of no endpoint.
  let unrouted: EndpointMeasures
  /// Requests that clients left before their end.
  package let abandoned: Counter
  /// Requests sent to a replica, and those of them that were sent again.
  package let forwarded: Counter
  package let retried: Counter
  /// Requests that got an answer that was kept, without a replica.
  package let kept: Counter
  /// Requests that a limit of rate refused.
  package let limited: Counter
  /// Times a replica was taken out of rotation.
  package let ejections: Counter
  /// Tokens looked up because memory did not have them.
  package let lookups: Counter

  /// Registers everything.
  package init(_ metrics: Metrics) {
    unrouted = EndpointMeasures("none", metrics)
    abandoned = metrics.counter(
      "trackme_gateway_abandoned_total", "Requests that clients left before their end.")
    forwarded = metrics.counter(
      "trackme_gateway_forwarded_total", "Requests sent to replicas, repetitions included.")
    retried = metrics.counter("trackme_gateway_retried_total", "Requests sent again.")
    kept = metrics.counter(
      "trackme_gateway_kept_total", "Requests that got an answer that was kept for a moment.")
    limited = metrics.counter(
      "trackme_gateway_limited_total", "Requests refused by a limit of rate.")
    ejections = metrics.counter(
      "trackme_gateway_ejections_total", "Times a replica was taken out of rotation.")
    lookups = metrics.counter(
      "trackme_gateway_lookups_total", "Tokens looked up because memory did not have them.")
  }
}
