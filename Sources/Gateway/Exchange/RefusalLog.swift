import EventLoop
import HTTP
import Operations

/// Logs server errors by cause: a line for the first request, then one a second with the number of
/// further ones. An overload produces thousands a second, and each has its access log line.
package final class RefusalLog {
  private struct Kind: Hashable {
    let status: UInt16
    let cause: String
  }

  private static let every = Duration.seconds(1)

  private let log: Log
  private let loop: EventLoop
  /// Requests of each kind since its last line.
  private var unreported: [Kind: Int] = [:]

  /// Creates a log that writes to `log`.
  package init(_ log: Log, on loop: EventLoop) {
    self.log = log
    self.loop = loop
  }

  /// Records a request that is answered with a server error.
  package func note(_ problem: Problem, of requestID: RequestID, attempts: Int) {
    let kind = Kind(status: problem.status.code, cause: problem.cause ?? "none")
    if unreported[kind] != nil {
      unreported[kind, default: 0] += 1
      return
    }
    unreported[kind] = 0
    log.following(requestID).warning(
      "a request was not served", fields(of: kind) + [.number("attempts", attempts)])
    loop.schedule(after: Self.every) { [self] in report(kind) }
  }

  private func report(_ kind: Kind) {
    guard let count = unreported.removeValue(forKey: kind), count > 0 else { return }
    log.warning("more requests were not served", fields(of: kind) + [.number("requests", count)])
  }

  private func fields(of kind: Kind) -> [LogField] {
    [.number("status", kind.status), .safe("cause", OperatorText(kind.cause))]
  }
}
