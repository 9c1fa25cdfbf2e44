import EventLoop
import Time

/// The protocol of one client connection; the counterpart of `ServerEngine`.
protocol ClientEngine: AnyObject {
  /// The number of further requests that can be sent now without waiting.
  var room: Int { get }
  /// The number of requests in progress.
  var streamCount: Int { get }
  /// Whether the peer refuses further requests on this connection (GOAWAY).
  var isPeerGoingAway: Bool { get }
  /// Sends a request; its handler is called only after this returns.
  func send(
    _ head: RequestHead, endStream: Bool, handler: any ResponseHandler
  ) -> any ClientStream
  /// Sends a request whose head is prepared; its handler is called only after this returns.
  func send(
    _ request: borrowing PreparedRequest, endStream: Bool, handler: any ResponseHandler
  ) -> any ClientStream
  /// Processes bytes from the peer.
  func receive(_ bytes: Span<UInt8>)
  /// The peer will send nothing more.
  func inputEnded()
  /// The output fell below the low-water mark after exceeding the high-water mark.
  func outputDrained()
  /// The turn ends: write the output that should be sent with it.
  func willFlush()
  /// Fails the requests whose time-outs have expired.
  func inspect(at now: MonotonicInstant)
  /// Complete the requests in progress, then close.
  func shutDown()
  /// The connection is lost: notify every handler.
  func connectionLost(_ cause: StreamFailure.Cause)
}

/// The connection as seen by its engine.
protocol ClientEngineHost: AnyObject {
  var loop: EventLoop { get }
  var limits: HTTPLimits { get }
  var timeouts: HTTPTimeouts { get }
  var outputCount: Int { get }
  var isCongested: Bool { get }
  /// Whether the connection was ever established; otherwise no request can have been processed.
  var wasOpen: Bool { get }
  func write(_ append: (inout [UInt8]) -> Void)
  func planFlush()
  /// Sends the remaining output and closes.
  func close()
  /// Closes immediately, because of `cause`.
  func abort(_ cause: StreamFailure.Cause)
  func setReading(_ isReading: Bool)
  /// A request has ended, or the peer allows more requests.
  func roomChanged()
}

/// Measures how long a request has waited for its response, or for more of it.
///
/// It stores the start and adds the limit only when checked, which is rare: arithmetic with
/// `Duration` is the most expensive part.
struct ResponseClock {
  private var begin: MonotonicInstant
  private var limit: Duration
  private var unsentBefore = 0

  /// Starts when the request is sent.
  init(_ timeouts: HTTPTimeouts, now: MonotonicInstant) {
    begin = now
    limit = timeouts.response
  }

  /// Restarts when part of the request was sent or part of the response arrived.
  mutating func progressed(_ limit: Duration, now: MonotonicInstant) {
    begin = now
    self.limit = limit
  }

  /// Restarts while the peer still accepts bytes of the request: no response is due before its end.
  mutating func noticeUnsent(_ bytes: Int, _ limit: Duration, now: MonotonicInstant) {
    if bytes != unsentBefore { progressed(limit, now: now) }
    unsentBefore = bytes
  }

  func isExpired(at now: MonotonicInstant) -> Bool { begin + limit <= now }
}
