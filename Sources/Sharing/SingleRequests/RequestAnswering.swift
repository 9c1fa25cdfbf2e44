import Accounts
import Domain
import EventLoop
import Mail
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// The person's answer (R13), and the end by either side (R21): the transitions of a request.
///
/// Each locks the request, applies the domain's rules, and updates the row if its status is
/// unchanged: of concurrent transitions one succeeds, and the others find the new status.
struct RequestAnswering: Sendable {
  let environment: Environment
  let effects: IdempotentEffects
  let notices: Notices
  let events: ThirdPartyEvents
  let revocations: Revocations

  /// Accepts or declines, also in part. An inactive account accepts check-ins only: third parties
  /// receive nothing from it until it is active again (REQ-9).
  func answer(_ request: Request, _ identity: Identity) async throws(ApplicationError) -> Response {
    let payload = try request.payload(AnswerRequestBody.self)
    defer { events.announce() }
    return try await effects.run(request, for: identity.account) {
      (transaction) throws(ApplicationError) in
      // Before the request, as a change of the state and a deletion do.
      let isActive = try await transaction.runOne(HoldAccountState(account: identity.account))
      let lock = LockRequestOfSingleUser(
        requestID: payload.requestID, account: identity.account)
      guard let row = try await transaction.runOne(lock) else { throw RequestAcceptance.notPending }
      var single = try row.request()
      switch payload.choice {
      case .decline: try decline(&single)
      case .accept:
        try await RequestAcceptance(environment: environment).accept(
          &single, AcceptanceChoice(types: payload.types, duration: payload.duration),
          price: row.priceCents, in: transaction)
        // After the errors of the request itself; nothing of the acceptance is committed.
        guard isActive == true || single.purpose == .checkIn else { throw Self.inactive }
      }
      try await store(
        single, from: row.status, orElse: RequestAcceptance.notPending, in: transaction)
      try await events.changed(single, in: transaction)
      try await notices.add(RequestNotices.answered(single), in: transaction)
      return .message("Action successful")
    }
  }

  private static let inactive = ApplicationError.conflict(
    "The account is inactive: activate it to accept the request, or decline it.")

  private func decline(_ single: inout SingleRequest) throws(ApplicationError) {
    do throws(SingleRequestError) {
      try single.decline(now: environment.now().flooredToMilliseconds)
    } catch {
      throw RequestAcceptance.problem(error)
    }
  }

  /// The third party ends it: samples already in its sequence stay downloadable.
  func endByThirdParty(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    try await end(request, identity, .thirdParty) {
      (requestID, transaction) throws(ApplicationError) in
      try await transaction.runOne(
        LockRequestOfThirdParty(requestID: requestID, thirdParty: identity.account))
    }
  }

  /// The person ends it: after this response no further data is delivered.
  func endBySingleUser(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let response = try await end(request, identity, .singleUser) {
      (requestID, transaction) throws(ApplicationError) in
      try await transaction.runOne(
        LockRequestOfSingleUser(requestID: requestID, account: identity.account))
    }
    try await revocations.revoke([
      try request.payload(RequestIdentifierBody.self).requestID
    ])
    return response
  }

  private func end(
    _ request: Request, _ identity: Identity, _ reason: SingleRequest.EndReason,
    lock: (DataRequestID, Transaction<ApplicationError>) async throws(ApplicationError) ->
      SingleRequestRow?
  ) async throws(ApplicationError) -> Response {
    let payload = try request.payload(RequestIdentifierBody.self)
    defer { events.announce() }
    return try await effects.run(request, for: identity.account) {
      (transaction) throws(ApplicationError) in
      try await transaction.run(
        HoldDeliveries(requestID: payload.requestID, account: identity.account))
      guard let row = try await lock(payload.requestID, transaction) else { throw .notFound }
      var single = try row.request()
      do throws(SingleRequestError) {
        try single.end(reason, now: environment.now().flooredToMilliseconds)
      } catch {
        throw .conflict(error.description)
      }
      try await store(single, from: row.status, orElse: .conflict(), in: transaction)
      if reason == .singleUser {
        try await transaction.run(DeleteMails(account: nil, requestIDs: [single.id]))
      }
      try await events.changed(single, in: transaction)
      try await notices.add(RequestNotices.ended(single, reason), in: transaction)
      return .message("Action successful")
    }
  }

  private func store(
    _ single: SingleRequest, from status: StoredStatus, orElse problem: ApplicationError,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let change = ChangeRequest(single, from: status)
    guard try await transaction.runOne(change) != nil else { throw problem }
  }
}
