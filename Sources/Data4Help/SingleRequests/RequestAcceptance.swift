import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// The step in which a request becomes an accepted one, whether its person answers now or has
/// accepted in advance.
struct RequestAcceptance: Sendable {
  let surroundings: Surroundings

  /// Accepts, and puts what is stored and available into the third party's sequence (R14, R23).
  ///
  /// The account's samples and the sequence stay locked to the end of the transaction.
  ///
  /// - Throws: 400 for a choice beyond what was asked, 403 where the request is not pending.
  func accept(
    _ single: inout SingleRequest, _ choice: AcceptanceChoice = AcceptanceChoice(),
    in transaction: Transaction<Problem>
  ) async throws(Problem) {
    if single.terms.subscribing {
      try await transaction.run(FollowAccount(account: single.singleUser))
    }
    let present = try await transaction.runOne(AvailableData(account: single.singleUser))
    let available = present?.types ?? .none
    let nextSequence = present?.nextSequence ?? 1
    let now = surroundings.world.now()
    do throws(SingleRequestError) {
      try single.accept(
        choice, available: available, nextSequence: nextSequence, now: now.timestamp)
    } catch {
      throw Self.problem(error)
    }
    guard case .accepted(let acceptance) = single.state, nextSequence > 1 else { return }
    try await transaction.run(
      EnterLog(
        thirdParty: single.thirdParty, requestID: single.id,
        types: acceptance.types.intersection(available), firstAccountSequence: 1,
        count: nextSequence - 1, now: now))
  }

  /// 403 for a request that is unknown, another's or no longer pending: not told apart.
  static let notPending = Problem(
    .forbidden, "Wrong parameters", detail: "No pending request of yours has this reqID.")

  static func problem(_ error: SingleRequestError) -> Problem {
    switch error {
    case .notPending, .notRunning, .nothingDue: notPending
    case .typeNotAsked, .noTypes: .malformed(error, field: "dataTypes")
    case .durationLongerThanAsked, .notASubscription: .malformed(error, field: "duration")
    }
  }
}
