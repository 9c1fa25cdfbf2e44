/// Which side of a connection a session is.
package enum HTTP2Role: Sendable {
  case server
  /// For tests, as a peer of the server that is not ours; programs use `HTTP2ClientSession`.
  case client
}

/// What a session grants its peer, and the limits it enforces.
package struct HTTP2Settings: Sendable {
  /// Concurrent streams of the peer.
  package var streamsMax: UInt32 = 128
  /// Streams that a client opens before it has received the server's limit.
  package var assumedPeerStreamsMax: UInt32 = 100
  /// Flow-control window of a stream: bytes that a peer may send before they are consumed.
  package var streamWindow: Int32 = 64 * 1024
  /// Flow-control window of the connection, in bytes.
  package var connectionWindow: Int32 = 1024 * 1024
  /// Whether bytes that wait for a slow handler use up credit of the whole connection.
  ///
  /// If true, `connectionWindow` limits memory, but a slow stream can block the client's other
  /// streams. If false, the limit is `streamsMax` times the window of a stream, and streams never
  /// block each other, as required for a connection that carries requests of unrelated clients.
  package var waitingBytesHoldConnectionCredit = true
  /// Bytes of a head or trailer, counted as in RFC 9113, section 6.5.2: 32 more per field.
  package var headBytesMax = 32 * 1024
  /// Field lines of a head or trailer.
  package var fieldsMax = 100
  /// Bytes of a request's target.
  package var targetBytesMax = 8 * 1024
  /// High-water mark of a stream's buffered bytes: above it the stream is congested.
  package var outputHighWater = 256 * 1024
  /// Low-water mark of a stream's buffered bytes: at it a congested stream is drained.
  package var outputLowWater = 64 * 1024
  /// High-water mark of a server's buffered response bytes on all streams; above it every stream
  /// with buffered bytes is congested. As many bytes again can be reserved, and each of 128 streams
  /// may receive 4 KiB more: in total `waitingBytesMax`.
  package var waitingBytesHighWater = 256 * 1024
  /// Limit on a server's buffered response bytes on all streams; a stream whose body would exceed
  /// it is reset.
  package var waitingBytesMax = 1024 * 1024
  /// Whether a server ends streams and connections whose peer does not consume buffered bytes
  /// within the write time-out. A full socket always has that limit.
  ///
  /// False between our own processes: the gateway reads a response as slowly as its client does,
  /// and enforces the time-out on the client. If a service enforced it too, a slow client would
  /// lose its response, and one idle client would end the connection that all clients share.
  package var endsUntakenOutput = true
  /// Whether a client leaves the request's number out of the heads of answers, because it knows it.
  package var dropsNumbers = false
  /// HEADERS of one connection that a server handles per turn. Handling a request costs far more
  /// than reading its bytes: without a limit, one read of 64 KiB can delay other clients for
  /// milliseconds.
  package var headsPerTurnMax = 16
  /// Limits on frames without content.
  package var flood = HTTP2FloodLimits()

  /// The settings for external clients.
  package static let `public` = HTTP2Settings()

  /// The settings for connections between our own processes, which carry many clients' requests.
  ///
  /// 256 KiB per stream saturate a link of 2 Gbit/s with 1 ms latency; 1024 streams hold at most
  /// 256 MiB.
  package static let `internal`: HTTP2Settings = {
    var settings = HTTP2Settings()
    // Event streams stay open, one per spectator of a run; they must not delay other requests.
    settings.streamsMax = 32_768
    settings.assumedPeerStreamsMax = 32_768
    settings.streamWindow = 256 * 1024
    settings.connectionWindow = 16 * 1024 * 1024
    settings.waitingBytesHoldConnectionCredit = false
    settings.waitingBytesHighWater = .max
    settings.waitingBytesMax = .max
    settings.endsUntakenOutput = false
    settings.headsPerTurnMax = .max
    settings.flood = HTTP2FloodLimits.internal
    return settings
  }()

  /// The settings of a service for its callers, the gateway and the other services.
  ///
  /// The gateway adds up to 12 fields to a head, such as the caller and its address, and does not
  /// count 32 bytes for each field of HTTP/1.1: a service accepts all heads that the gateway does.
  package static let service: HTTP2Settings = {
    var settings = HTTP2Settings.internal
    settings.headBytesMax = 40 * 1024
    settings.fieldsMax = 128
    return settings
  }()

  /// Default values: the settings for external clients.
  package init() {}
}
