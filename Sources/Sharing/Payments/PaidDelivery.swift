import Accounts
import Domain
import EventLoop
import Postgres
import ServiceKit
import Time

/// Delivers single requests after their payment, or after their price was waived (REQ-7).
struct PaidDelivery: Sendable {
  let environment: Environment
  let notices: Notices
  let events: ThirdPartyEvents

  /// Delivers a locked request; one that is over is not delivered.
  ///
  /// - Returns: Whether it is delivered.
  /// - Throws: `unavailable`.
  func deliver(
    _ row: SingleRequestRow, at now: Instant, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Bool {
    var single = try row.request()
    single.settle(now: now.flooredToMilliseconds)
    do throws(SingleRequestError) { try single.pay() } catch { return false }
    let last = try await RequestAcceptance(environment: environment).appendPaidSamples(
      single, in: transaction)
    var change = ChangeRequest(single, from: .paymentDue)
    if let last { change.relayedSequence = last }
    guard try await transaction.runOne(change) != nil else {
      throw .internalError(because: "A request that was locked did not become paid.")
    }
    try await events.changed(single, in: transaction)
    try await notices.add(RequestNotices.answered(single), in: transaction)
    return true
  }
}
