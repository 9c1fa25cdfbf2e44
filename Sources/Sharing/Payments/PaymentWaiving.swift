import Accounts
import Domain
import EventLoop
import Postgres
import ServiceKit

/// Waives payments if no broker is configured any longer: nothing has a price then, and a waiting
/// request is delivered for free when its third party tries to pay (REQ-7).
struct PaymentWaiving: Sendable {
  let environment: Environment
  let database: Database
  let notices: Notices
  let events: ThirdPartyEvents

  /// Delivers a request for free. Locks the request, then its payment, in the lock order of an
  /// answer.
  ///
  /// - Returns: `conflict`, as for every request for which nothing is due; `notFound` for one that
  ///   is unknown or another's.
  /// - Throws: `unavailable`.
  func waive(
    _ requestID: DataRequestID, of thirdParty: AccountID
  ) async throws(ApplicationError) -> ApplicationError {
    let now = environment.now()
    defer {
      events.announce()
      notices.announce()
    }
    return try await database.transaction { (transaction) throws(ApplicationError) in
      let single = try await transaction.runOne(LockRequest(requestID: requestID))
      let group = try await transaction.runOne(LockGroupRequest(requestID: requestID))
      let lock = LockPayment(requestID: requestID, thirdParty: thirdParty)
      guard let row = try await transaction.runOne(lock) else {
        return try await PaymentRow.nothingDue(requestID, of: thirdParty, in: transaction)
      }
      var isDelivered = row.standing(at: now) == .due
      if isDelivered, let single {
        isDelivered = try await PaidDelivery(
          environment: environment, notices: notices, events: events
        )
        .deliver(single, at: now, in: transaction)
      } else if isDelivered {
        isDelivered = group?.standing(at: now).status == .approved
      }
      guard isDelivered else { return .conflict("Nothing is due for the request.") }
      try await transaction.run(WaivePayment(requestID: requestID))
      return .conflict("Nothing is due for the request: its data has been delivered.")
    }
  }
}
