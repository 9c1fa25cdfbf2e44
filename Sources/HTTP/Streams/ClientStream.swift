/// What a client connection calls for one request it carries, on its loop.
///
/// `received(head:)`, any number of `received(body:)` and `receivedEnd` come in this order;
/// `failed` may come instead of the rest, and nothing after it.
package protocol ResponseHandler: AnyObject {
  /// The head of the final response; 1xx responses are not shown.
  func received(head: consuming ResponseHead)
  /// Part of the body; the bytes are valid during the call only.
  func received(body: Span<UInt8>)
  /// The response is complete.
  func receivedEnd()
  /// There will be no (whole) response.
  func failed(_ failure: StreamFailure)
  /// `bufferedBytes` fell under the low-water mark after it had been over the high-water mark.
  func drained()
}

/// Why a request got no whole response, and how far it had come.
package struct StreamFailure: Error, Sendable, Hashable {
  /// What went wrong.
  package enum Cause: Sendable, Hashable {
    /// No connection could be made.
    case connectFailed
    /// The connection was lost or closed by the peer.
    case connectionLost
    /// The peer refused or reset this stream.
    case streamReset
    /// A time-out of `HTTPTimeouts` passed.
    case timedOut
    /// The peer's bytes are not HTTP, or broke a limit.
    case malformedResponse
    /// This side is stopping.
    case stopping
  }

  /// How much of the exchange had happened, which decides who may send it again.
  package enum Progress: Sendable, Hashable, Comparable {
    /// The peer has certainly not acted on it (not sent, or refused unprocessed): any method may
    /// be sent again elsewhere.
    case unprocessed
    /// Bytes were sent, none came back: only what is idempotent or has a key may be repeated.
    case sent
    /// The response had begun: too late.
    case responseBegun
  }

  /// What happened, and how far the request had come.
  package var cause: Cause
  package var progress: Progress

  /// A failure at that point.
  package init(_ cause: Cause, _ progress: Progress) {
    self.cause = cause
    self.progress = progress
  }
}

/// The way to go on with a request that was begun. On its connection's loop only; after the
/// exchange is over all calls are ignored.
package protocol ClientStream: AnyObject {
  /// Bytes that were sent here and that the connection has not yet handed to the kernel.
  var bufferedBytes: Int { get }
  /// Whether the high-water mark was passed: wait for `drained` before sending much more.
  var isCongested: Bool { get }
  /// Sends part of the request's body.
  func send(body: Span<UInt8>, endStream: Bool)
  /// Gives the exchange up; the handler hears nothing more.
  func cancel()
  /// Stops `received(body:)` until `resumeBody`, so that the peer has to wait.
  func pauseBody()
  /// Grants the peer no more bytes until `resumeBody`. Those that it was granted before are still
  /// delivered, so that they are counted where they go.
  func holdBody()
  /// Lets the peer have so many bytes under way from now on.
  func widen(to bytes: Int)
  /// Lets the body go on.
  func resumeBody()
}
