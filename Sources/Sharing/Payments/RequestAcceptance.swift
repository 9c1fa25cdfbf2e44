import Domain
import EventLoop
import Postgres
import ServiceKit
import Time

/// Accepts a request, whether its person answers now or has accepted in advance.
///
/// It is in this folder, and not beside `RequestAnswering`, because it stores due payments and
/// `PaidDelivery` continues it, and folders have no cycles.
struct RequestAcceptance: Sendable {
  let environment: Environment

  /// Accepts, and appends the stored, available samples to the third party's sequence (R14, R23);
  /// for a request with a price, only after its payment (REQ-7).
  ///
  /// The account's samples and the sequence stay locked to the end of the transaction. The caller
  /// holds the state of the account, which is active unless the request is a check-in.
  ///
  /// - Throws: `invalid` for a choice beyond the request, `forbidden` if the request is not
  ///   pending.
  func accept(
    _ single: inout SingleRequest, _ choice: AcceptanceChoice = AcceptanceChoice(), price: Int64,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    try await markSubscribed(single, in: transaction)
    let present = try await transaction.runOne(AvailableData(account: single.singleUser))
    let available = present?.types ?? .none
    let nextSequence = present?.nextSequence ?? 1
    let now = environment.now()
    do throws(SingleRequestError) {
      try single.accept(
        choice, available: available, nextSequence: nextSequence, paymentDue: price > 0,
        now: now.flooredToMilliseconds)
    } catch {
      throw Self.problem(error)
    }
    switch single.state {
    case .accepted: try await appendStoredSamples(single, available, in: transaction)
    case .paymentDue:
      try await transaction.run(
        MakeDue(requestID: single.id, thirdParty: single.thirdParty, amount: price, now: now))
    case .pending, .declined, .expired, .ended: break
    }
  }

  /// Appends the samples stored before acceptance that are available now to the third party's
  /// sequence, after the payment; of a subscription also the later ones, without those that were
  /// stored while the account was inactive (REQ-9).
  ///
  /// - Returns: The number of the last sample that was considered, after which the relay continues;
  ///   nil if there is none since acceptance.
  func appendPaidSamples(
    _ single: SingleRequest, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Int64? {
    try await markSubscribed(single, in: transaction)
    let present = try await transaction.runOne(AvailableData(account: single.singleUser))
    try await appendStoredSamples(single, present?.types ?? .none, in: transaction)
    guard single.terms.subscribing, let acceptance = single.acceptance, let present,
      present.nextSequence > acceptance.nextSequence
    else { return nil }
    try await transaction.run(
      EnterShownSamples(
        thirdParty: single.recipient, requestID: single.id, types: acceptance.types,
        from: acceptance.nextSequence, to: present.nextSequence, now: environment.now()))
    return present.nextSequence - 1
  }

  private func markSubscribed(
    _ single: SingleRequest, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    guard single.terms.subscribing else { return }
    try await transaction.run(MarkSubscribed(account: single.singleUser))
  }

  /// Appends the samples stored before acceptance to the third party's sequence. A check-in has
  /// none: its period begins with the run.
  private func appendStoredSamples(
    _ single: SingleRequest, _ available: DataTypeSet, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    guard single.purpose == .data, let acceptance = single.acceptance,
      acceptance.nextSequence > 1
    else { return }
    try await transaction.run(
      EnterLog(
        thirdParty: single.recipient, requestID: single.id,
        types: acceptance.types.intersection(available), firstAccountSequence: 1,
        count: acceptance.nextSequence - 1, now: environment.now()))
  }

  /// `forbidden` for a request that is unknown, another's or not pending, which are
  /// indistinguishable.
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
