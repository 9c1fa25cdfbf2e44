import EventLoop

/// How a server behaves.
package struct HTTPServerSettings: Sendable {
  /// How much a client may send, and how long it may take.
  package var limits = HTTPLimits()
  package var timeouts = HTTPTimeouts()
  /// What HTTP/2 clients are granted; `.internal` for services behind the gateway.
  package var http2 = HTTP2Settings.public
  /// Where time and chance come from.
  package var world = World.system
  /// Whether HTTP/2 without TLS is spoken to clients that begin with its preface.
  package var acceptsPlainHTTP2 = true

  /// The usual behaviour.
  package init() {}
}
