import EventLoop

/// The protocol of one server connection: it turns bytes into calls of request handlers and
/// answers into bytes. Engines know no socket, no buffer and no timer; those are the host's.
package protocol ServerEngine: AnyObject {
  /// Bytes came from the peer.
  func receive(_ bytes: Span<UInt8>)
  /// The peer will send nothing more.
  func inputEnded()
  /// The output fell under the low-water mark after it had been over the high-water mark.
  func outputDrained()
  /// The turn ends: write what is to go out with it.
  func willFlush()
  /// The time for the present phase is up.
  func timedOut(_ phase: ConnectionPhase)
  /// Finish what is under way, take nothing new, then close.
  func stop()
  /// Bytes of answers that the engine keeps until the peer's windows let them go.
  var waitingBytes: Int { get }
  /// The connection is gone; tell every handler.
  func connectionLost(_ reason: StreamAbort)
}

/// What a connection waits for, which decides how long.
package enum ConnectionPhase: Sendable, Hashable {
  /// For the end of the TLS handshake.
  case handshake
  /// For the first byte of a request.
  case idle
  /// For the rest of a head.
  case head
  /// For more of a body.
  case body
  /// For a handler: no time-out but the handler's own.
  case answering
}

/// What an engine needs of the connection it runs on.
package protocol ServerEngineHost: AnyObject {
  var loop: EventLoop { get }
  var peer: PeerAddress { get }
  var isSecure: Bool { get }
  var limits: HTTPLimits { get }
  var timeouts: HTTPTimeouts { get }
  /// Bytes written and not yet handed to the kernel.
  var outputCount: Int { get }
  /// Whether `outputCount` went over the high-water mark and has not yet been under the low one.
  var isCongested: Bool { get }
  /// The value of the Date field for now.
  var date: [UInt8] { get }
  /// Appends output and sees to it that it is sent at the end of the turn.
  func write(_ append: (inout [UInt8]) -> Void)
  /// Sees to `willFlush` at the end of this turn.
  func planFlush()
  /// Sends what is left and closes. With `lingering`, input that is still on its way is read and
  /// dropped first, since a reset would destroy the answer before the peer has read it.
  func close(lingering: Bool)
  /// Notes that the peer was cut off for a flood.
  func flooded()
  /// Closes at once, so that the peer sees a broken connection.
  func abort()
  /// Says what the connection waits for now; the time for it starts at this moment.
  func enter(_ phase: ConnectionPhase)
  /// Bytes of a body came: the time for more starts anew, within the least rate.
  func bodyProgressed(_ bytes: Int)
  /// Whether to read from the peer.
  func setReading(_ isReading: Bool)
  /// The handler of a new request.
  func makeHandler() -> any RequestHandler
}
