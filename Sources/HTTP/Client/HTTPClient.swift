import EventLoop
import Time

/// Why a request of `HTTPClient` has no response.
package enum HTTPClientError: Error, Sendable, Hashable {
  /// The exchange failed; `progress` determines whether the request may be retried.
  case failed(StreamFailure)
  /// The body exceeds the caller's limit.
  case bodyTooLarge
  /// The task was cancelled.
  case cancelled
}

/// A response with its body collected.
package struct HTTPClientResponse: Sendable {
  /// Status and fields, and the complete body.
  package var head: ResponseHead
  package var body: [UInt8]
}

/// Sends requests to one server and collects the responses. It opens one connection on demand, and
/// a new one after a loss or after half of the idle time-out. From any thread; the work runs on its
/// loop.
// SAFETY: `connection` is used only on the loop, by closures passed to `execute`.
package final class HTTPClient: @unchecked Sendable {
  private let address: SocketAddress
  private let loop: EventLoop
  private let settings: HTTPClientSettings
  private var connection: ClientConnection?
  /// When the last request was sent.
  private var sentAt = MonotonicInstant.zero

  /// Creates a client without opening a connection.
  package init(
    to address: SocketAddress, on loop: EventLoop,
    settings: HTTPClientSettings = HTTPClientSettings()
  ) {
    self.address = address
    self.loop = loop
    self.settings = settings
  }

  /// Sends a request and waits for its whole response, of at most `bodyBytesMax`. With a limit the
  /// exchange fails if it is not complete by then, also before the time-outs of the settings.
  ///
  /// - Throws: `HTTPClientError`; requests are never retried.
  package func send(
    _ head: RequestHead, body: [UInt8] = [], bodyBytesMax: Int = 1024 * 1024,
    within limit: Duration? = nil
  ) async throws(HTTPClientError) -> HTTPClientResponse {
    let collector = ResponseCollector(bodyBytesMax: bodyBytesMax)
    let result: Result<HTTPClientResponse, HTTPClientError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        loop.execute { [self] in
          collector.begin(continuation) { begin(head, body, collector) }
          if let limit { collector.expire(after: limit, on: loop) }
        }
      }
    } onCancel: {
      loop.execute { collector.cancel() }
    }
    return try result.get()
  }

  /// Closes the connection when the requests in progress have ended.
  package func shutDown() {
    loop.execute { [self] in
      connection?.shutDown()
      connection = nil
    }
  }

  private func begin(
    _ head: RequestHead, _ body: [UInt8], _ collector: ResponseCollector
  ) -> any ClientStream {
    var head = head
    if !body.isEmpty {
      head.contentLength = UInt64(body.count)
      head.hasBody = true
    }
    let stream = usable().send(head, endStream: body.isEmpty, handler: collector)
    if !body.isEmpty { stream.send(body: body.span, endStream: true) }
    return stream
  }

  private func usable() -> ClientConnection {
    defer { sentAt = loop.now }
    if let connection {
      switch connection.state {
      case .connecting, .open:
        guard isOutdated(connection) || connection.isPeerGoingAway else { return connection }
        connection.shutDown()
      case .draining, .closed: break
      }
    }
    let fresh = ClientConnection(to: address, on: loop, settings: settings)
    connection = fresh
    return fresh
  }

  /// Whether the server may be closing the connection because it is idle: a request sent meanwhile
  /// would be lost, and its client could not tell whether the server has acted on it.
  private func isOutdated(_ connection: ClientConnection) -> Bool {
    connection.streamCount == 0 && loop.now - sentAt > settings.timeouts.idle / 2
  }
}

/// Collects one response for a waiting task.
// SAFETY: after `init` used only on the client's loop.
private final class ResponseCollector: ResponseHandler, @unchecked Sendable {
  private let bodyBytesMax: Int
  private var continuation: CheckedContinuation<Result<HTTPClientResponse, HTTPClientError>, Never>?
  private var stream: (any ClientStream)?
  private var head: ResponseHead?
  private var body: [UInt8] = []
  private var isCancelled = false
  private var timer: LoopTimer?

  init(bodyBytesMax: Int) { self.bodyBytesMax = bodyBytesMax }

  func begin(
    _ continuation: CheckedContinuation<Result<HTTPClientResponse, HTTPClientError>, Never>,
    send: () -> any ClientStream
  ) {
    self.continuation = continuation
    if isCancelled { return end(.failure(.cancelled)) }
    stream = send()
  }

  /// Fails the exchange after this time unless it has ended.
  func expire(after limit: Duration, on loop: EventLoop) {
    guard continuation != nil else { return }
    timer = loop.schedule(after: limit) { [self] in
      stream?.cancel()
      end(.failure(.failed(StreamFailure(.timedOut, head == nil ? .sent : .responseBegun))))
    }
  }

  func cancel() {
    isCancelled = true
    stream?.cancel()
    end(.failure(.cancelled))
  }

  func received(head: ResponseHead) { self.head = head }

  func received(body: Span<UInt8>) {
    guard self.body.count + body.count <= bodyBytesMax else {
      stream?.cancel()
      return end(.failure(.bodyTooLarge))
    }
    self.body.append(copying: body)
  }

  func receivedEnd() {
    guard let head else { return }
    end(.success(HTTPClientResponse(head: head, body: body)))
  }

  func failed(_ failure: StreamFailure) { end(.failure(.failed(failure))) }

  func drained() {}

  private func end(_ outcome: Result<HTTPClientResponse, HTTPClientError>) {
    let continuation = continuation
    self.continuation = nil
    stream = nil
    timer?.cancel()
    timer = nil
    continuation?.resume(returning: outcome)
  }
}
