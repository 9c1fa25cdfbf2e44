import EventLoop
import Operations

/// A router with what surrounds every request: identifier, admission, log and measurement.
package struct Service: Sendable {
  /// What is known about a request once it is over.
  package struct Exchange: Sendable {
    /// Under which it stands in logs and problems, and what was asked.
    package var requestID: RequestID
    package var method: HTTPMethod
    /// The route's pattern, which unlike the path holds nobody's data; nil if there was no route.
    package var pattern: String?
    package var status: HTTPStatus
    /// From the head of the request to the end of the answer.
    package var duration: Duration
    /// Whether the client got the whole answer, as far as one can know.
    package var isWhole: Bool
  }

  /// What answers, and where it is written down.
  package var router: Router
  package var log: Log
  /// Says by a request's head whether it is taken at all, before its body is read: the place to
  /// check the internal secret.
  package var admit: @Sendable (RequestHead, PeerAddress) throws(Problem) -> Void = {
    (_, _) throws(Problem) in
  }
  /// Called on the loop when a request is over: the place to count and to write an access line.
  package var exchanged: @Sendable (Exchange) -> Void = { _ in }

  /// A service without admission and measurement.
  package init(_ router: Router, log: Log) {
    self.router = router
    self.log = log
  }

  /// For `HTTPServer.start`: each request runs as a task of its own on its connection's loop.
  package var handlers: HTTPServer.HandlerFactory {
    { _ in { ServiceHandler(self) } }
  }
}
