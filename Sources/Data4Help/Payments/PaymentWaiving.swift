import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// Requests that wait for a payment where nobody takes payments any more: nothing has a price then,
/// and what waits is delivered for nothing once its third party asks to pay (REQ-7).
struct PaymentWaiving: Sendable {
  let surroundings: Surroundings

  /// Delivers a request for nothing. Locks the request, then its payment, as answering does.
  ///
  /// - Returns: 409, as for every request for which nothing is due; 404 for one that is unknown or
  ///   another's.
  /// - Throws: 503.
  func waive(
    _ requestID: DataRequestID, of thirdParty: AccountID
  ) async throws(Problem) -> Problem {
    let now = surroundings.world.now()
    defer {
      surroundings.events.announce()
      surroundings.notices.announce()
    }
    return try await surroundings.database.transaction { (transaction) throws(Problem) in
      let single = try await transaction.runOne(LockRequest(requestID: requestID))
      _ = try await transaction.runOne(LockGroupRequest(requestID: requestID))
      let lock = LockPayment(requestID: requestID, thirdParty: thirdParty)
      guard let row = try await transaction.runOne(lock) else {
        return try await PaymentRoutes.nothingDue(requestID, of: thirdParty, in: transaction)
      }
      guard row.standing == .due else { return .wrongState("Nothing is due for the request.") }
      if let single {
        try await PaymentConfirming(surroundings: surroundings, .none)
          .release(single, at: now, in: transaction)
      }
      try await transaction.run(WaivePayment(requestID: requestID))
      return .wrongState("Nothing is due for the request any more: it is delivered.")
    }
  }
}
