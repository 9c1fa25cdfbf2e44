import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// The step in which a request becomes an accepted one, whether its person answers now or has
/// accepted in advance.
struct RequestAcceptance: Sendable {
  let surroundings: Surroundings

  /// Accepts, and puts what is stored and available into the third party's sequence (R14, R23); of
  /// a request with a price, once it was paid (REQ-7).
  ///
  /// The account's samples and the sequence stay locked to the end of the transaction.
  ///
  /// - Throws: 400 for a choice beyond what was asked, 403 where the request is not pending.
  func accept(
    _ single: inout SingleRequest, _ choice: AcceptanceChoice = AcceptanceChoice(), price: Int64,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    try await follow(single, in: transaction)
    let present = try await transaction.runOne(AvailableData(account: single.singleUser))
    let available = present?.types ?? .none
    let nextSequence = present?.nextSequence ?? 1
    let now = surroundings.world.now()
    do throws(SingleRequestError) {
      try single.accept(
        choice, available: available, nextSequence: nextSequence, paymentDue: price > 0,
        now: now.timestamp)
    } catch {
      throw Self.problem(error)
    }
    switch single.state {
    case .accepted: try await enter(single, available, in: transaction)
    case .paymentDue:
      try await transaction.run(
        MakeDue(requestID: single.id, thirdParty: single.thirdParty, amount: price, now: now))
    case .pending, .declined, .expired, .ended: break
    }
  }

  /// Puts what was stored at acceptance, and is available now, into the third party's sequence: the
  /// request was paid.
  func enterPaid(
    _ single: SingleRequest, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    try await follow(single, in: transaction)
    let present = try await transaction.runOne(AvailableData(account: single.singleUser))
    try await enter(single, present?.types ?? .none, in: transaction)
  }

  private func follow(
    _ single: SingleRequest, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    guard single.terms.subscribing else { return }
    try await transaction.run(FollowAccount(account: single.singleUser))
  }

  /// What is stored before a run lies before its check-in's period, and is not looked at.
  private func enter(
    _ single: SingleRequest, _ available: DataTypeSet, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    guard single.purpose == .data, let acceptance = single.acceptance,
      acceptance.nextSequence > 1
    else { return }
    try await transaction.run(
      EnterLog(
        thirdParty: single.recipient, requestID: single.id,
        types: acceptance.types.intersection(available), firstAccountSequence: 1,
        count: acceptance.nextSequence - 1, now: surroundings.world.now()))
  }

  /// 403 for a request that is unknown, another's or no longer pending: not told apart.
  static let notPending = ApplicationError(
    .forbidden, detail: "No pending request of yours has this reqID.")

  static func problem(_ error: SingleRequestError) -> ApplicationError {
    switch error {
    case .notPending, .notRunning, .nothingDue: notPending
    case .typeNotAsked, .noTypes, .positionLeftOut, .noPosition:
      .invalid(error, field: "dataTypes")
    case .durationLongerThanAsked, .notASubscription: .invalid(error, field: "duration")
    }
  }
}
