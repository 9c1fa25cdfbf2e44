/// What a single request is for.
package enum SingleRequestPurpose: Hashable, Sendable {
  /// A third party's own: what it gives is handed to the third party.
  case data
  /// The check-in of a run, asked on behalf of its organiser (R39 to R42): what it gives is handed
  /// to Track4Run.
  case checkIn
}

extension SingleRequest {
  /// The check-in request of a runner: position and every available type, from the run's start to
  /// its end (R41, R42).
  ///
  /// It can be answered until the start: who has not by then is no longer in the run (R49). Throws
  /// `periodEmpty` unless the start comes before the end and lies after `now`.
  package static func checkIn(
    _ id: DataRequestID, of singleUser: AccountID, onBehalfOf organiser: AccountID,
    available: DataTypeSet, startsAt: Timestamp, endsAt: Timestamp, now: Timestamp
  ) throws(SingleRequestTermsError) -> SingleRequest {
    guard startsAt > now, startsAt < endsAt else { throw .periodEmpty }
    return SingleRequest(
      stored: id, for: .checkIn, thirdParty: organiser, singleUser: singleUser,
      terms: SingleRequestTerms(
        stored: available.union(DataTypeSet([.position])), subscribing: true, duration: nil,
        from: startsAt, to: endsAt),
      createdAt: now, expiresAt: startsAt, state: .pending)
  }

  /// Track4Run takes a check-in request back: an unanswered one can't be answered any more, an
  /// accepted one is ended. False where it is over already, also by its time.
  @discardableResult
  package mutating func withdraw(now: Timestamp) -> Bool {
    settle(now: now)
    switch state {
    case .pending: change(to: .expired(now))
    case .accepted(let acceptance), .paymentDue(let acceptance):
      change(to: .ended(now, .thirdParty, acceptance))
    case .declined, .expired, .ended: return false
    }
    return true
  }

  /// Nobody checks in without the position (R48).
  ///
  /// Throws `positionLeftOut` where it is not accepted, and `noPosition` where there is none that
  /// could be handed out.
  func requirePosition(
    among accepted: DataTypeSet, available: DataTypeSet
  ) throws(SingleRequestError) {
    guard purpose == .checkIn else { return }
    guard accepted.contains(.position) else { throw .positionLeftOut }
    guard available.contains(.position) else { throw .noPosition }
  }
}
