import EventLoop
import Operations

/// The settings of a server.
package struct HTTPServerSettings: Sendable {
  /// Limits and time-outs for clients.
  package var limits = HTTPLimits()
  package var timeouts = HTTPTimeouts()
  /// Settings of HTTP/2 sessions; `.internal` for services behind the gateway.
  package var http2 = HTTP2Settings.public
  /// Clocks and randomness.
  package var environment = Environment.system
  /// Whether HTTP/2 without TLS is accepted from clients that begin with its preface.
  package var acceptsPlainHTTP2 = true
  /// Reports and counts the responses that were reset, and the connections that were closed, at
  /// `limits.waitingBytesMax`.
  package var log = Log.none
  package var shedResponses: Counter?

  /// The default settings.
  package init() {}

  /// Reports resets at the limit of memory to this log, and counts them.
  package mutating func reportShedding(to log: Log, _ metrics: Metrics) {
    self.log = log
    shedResponses = metrics.counter(
      "trackme_http_responses_shed_total", "Responses that were reset at the limit of memory.")
  }
}
