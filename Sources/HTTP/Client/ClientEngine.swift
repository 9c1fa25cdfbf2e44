import EventLoop

/// The protocol of one client connection; the mirror of `ServerEngine`.
protocol ClientEngine: AnyObject {
  /// Requests that can be sent now without waiting for one another.
  var room: Int { get }
  /// Requests that are not over.
  var streamCount: Int { get }
  /// Sends a request; its handler hears of everything after this returns.
  func send(
    _ head: RequestHead, endStream: Bool, handler: any ResponseHandler
  ) -> any ClientStream
  /// Bytes came from the peer.
  func receive(_ bytes: Span<UInt8>)
  /// The peer will send nothing more.
  func inputEnded()
  /// The output fell under the low-water mark after it had been over the high-water mark.
  func outputDrained()
  /// The turn ends: write what is to go out with it.
  func willFlush()
  /// Fails the requests whose time is up.
  func inspect(at now: MonotonicInstant)
  /// Finish what is under way, then close.
  func shutDown()
  /// The connection is gone; tell every handler.
  func connectionLost(_ cause: StreamFailure.Cause)
}

/// What an engine needs of the connection it runs on.
protocol ClientEngineHost: AnyObject {
  var loop: EventLoop { get }
  var limits: HTTPLimits { get }
  var timeouts: HTTPTimeouts { get }
  var outputCount: Int { get }
  var isCongested: Bool { get }
  /// Whether the peer was ever reached: before that nothing can have been processed.
  var wasOpen: Bool { get }
  func write(_ append: (inout [UInt8]) -> Void)
  func planFlush()
  /// Sends what is left and closes.
  func close()
  /// Closes at once, because of `cause`.
  func abort(_ cause: StreamFailure.Cause)
  func setReading(_ isReading: Bool)
  /// A request is over, or the peer allows more of them.
  func roomChanged()
}

/// How long a request has waited for its response, or for more of it.
///
/// It keeps the beginning and adds the limit when it is asked, which is rare: arithmetic with
/// `Duration` costs more than the rest of a clock's work.
struct ResponseClock {
  private var begin: MonotonicInstant
  private var limit: Duration
  private var unsentBefore = 0

  /// The request begins to be sent.
  init(_ timeouts: HTTPTimeouts, now: MonotonicInstant) {
    begin = now
    limit = timeouts.response
  }

  /// Part of the request went out or part of the response came.
  mutating func progressed(_ limit: Duration, now: MonotonicInstant) {
    begin = now
    self.limit = limit
  }

  /// As long as the peer takes more of the request, nobody can expect a response.
  mutating func noticeUnsent(_ bytes: Int, _ limit: Duration, now: MonotonicInstant) {
    if bytes != unsentBefore { progressed(limit, now: now) }
    unsentBefore = bytes
  }

  func isExpired(at now: MonotonicInstant) -> Bool { begin + limit <= now }
}
