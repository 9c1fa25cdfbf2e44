import EventLoop
import HTTP
import Operations

/// What could not be served, by its cause: a line for the first request, and one a second for how
/// many more there were. An overload refuses thousands a second, and each has its access line.
package final class RefusalLog {
  private struct Kind: Hashable {
    let status: UInt16
    let cause: String
  }

  private static let every = Duration.seconds(1)

  private let log: Log
  private let loop: EventLoop
  /// Requests since the line of their kind.
  private var untold: [Kind: Int] = [:]

  /// Lines in this log.
  package init(_ log: Log, on loop: EventLoop) {
    self.log = log
    self.loop = loop
  }

  /// Notes a request that is answered with a problem of ours.
  package func note(_ problem: Problem, of requestID: RequestID, attempts: Int) {
    let kind = Kind(status: problem.status.code, cause: problem.cause ?? "none")
    if untold[kind] != nil {
      untold[kind, default: 0] += 1
      return
    }
    untold[kind] = 0
    log.following(requestID).warning(
      "a request was not served", fields(of: kind) + [.number("attempts", attempts)])
    loop.schedule(after: Self.every) { [self] in tell(kind) }
  }

  private func tell(_ kind: Kind) {
    guard let count = untold.removeValue(forKey: kind), count > 0 else { return }
    log.warning("more requests were not served", fields(of: kind) + [.number("requests", count)])
  }

  private func fields(of kind: Kind) -> [LogField] {
    [.number("status", kind.status), .safe("cause", OperatorText(kind.cause))]
  }
}
