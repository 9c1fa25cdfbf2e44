import HTTP
import Operations

/// A router with the steps common to all requests: identifier, admission, log and metrics.
package struct Service: Sendable {
  /// A summary of a completed request.
  package struct Exchange: Sendable {
    /// Its identifier in logs and problems, and its method.
    package var requestID: RequestID
    package var method: HTTPMethod
    /// The route's pattern, which unlike the path contains no personal data, or nil without a
    /// route; and the response's status.
    package var pattern: String?
    package var status: HTTPStatus
    /// From the head of the request to the end of the response.
    package var duration: Duration
    /// Whether the complete response was sent, as far as the server knows.
    package var isWhole: Bool
  }

  /// The routes, and the log.
  package var router: Router
  package var log: Log
  /// Admits or refuses a request by its head, before its body is read; used to check the internal
  /// secret.
  package var admit: @Sendable (RequestHead, PeerAddress) throws(Problem) -> Void = {
    (_, _) throws(Problem) in
  }
  /// Called on the loop when a request has ended; used for metrics and access lines.
  package var exchanged: @Sendable (Exchange) -> Void = { _ in }

  /// A service that admits all requests and reports no exchanges.
  package init(_ router: Router, log: Log) {
    self.router = router
    self.log = log
  }

  /// The handlers for `HTTPServer.start`: each request runs as a separate task on its connection's
  /// loop.
  package var handlers: HTTPServer.HandlerFactory {
    { _ in { ServiceHandler(self) } }
  }
}
