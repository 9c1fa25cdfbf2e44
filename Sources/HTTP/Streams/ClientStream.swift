/// Receives the response to one request, on the connection's loop.
///
/// The order of calls is `received(head:)`, any number of `received(body:)`, `receivedEnd`.
/// `failed` may replace the rest and is then the last call.
package protocol ResponseHandler: AnyObject {
  /// The head of the final response; 1xx responses are not reported.
  func received(head: consuming ResponseHead)
  /// Part of the body; the bytes are valid only during the call.
  func received(body: Span<UInt8>)
  /// The response is complete.
  func receivedEnd()
  /// The exchange failed; no further part of the response follows.
  func failed(_ failure: StreamFailure)
  /// `bufferedBytes` fell below the low-water mark after exceeding the high-water mark.
  func drained()
}

/// Why a request has no complete response, and how far the exchange had progressed.
package struct StreamFailure: Error, Sendable, Hashable {
  /// The cause of the failure.
  package enum Cause: Sendable, Hashable {
    /// The address refused the connection or cannot be reached, or this process could not make the
    /// socket or its TLS session.
    case connectFailed
    /// The connection was not established within its time-out.
    case connectTimedOut
    /// The connection ended before both sides had agreed on TLS: one of them refused the other, or
    /// the peer closed it, as a server does when its time-out for the handshake expires.
    case handshakeFailed
    /// The connection was lost or closed by the peer.
    case connectionLost
    /// The peer refused or reset this stream.
    case streamReset
    /// A time-out of `HTTPTimeouts` expired.
    case timedOut
    /// The peer's bytes are not valid HTTP, or exceed a limit.
    case malformedResponse
    /// This side is stopping.
    case stopping
  }

  /// The progress of the exchange, which determines whether the request may be retried.
  package enum Progress: Sendable, Hashable, Comparable {
    /// The peer certainly did not process it (not sent, or refused unprocessed): any method may be
    /// retried elsewhere.
    case unprocessed
    /// Bytes were sent, none received: only idempotent requests or those with a key may be retried.
    case sent
    /// The response had begun: no retry is possible.
    case responseBegun
  }

  /// The cause, and the progress of the exchange.
  package var cause: Cause
  package var progress: Progress

  /// A failure with this cause and progress.
  package init(_ cause: Cause, _ progress: Progress) {
    self.cause = cause
    self.progress = progress
  }
}

/// Controls a request that has been started. On its connection's loop only; calls after the end of
/// the exchange are ignored.
package protocol ClientStream: AnyObject {
  /// Bytes sent on this stream that the connection has not yet passed to the kernel.
  var bufferedBytes: Int { get }
  /// Whether the high-water mark is exceeded: wait for `drained` before sending much more.
  var isCongested: Bool { get }
  /// Sends part of the request's body.
  func send(body: Span<UInt8>, endStream: Bool)
  /// Cancels the exchange; the handler is not called again.
  func cancel()
  /// Pauses `received(body:)` until `resumeBody`, so that the peer has to wait.
  func pauseBody()
  /// Withholds flow-control credit from the peer until `resumeBody`. Bytes granted earlier are
  /// still delivered, so that the receiver accounts for them.
  func holdBody()
  /// Sets the flow-control window of the response body to `bytes`.
  func widen(to bytes: Int)
  /// Resumes the body.
  func resumeBody()
}
