import Operations
import Testing

@Suite("Metrics")
struct MetricsTests {
  @Test("all metrics are written as Prometheus text, sorted by name")
  func text() {
    let metrics = Metrics()
    let requests = metrics.counter(
      "trackme_gateway_requests_total", "Requests answered.",
      labels: [MetricLabel("method", "GET")])
    requests.increment()
    requests.increment(by: 2)
    metrics.gauge("trackme_gateway_connections_count", "Open connections.").add(-4)
    metrics.reading("trackme_gateway_queue_length", "What waits.") { 0.5 }
    #expect(
      metrics.text() == """
        # HELP trackme_gateway_connections_count Open connections.
        # TYPE trackme_gateway_connections_count gauge
        trackme_gateway_connections_count -4
        # HELP trackme_gateway_queue_length What waits.
        # TYPE trackme_gateway_queue_length gauge
        trackme_gateway_queue_length 0.5
        # HELP trackme_gateway_requests_total Requests answered.
        # TYPE trackme_gateway_requests_total counter
        trackme_gateway_requests_total{method="GET"} 3

        """)
  }

  @Test("a histogram counts each duration in all buckets whose inclusive bound it does not exceed")
  func histogram() {
    let metrics = Metrics()
    let histogram = metrics.histogram(
      "trackme_http_request_seconds", "Time to answer.",
      bounds: [.milliseconds(1), .milliseconds(10)])
    for duration in [Duration.milliseconds(1), .microseconds(1001), .seconds(1)] {
      histogram.observe(duration)
    }
    #expect(
      metrics.text().hasSuffix(
        """
        trackme_http_request_seconds_bucket{le="0.001"} 1
        trackme_http_request_seconds_bucket{le="0.01"} 2
        trackme_http_request_seconds_bucket{le="+Inf"} 3
        trackme_http_request_seconds_sum 1.002001
        trackme_http_request_seconds_count 3

        """))
    #expect(histogram.count == 3)
  }

  @Test("the same name and labels return the same counter, other labels another one")
  func identity() {
    let metrics = Metrics()
    let name: StaticString = "trackme_http_errors_total"
    let first = metrics.counter(name, "Errors.", labels: [MetricLabel("kind", "a")])
    let same = metrics.counter(name, "Errors.", labels: [MetricLabel("kind", "a")])
    let other = metrics.counter(name, "Errors.", labels: [MetricLabel("kind", "b")])
    #expect(first === same)
    #expect(first !== other)
  }

  @Test("quotes, backslashes and line feeds in labels are escaped")
  func escaping() {
    let metrics = Metrics()
    _ = metrics.counter("trackme_a_b_total", "x", labels: [MetricLabel("l", "a\"b\\c\nd")])
    #expect(metrics.text().contains(#"{l="a\"b\\c\nd"} 0"#))
  }
}
