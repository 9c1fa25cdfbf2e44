/// Which side of a connection a session is.
package enum HTTP2Role: Sendable {
  case server
  case client
}

/// What a session grants its peer and what it puts up with.
package struct HTTP2Settings: Sendable {
  /// Streams the peer may have open at the same time.
  package var streamsMax: UInt32 = 128
  /// Streams that a client opens before it has read the server's own limit.
  package var assumedPeerStreamsMax: UInt32 = 100
  /// Bytes a peer may send on a stream before they are delivered to its handler.
  package var streamWindow: Int32 = 64 * 1024
  /// Bytes a peer may send on all streams together.
  package var connectionWindow: Int32 = 1024 * 1024
  /// Whether bytes that wait for a slow handler take from the credit of the whole connection.
  ///
  /// Yes bounds memory by `connectionWindow`, and a client whose own streams wait for one
  /// another. No bounds it by `streamsMax` windows of a stream, and the streams of a connection
  /// that carries strangers' requests never wait for one another.
  package var waitingBytesHoldConnectionCredit = true
  /// Bytes of a head or trailer as RFC 9113 counts them (section 6.5.2: 32 more per field).
  package var headBytesMax = 32 * 1024
  /// Field lines of a head or trailer.
  package var fieldsMax = 100
  /// Bytes of a request's target.
  package var targetBytesMax = 8 * 1024
  /// Bytes waiting on a stream from which on it is congested.
  package var outputHighWater = 256 * 1024
  /// Bytes waiting on a stream at which a congested one is drained.
  package var outputLowWater = 64 * 1024
  /// Bytes of a server's answers waiting on all streams together, from which on each stream is
  /// congested that has any.
  package var waitingBytesHighWater = 384 * 1024
  /// Bytes of a server's answers waiting on all streams together; a stream whose body would add
  /// more is reset.
  package var waitingBytesMax = 1024 * 1024
  /// Whether a server ends streams and connections whose waiting bytes the peer does not take
  /// within the time to write. A full socket has that limit in any case.
  ///
  /// No between our own processes: the gateway reads an answer as slowly as its client does and
  /// holds its client to the time. Were a service to count as well, a slow client would lose its
  /// answer, and one idle client would end the connection that all clients share.
  package var endsUntakenOutput = true
  /// HEADERS of one connection that a server handles at a time. A request costs far more than its
  /// bytes: without a limit, one read of 64 KiB can hold up other clients for milliseconds.
  package var headsPerTurnMax = 16
  /// What is tolerated of frames that make work without use.
  package var flood = HTTP2FloodLimits()

  /// For clients from outside.
  package static let `public` = HTTP2Settings()

  /// For connections between our own processes, which carry many clients' requests.
  ///
  /// Their heads are compressed like others': the library Huffman-codes literals that are in no
  /// table, which costs more than a table lookup. 256 KiB a stream keep a link of 1 ms busy at 2
  /// Gbit/s; 1024 streams hold 256 MiB at the very worst.
  package static let `internal`: HTTP2Settings = {
    var settings = HTTP2Settings()
    // Streams of events stay open: each spectator of a run has one, and delays no other requests.
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

  /// The settings for clients from outside.
  package init() {}
}
