import Time

/// All limits on what a peer may send or make us store; they apply to every message.
package struct HTTPLimits: Sendable {
  /// Bytes of a request line's target; a longer one is answered with 414.
  package var targetBytesMax = 8 * 1024
  /// Bytes of a head, from its first line to the empty line; a longer one is answered with 431.
  package var headBytesMax = 32 * 1024
  /// Field lines of a head; more are answered with 431.
  package var fieldsMax = 100
  /// Bytes of any body, including the imports of the API contract; a longer one is answered with
  /// 413. Each route sets its own limit, usually far lower.
  package var bodyBytesMax: UInt64 = 4 * 1024 * 1024 * 1024
  /// Bytes of a chunk's size line, extension included.
  package var chunkLineBytesMax = 256
  /// Bytes of all chunk extensions of one body; they are read and ignored.
  package var chunkExtensionBytesMax = 4 * 1024
  /// Bytes of the trailer section, which is read and discarded.
  package var trailerBytesMax = 8 * 1024
  /// Empty lines accepted before a request line (RFC 9112, section 2.2).
  package var emptyLinesMax = 1
  /// Requests served on one connection before it is closed.
  package var requestsPerConnectionMax = 1_000_000
  /// Concurrent streams of one HTTP/2 connection.
  package var streamsMax = 128
  /// Concurrent connections of one server. At the limit a new connection replaces the one that has
  /// been idle longest and has received its responses; if there is none, new ones stay in the
  /// listen queue.
  package var connectionsMax = 20_000
  /// Concurrent connections of one IPv4 address or one IPv6 /64 network; further ones are closed.
  /// Unlimited between our own processes.
  package var connectionsPerAddressMax = Int.max
  /// High-water mark of a connection's output, in bytes: reading and bodies pause above it.
  package var outputHighWater = 256 * 1024
  /// Low-water mark of a connection's output, in bytes: reading and bodies resume below it.
  package var outputLowWater = 64 * 1024
  /// Bytes of responses buffered on all connections of one server; above it the connection with the
  /// largest buffer is closed, or at a service the responses on it that are read slowest are reset.
  package var waitingBytesMax = 128 * 1024 * 1024
  /// Bytes of pipelined requests that are read while an earlier request is being answered.
  package var pipelinedBytesMax = 64 * 1024

  /// The limits of the API contract.
  package init() {}

  /// Reduces `connectionsMax`, so that the connections fit into the descriptors that the process
  /// has for them. Without a descriptor no connection could be accepted to replace an idle one, and
  /// no file opened. At least one connection remains.
  package mutating func limitConnections(descriptors: Int) {
    connectionsMax = min(connectionsMax, max(1, descriptors))
  }
}

/// A value that many objects refer to. Copies of the limits and time-outs in the three objects of a
/// connection were half of their memory, and spread the rest over more cache lines.
package final class Shared<Value: Sendable>: Sendable {
  /// The shared value.
  package let value: Value

  /// Shares a value.
  package init(_ value: Value) { self.value = value }
}

/// Time limits for each step of a connection, on the monotonic clock.
package struct HTTPTimeouts: Sendable {
  /// From accepting to the end of the TLS handshake.
  package var handshake: Duration = .seconds(10)
  /// From the first byte of a head to its end.
  package var head: Duration = .seconds(10)
  /// Between two reads of a body that the handler is reading.
  package var bodyIdle: Duration = .seconds(30)
  /// Minimum rate of a body in bytes per second, after an allowance of one `bodyIdle`. Without it,
  /// a byte every 29 seconds would hold a connection for ever.
  package var bodyBytesPerSecondMin = 512
  /// From opening a connection to its first request.
  package var firstRequest: Duration = .seconds(75)
  /// Between two requests of a connection.
  package var idle: Duration = .seconds(75)
  /// While output is pending and the peer accepts none of it.
  package var write: Duration = .seconds(30)
  /// At a full server: how long the client of an idle connection may leave bytes unreceived before
  /// the connection is closed for another client.
  package var receiving: Duration = .seconds(10)
  /// From the request to stop the server until the remaining connections are closed.
  package var drain: Duration = .seconds(20)
  /// From the request to stop the server until an HTTP/1.1 connection without a request is closed.
  /// A request that arrives within this time is answered with `Connection: close`.
  package var lastRequest: Duration = .seconds(4)
  /// Establishing a client connection.
  package var connect: Duration = .seconds(3)
  /// From a client request's last byte to the head of its response.
  package var response: Duration = .seconds(30)

  /// The default time-outs.
  package init() {}

  /// The least bytes that a client must acknowledge or read within `write`: the minimum rate of a
  /// body for its whole seconds, at least 1.
  package var takenBytesMin: Int {
    let seconds = Int(max(0, write.wholeNanoseconds) / 1_000_000_000)
    return max(1, seconds * bodyBytesPerSecondMin)
  }
}
