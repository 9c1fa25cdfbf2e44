import Time

/// The person's restrictions when accepting (R13); nil keeps the requested value.
package struct AcceptanceChoice: Hashable, Sendable {
  /// Fewer types than requested.
  package let types: [DataType]?
  /// A shorter duration than requested.
  package let duration: RequestDuration?

  /// Creates a choice; without arguments, everything requested.
  package init(types: [DataType]? = nil, duration: RequestDuration? = nil) {
    self.types = types
    self.duration = duration
  }
}

extension SingleRequest {
  /// The person accepts, in whole or in part (R13).
  ///
  /// `available` are the person's types that are imported and have a sample; if none of the
  /// accepted ones is among them, the request is `ended` with `noData` (R22). `nextSequence` is the
  /// number of the account's next sample. With `paymentDue` no data is disclosed before `pay`.
  /// Throws `notPending`, also after the time to answer, `typeNotAsked`, `noTypes`,
  /// `durationLongerThanAsked`, `notASubscription` for a duration if none was requested, and for a
  /// check-in `positionLeftOut` and `noPosition` (R48).
  package mutating func accept(
    _ choice: AcceptanceChoice = AcceptanceChoice(), available: DataTypeSet,
    nextSequence: Int64, paymentDue: Bool = false, now: Instant
  ) throws(SingleRequestError) {
    try requirePending(at: now)
    let types = try acceptedTypes(choice)
    try requirePosition(among: types, available: available)
    let acceptance = Acceptance(
      time: now, types: types, endsAt: try end(choice, acceptedAt: now),
      nextSequence: nextSequence)
    if acceptance.types.intersection(available).isEmpty {
      change(to: .ended(now, .noData, acceptance))
    } else if paymentDue {
      change(to: .paymentDue(acceptance))
    } else {
      change(to: .accepted(acceptance))
    }
  }

  /// The person declines (R13).
  ///
  /// Throws `notPending`, also after the time to answer.
  package mutating func decline(now: Instant) throws(SingleRequestError) {
    try requirePending(at: now)
    change(to: .declined(now))
  }

  /// The third party has paid (REQ-7).
  ///
  /// Throws `nothingDue` if no payment was outstanding.
  package mutating func pay() throws(SingleRequestError) {
    guard case .paymentDue(let acceptance) = state else { throw .nothingDue }
    change(to: .accepted(acceptance))
  }

  /// One side ends an accepted request, with or without subscription (R21). The person may end a
  /// check-in also after its run: until then the organiser sees name and email (RUN-9).
  ///
  /// Throws `notRunning` for a request that was not accepted or is over, including by expiry.
  package mutating func end(
    _ reason: EndReason, now: Instant
  ) throws(SingleRequestError) {
    settle(now: now)
    switch state {
    case .accepted(let acceptance), .paymentDue(let acceptance):
      change(to: .ended(now, reason, acceptance))
    case .ended(_, .periodOver, let acceptance) where purpose == .checkIn && reason == .singleUser:
      change(to: .ended(now, reason, acceptance))
    case .pending, .declined, .expired, .ended: throw .notRunning
    }
  }

  /// Applies the transitions due by time: an unanswered request expires (REQ-1), and a subscription
  /// ends. Each takes effect at its own time, however late this is called. Returns true if the
  /// state changed.
  @discardableResult
  package mutating func settle(now: Instant) -> Bool {
    switch state {
    case .pending where now >= expiresAt:
      change(to: .expired(expiresAt))
    case .accepted(let acceptance), .paymentDue(let acceptance):
      guard let endsAt = acceptance.endsAt, now >= endsAt else { return false }
      change(to: .ended(endsAt, .periodOver, acceptance))
    case .pending, .declined, .expired, .ended: return false
    }
    return true
  }

  private func requirePending(at now: Instant) throws(SingleRequestError) {
    guard case .pending = state, now < expiresAt else { throw .notPending }
  }

  private func acceptedTypes(
    _ choice: AcceptanceChoice
  ) throws(SingleRequestError) -> DataTypeSet {
    guard let chosen = choice.types else { return terms.types }
    let types = DataTypeSet(chosen)
    guard !types.isEmpty else { throw .noTypes }
    guard types.isSubset(of: terms.types) else { throw .typeNotAsked }
    return types
  }

  /// Acceptance plus duration, or `to`, whichever is earlier; never before acceptance.
  private func end(
    _ choice: AcceptanceChoice, acceptedAt now: Instant
  ) throws(SingleRequestError) -> Instant? {
    guard terms.subscribing else {
      guard choice.duration == nil else { throw .notASubscription }
      return nil
    }
    if let shorter = choice.duration, let asked = terms.duration, shorter > asked {
      throw .durationLongerThanAsked
    }
    let byDuration = (choice.duration ?? terms.duration).map { now.adding(seconds: $0.seconds) }
    return switch (byDuration, terms.to) {
    case (let end?, let to?): max(min(end, to), now)
    case (let end?, nil): end
    case (nil, let to?): max(to, now)
    case (nil, nil): now
    }
  }
}

/// The reason why a transition of a single request is rejected.
package enum SingleRequestError: DomainError {
  /// It is already answered, or the time to answer is over.
  case notPending
  /// It was not accepted, or is over.
  case notRunning
  /// No payment is outstanding.
  case nothingDue
  /// An accepted type was not requested.
  case typeNotAsked
  /// No type was accepted, which is a `decline`.
  case noTypes
  /// The accepted duration is longer than the requested one.
  case durationLongerThanAsked
  /// A duration was accepted although no subscription was requested.
  case notASubscription
  /// The check-in of a run was accepted without the position.
  case positionLeftOut
  /// The person accepted the check-in of a run but has no position.
  case noPosition

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .notPending: "The request is no longer pending."
    case .notRunning: "The request is not accepted, or is over."
    case .nothingDue: "No payment is due for the request."
    case .typeNotAsked: "Only data types that the request lists can be accepted."
    case .noTypes: "Accept at least one data type, or decline the request."
    case .durationLongerThanAsked: "The accepted duration is at most the requested one."
    case .notASubscription: "The request is not a subscription, so it has no duration."
    case .positionLeftOut: "Checking in to a run needs the position: it can't be left out."
    case .noPosition:
      "Checking in to a run needs the position, and none of yours is available: send one first."
    }
  }
}
