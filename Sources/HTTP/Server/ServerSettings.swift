import EventLoop

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

  /// The default settings.
  package init() {}
}
