/// Every limit on what a peer may send or make us keep; there is no message without one.
package struct HTTPLimits: Sendable {
  /// Bytes of a request line's target; over it the answer is 414.
  package var targetBytesMax = 8 * 1024
  /// Bytes of a head, from its first line to the empty one; over it the answer is 431.
  package var headBytesMax = 32 * 1024
  /// Field lines of a head; over it the answer is 431.
  package var fieldsMax = 100
  /// Bytes of any body, the contract's import included; over it the answer is 413. What a route
  /// takes is the route's to say, and usually far less.
  package var bodyBytesMax: UInt64 = 4 * 1024 * 1024 * 1024
  /// Bytes of a chunk's size line, extension included.
  package var chunkLineBytesMax = 256
  /// Bytes of all chunk extensions of one body: they are read and ignored, so nobody needs many.
  package var chunkExtensionBytesMax = 4 * 1024
  /// Bytes of the trailer section, which is read and discarded.
  package var trailerBytesMax = 8 * 1024
  /// Empty lines accepted before a request line (RFC 9112, section 2.2).
  package var emptyLinesMax = 1
  /// Requests served on one connection before it is closed.
  package var requestsPerConnectionMax = 1_000_000
  /// Streams of one HTTP/2 connection at the same time.
  package var streamsMax = 128
  /// Connections of one server at the same time; over it the one that has waited longest for a
  /// request makes way, and where none does, new ones wait in the listen queue.
  package var connectionsMax = 20_000
  /// Connections of one address, or one IPv6 network of 64 bits, at the same time; over it new ones
  /// are closed. Unlimited between our own processes.
  package var connectionsPerAddressMax = Int.max
  /// Bytes waiting to be sent on a connection from which on reading and bodies pause.
  package var outputHighWater = 256 * 1024
  /// Bytes waiting to be sent at which they go on.
  package var outputLowWater = 64 * 1024
  /// Bytes of answers that all connections of one server keep until their clients take them; over
  /// it the connection that keeps the most is closed.
  package var waitingBytesMax = 128 * 1024 * 1024
  /// Bytes read ahead of a request that is still being answered (pipelining).
  package var pipelinedBytesMax = 64 * 1024

  /// The limits of the contract.
  package init() {}
}

/// How long each step of a connection may take, on the monotonic clock.
package struct HTTPTimeouts: Sendable {
  /// From accepting to the end of the TLS handshake.
  package var handshake: Duration = .seconds(10)
  /// From the first byte of a head to its end.
  package var head: Duration = .seconds(10)
  /// Between two reads of a body that the handler waits for.
  package var bodyIdle: Duration = .seconds(30)
  /// Bytes a second that a body must come with, beside `bodyIdle` once: without a least rate, a
  /// byte every 29 seconds would hold a connection for ever.
  package var bodyBytesPerSecondMin = 512
  /// A connection before its first request.
  package var firstRequest: Duration = .seconds(75)
  /// An open connection between two requests.
  package var idle: Duration = .seconds(75)
  /// Output waits and the peer takes none of it.
  package var write: Duration = .seconds(30)
  /// From asking the server to stop until what is still open is cut off.
  package var drain: Duration = .seconds(20)
  /// Establishing a client connection.
  package var connect: Duration = .seconds(3)
  /// From a client request's last byte to the head of its response.
  package var response: Duration = .seconds(30)

  /// The usual time-outs.
  package init() {}
}
