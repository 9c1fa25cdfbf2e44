/// The settings of a client connection.
package struct HTTPClientSettings: Sendable {
  /// The HTTP version, which the server must support (prior knowledge, or ALPN with TLS).
  package enum Version: Sendable, Hashable {
    /// One request at a time; further ones wait in a queue.
    case http1
    /// Concurrent requests.
    case http2
  }

  /// The HTTP version of every connection.
  package var version = Version.http2
  /// The TLS context, which must offer the version's protocol; nil for plain text.
  package var tls: TLSContext?
  /// A source of such contexts instead: each new connection uses the context that is current then.
  package var followedTLS: CurrentTLSContext?
  /// The name required in the server's certificate, needed with TLS; then limits and time-outs.
  package var serverName: String?
  package var http2 = HTTP2Settings.internal
  package var limits = HTTPLimits()
  package var timeouts = HTTPTimeouts()

  /// Creates the defaults: HTTP/2 without TLS, as between the gateway and the services.
  package init() {}

  /// The TLS context of a new connection.
  var currentTLS: TLSContext? { followedTLS?.value ?? tls }
}
