/// What the user may narrow when accepting (R13); nil keeps what was asked for.
package struct AcceptanceChoice: Hashable, Sendable {
  /// Fewer types than asked for.
  package let types: [DataType]?
  /// A shorter time than asked for.
  package let duration: RequestDuration?

  /// A choice; without arguments, everything asked for.
  package init(types: [DataType]? = nil, duration: RequestDuration? = nil) {
    self.types = types
    self.duration = duration
  }
}

extension SingleRequest {
  /// The user accepts, in whole or in part (R13).
  ///
  /// `available` are the user's types that are imported and have a sample: where none of the
  /// accepted ones is among them the request is `ended` with `noData` (R22). `nextSequence` is the
  /// number the account's next sample will get. With `paymentDue` nothing is handed out before
  /// `pay`. Throws `notPending`, also past the answer time, `typeNotAsked`, `noTypes`,
  /// `durationLongerThanAsked`, `notASubscription` for a duration where none was asked for, and for
  /// a check-in `positionLeftOut` and `noPosition` (R48).
  package mutating func accept(
    _ choice: AcceptanceChoice = AcceptanceChoice(), available: DataTypeSet,
    nextSequence: Int64, paymentDue: Bool = false, now: Timestamp
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

  /// The user declines (R13).
  ///
  /// Throws `notPending`, also past the answer time.
  package mutating func decline(now: Timestamp) throws(SingleRequestError) {
    try requirePending(at: now)
    change(to: .declined(now))
  }

  /// The third party has paid (REQ-7).
  ///
  /// Throws `nothingDue` where no payment was waited for.
  package mutating func pay() throws(SingleRequestError) {
    guard case .paymentDue(let acceptance) = state else { throw .nothingDue }
    change(to: .accepted(acceptance))
  }

  /// A side ends an accepted request, a subscription or not (R21). The user ends a check-in also
  /// after its run: until then the organiser sees name and email (RUN-9).
  ///
  /// Throws `notRunning` for one that was not accepted or is over, also by its time.
  package mutating func end(
    _ reason: EndReason, now: Timestamp
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

  /// Does what time alone does: expires an unanswered request (REQ-1), ends a subscription whose
  /// time is over; each at its own moment, however late this is called. True if it changed.
  @discardableResult
  package mutating func settle(now: Timestamp) -> Bool {
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

  private func requirePending(at now: Timestamp) throws(SingleRequestError) {
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

  /// Acceptance + duration, or `to`, whichever is first; never before acceptance.
  private func end(
    _ choice: AcceptanceChoice, acceptedAt now: Timestamp
  ) throws(SingleRequestError) -> Timestamp? {
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

/// Why a step in the life of a single request is refused.
package enum SingleRequestError: DomainError {
  /// It was answered before, or its answer time is over.
  case notPending
  /// It was not accepted, or is over.
  case notRunning
  /// No payment is waited for.
  case nothingDue
  /// The accepted types are not among those asked for.
  case typeNotAsked
  /// Nothing was accepted: that is a `decline`.
  case noTypes
  /// The accepted duration is longer than the one asked for.
  case durationLongerThanAsked
  /// A duration was accepted where no subscription was asked for.
  case notASubscription
  /// The check-in of a run was accepted without the position.
  case positionLeftOut
  /// The check-in of a run was accepted by somebody without any position.
  case noPosition

  /// What is wrong, as a sentence.
  package var description: String {
    switch self {
    case .notPending: "The request is no longer pending."
    case .notRunning: "The request is not accepted, or is over."
    case .nothingDue: "No payment is due for the request."
    case .typeNotAsked: "Only data types that the request lists can be accepted."
    case .noTypes: "Accepting needs at least one data type; to give none, decline."
    case .durationLongerThanAsked: "The accepted duration is at most the one asked for."
    case .notASubscription: "The request is no subscription, so that it has no duration."
    case .positionLeftOut: "Checking in to a run needs the position: it can't be left out."
    case .noPosition:
      "Checking in to a run needs the position, and none of yours is available: send one first."
    }
  }
}
