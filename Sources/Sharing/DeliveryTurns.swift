import Domain
import EventLoop
import ServiceKit

/// The turns of a loop's deliveries: one batch is read or encoded at a time, third parties in turn.
///
/// A batch holds one of the loop's few connections for writes while it is read, and reading and
/// encoding it keep the loop busy. Further batches wait without a connection, so that uploads, ends
/// of requests and the watch of revocations find one, however much a third party downloads. No turn
/// is held while a client receives.
package struct DeliveryTurns: Sendable {
  /// The most batches of a third party that wait before the first of another download is refused.
  package static let waitingOfAccountMax = 8
  /// The seconds after which a refused client may try again.
  private static let retryAfter = 2

  private let limiter: LoopBound<ConcurrencyLimiter>

  /// The turns of this loop.
  package init(on loop: EventLoop) {
    limiter = LoopBound(
      ConcurrencyLimiter(waitingOfAccountMax: Self.waitingOfAccountMax), on: loop)
  }

  /// The number of waiting batches. On the loop.
  package var waiting: Int { limiter.value.waiting }

  /// Runs `body`, which reads or encodes a batch, when it is the third party's turn. A download
  /// that `hasBegun` is never refused its next turn, because its response could only be cut.
  ///
  /// - Throws: `rateLimited` if too many batches of the third party wait, also when another one
  ///   takes the place of its latest; `unavailable` if too many of all wait or the client has
  ///   disconnected; and the errors of `body`.
  package func run<Value>(
    for thirdParty: AccountID, hasBegun: Bool = false,
    _ body: () async throws(ApplicationError) -> Value
  ) async throws(ApplicationError) -> Value {
    let limiter = limiter.value
    if hasBegun {
      await limiter.enterAgain(.deliveries, for: thirdParty)
    } else {
      do throws(ConcurrencyLimiter.Refusal) {
        try await limiter.enter(.deliveries, for: thirdParty)
      } catch {
        switch error {
        case .accountIsFull:
          throw .rateLimited(
            "Too many of your downloads are waiting already", retryAfter: Self.retryAfter)
        case .classIsFull: throw .unavailable(retryAfter: Self.retryAfter)
        }
      }
    }
    defer { limiter.leave() }
    // The client may have disconnected while its batch waited.
    guard !Task.isCancelled else { throw .unavailable() }
    return try await body()
  }
}
