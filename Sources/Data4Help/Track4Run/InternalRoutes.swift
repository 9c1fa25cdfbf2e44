import HTTP
import JSON
import Services

/// What Data4Help serves to Track4Run (`InternalPath`). One per loop.
///
/// No account calls here: that the caller is one of our own processes was checked before any route
/// was looked for (`Service.inner`), and no path of these is in the gateway's table.
package struct InternalRoutes: Sendable {
  private let sending: CheckInSending
  private let withdrawing: CheckInWithdrawing

  /// Routes of one loop.
  package init(_ surroundings: Surroundings, directory: AccountDirectory) {
    sending = CheckInSending(surroundings: surroundings, directory: directory)
    withdrawing = CheckInWithdrawing(surroundings: surroundings)
  }

  /// The rows of the route table.
  package var all: [Route] {
    [
      Route(.post, InternalPath.requests, handler: send),
      Route(.post, InternalPath.ends, handler: withdraw),
    ]
  }

  private func send(_ request: Request) async throws(Problem) -> Response {
    .json(of: try await sending.send(try request.payload(CheckInBatch.self)))
  }

  private func withdraw(_ request: Request) async throws(Problem) -> Response {
    try await withdrawing.withdraw(try request.payload(CheckInEnds.self))
    return .message("Action successful")
  }
}
