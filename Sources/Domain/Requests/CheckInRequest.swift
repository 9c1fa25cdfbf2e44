import Time

/// The purpose of a single request.
package enum SingleRequestPurpose: Hashable, Sendable {
  /// A third party's own request: the third party receives the data.
  case data
  /// The check-in to a run on behalf of its organiser (R39 to R42): Track4Run receives the data.
  case checkIn
}

extension SingleRequest {
  /// The check-in request for a runner: position and every available type, from the run's start to
  /// its end (R41, R42).
  ///
  /// It can be answered until the start; a runner who has not answered by then leaves the run
  /// (R49). Throws `periodEmpty` unless the start is before the end and after `now`.
  package static func checkIn(
    _ id: DataRequestID, of singleUser: AccountID, onBehalfOf organiser: AccountID,
    available: DataTypeSet, startsAt: Instant, endsAt: Instant, now: Instant
  ) throws(SingleRequestTermsError) -> SingleRequest {
    guard startsAt > now, startsAt < endsAt else { throw .periodEmpty }
    return SingleRequest(
      stored: id, for: .checkIn, thirdParty: organiser, singleUser: singleUser,
      terms: SingleRequestTerms(
        stored: available.union(DataTypeSet([.position])), subscribing: true, duration: nil,
        from: startsAt, to: endsAt),
      createdAt: now, expiresAt: startsAt, state: .pending)
  }

  /// Withdraws a check-in request for Track4Run: an unanswered one can no longer be answered, an
  /// accepted one is ended. Returns false if it is already over, including by expiry.
  @discardableResult
  package mutating func withdraw(now: Instant) -> Bool {
    settle(now: now)
    switch state {
    case .pending: change(to: .expired(now))
    case .accepted(let acceptance), .paymentDue(let acceptance):
      change(to: .ended(now, .thirdParty, acceptance))
    case .declined, .expired, .ended: return false
    }
    return true
  }

  /// A check-in requires the position (R48).
  ///
  /// Throws `positionLeftOut` if it is not accepted, and `noPosition` if no position is available.
  func requirePosition(
    among accepted: DataTypeSet, available: DataTypeSet
  ) throws(SingleRequestError) {
    guard purpose == .checkIn else { return }
    guard accepted.contains(.position) else { throw .positionLeftOut }
    guard available.contains(.position) else { throw .noPosition }
  }
}
