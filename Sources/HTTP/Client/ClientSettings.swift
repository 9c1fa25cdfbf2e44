/// How a client connection behaves.
package struct HTTPClientSettings: Sendable {
  /// What is spoken; the server is expected to know (prior knowledge, or ALPN with TLS).
  package enum Version: Sendable, Hashable {
    /// One request at a time; more wait for their turn.
    case http1
    /// Many requests at a time.
    case http2
  }

  /// What is spoken on every connection.
  package var version = Version.http2
  /// TLS with this context, which must offer the version's protocol.
  package var tls: TLSContext?
  /// The name the server's certificate must have; needed with TLS.
  package var serverName: String?
  package var http2 = HTTP2Settings.internal
  package var limits = HTTPLimits()
  package var timeouts = HTTPTimeouts()

  /// HTTP/2 without TLS, as between the gateway and the services.
  package init() {}
}
