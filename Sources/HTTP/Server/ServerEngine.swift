import EventLoop

/// The protocol of one server connection: converts bytes to calls of request handlers, and
/// responses to bytes. Sockets, buffers and timers belong to the host.
package protocol ServerEngine: AnyObject {
  /// Processes bytes from the peer.
  func receive(_ bytes: Span<UInt8>)
  /// The peer will send nothing more.
  func inputEnded()
  /// The output fell below the low-water mark after exceeding the high-water mark.
  func outputDrained()
  /// The turn ends: write the output that should be sent with it.
  func willFlush()
  /// The time-out of the current phase has expired.
  func timedOut(_ phase: ConnectionPhase)
  /// Refuse new requests, finish those in progress, then close.
  func stop()
  /// Bytes of responses that are buffered until the peer's flow-control windows open.
  var waitingBytes: Int { get }
  /// Resets responses that their clients take slowest until `bytes` are freed, or one response if
  /// all are fresh, if the connection carries requests of many clients. Returns how many it reset;
  /// 0 if the connection must be closed instead.
  func shed(_ bytes: Int) -> Int
  /// The connection is lost: notify every handler.
  func connectionLost(_ reason: StreamAbort)
}

/// The event that a connection waits for, which determines its time-out.
package enum ConnectionPhase: Sendable, Hashable {
  /// For the end of the TLS handshake.
  case handshake
  /// For the first byte of a request.
  case idle
  /// For the rest of a head.
  case head
  /// For more of a body.
  case body
  /// For a handler, which has its own time-out.
  case answering
}

/// The connection as seen by its engine.
package protocol ServerEngineHost: AnyObject {
  var loop: EventLoop { get }
  var peer: PeerAddress { get }
  var isSecure: Bool { get }
  var limits: Shared<HTTPLimits> { get }
  var timeouts: Shared<HTTPTimeouts> { get }
  /// Bytes written but not yet passed to the kernel.
  var outputCount: Int { get }
  /// Whether `outputCount` has exceeded the high-water mark and not yet fallen below the low-water
  /// mark.
  var isCongested: Bool { get }
  /// The current value of the Date field.
  var date: [UInt8] { get }
  /// Appends output, which is sent at the end of the turn.
  func write(_ append: (inout [UInt8]) -> Void)
  /// Schedules `willFlush` for the end of this turn.
  func planFlush()
  /// Sends the remaining output and closes. With `lingering`, input in transit is read and dropped
  /// first, since a reset would destroy the response before the peer has read it.
  func close(lingering: Bool)
  /// Records that the connection is closed because of a flood.
  func flooded()
  /// Closes with a reset, so that the peer detects a broken connection.
  func abort()
  /// Enters a phase and starts its time-out.
  func enter(_ phase: ConnectionPhase)
  /// Bytes of a body arrived: restarts the idle time-out, subject to the minimum rate.
  func bodyProgressed(_ bytes: Int)
  /// Delivers the input that has arrived since the turn began.
  func readInput()
  /// Whether to read from the peer.
  func setReading(_ isReading: Bool)
  /// Creates the handler of a new request.
  func makeHandler() -> any RequestHandler
}
