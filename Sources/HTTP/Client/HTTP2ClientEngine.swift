import EventLoop
import Time

/// HTTP/2 on a client's connection: connects a session to its socket.
final class HTTP2ClientEngine: ClientEngine, HTTP2ClientSessionDelegate {
  /// A reference cycle, broken when the host releases its engine at the end of the connection.
  private let host: any ClientEngineHost
  private let session: HTTP2ClientSession
  private var isClosed = false

  init(host: any ClientEngineHost, settings: HTTP2Settings) {
    self.host = host
    session = HTTP2ClientSession(
      on: host.loop, settings: settings, timeouts: host.timeouts,
      bodyBytesMax: host.limits.bodyBytesMax)
    session.delegate = self
  }

  var room: Int { session.room }

  var streamCount: Int { session.streamCount }

  var isPeerGoingAway: Bool { session.isPeerGoingAway }

  func send(
    _ head: RequestHead, endStream: Bool, handler: any ResponseHandler
  ) -> any ClientStream {
    session.send(head, endStream: endStream, handler: handler)
  }

  func send(
    _ request: borrowing PreparedRequest, endStream: Bool, handler: any ResponseHandler
  ) -> any ClientStream {
    session.send(request, endStream: endStream, handler: handler)
  }

  func receive(_ bytes: Span<UInt8>) { session.receive(bytes) }

  func outputAppeared() { host.planFlush() }

  func roomChanged() { host.roomChanged() }

  func willFlush() { pull() }

  func outputDrained() { pull() }

  /// Passes the output on. Before the connection is established, requests wait in the session, so
  /// that none of them counts as sent.
  private func pull() {
    guard host.wasOpen else { return }
    // Before the loop, which sends output that the events cause.
    session.reportEvents()
    while !isClosed, !host.isCongested, session.hasOutput {
      let before = host.outputCount
      host.write { session.pullOutput(into: &$0) }
      session.reportEvents()
      if host.outputCount == before { break }
    }
    if session.isFinished, !session.hasOutput { close() }
  }

  func inspect(at now: MonotonicInstant) { session.inspect(at: now) }

  func shutDown() {
    session.shutDown()
    // Also closes a connection that has no requests and no output.
    host.planFlush()
  }

  func inputEnded() { close() }

  private func close() {
    guard !isClosed else { return }
    isClosed = true
    host.close()
    session.connectionLost(.connectionLost)
  }

  func connectionLost(_ cause: StreamFailure.Cause) {
    isClosed = true
    session.connectionLost(cause)
  }
}
