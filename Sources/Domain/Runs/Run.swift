import Time

/// A run for its organiser: its terms and its state.
package struct Run: Hashable, Sendable {
  /// The run's number.
  package let id: Int64
  /// The third party that created the run (R37).
  package let organiser: AccountID
  /// The start and the end.
  package let times: RunTimes
  /// The deadline for enrolment.
  package let enrolUntil: Instant
  /// The limit of participants.
  package let participantsMax: Int32
  /// The number of enrolled runners.
  package let enrolled: Int32
  /// Whether it has a path, and therefore a code; only then is it listed.
  package let isPublished: Bool
  /// Whether it was cancelled.
  package let isCancelled: Bool
  /// The version of the clauses; nil without clauses.
  package let clausesVersion: Int32?

  /// Creates a run from its parts.
  package init(
    id: Int64, organiser: AccountID, times: RunTimes, enrolUntil: Instant,
    participantsMax: Int32, enrolled: Int32, isPublished: Bool, isCancelled: Bool,
    clausesVersion: Int32? = nil
  ) {
    self.clausesVersion = clausesVersion
    self.id = id
    self.organiser = organiser
    self.times = times
    self.enrolUntil = enrolUntil
    self.participantsMax = participantsMax
    self.enrolled = enrolled
    self.isPublished = isPublished
    self.isCancelled = isCancelled
  }

  /// Whether it is in the public list (R43).
  package var isListed: Bool { isPublished && !isCancelled }
}

/// The public state of a listed run; the raw value is the API's `state`.
package enum RunState: String, Hashable, Sendable, CaseIterable {
  /// It has not started.
  case open
  /// It is in progress.
  case live
  /// It is over.
  case ended

  /// The state at `now` of a run with this start and end.
  package init(startsAt: Instant, endsAt: Instant, now: Instant) {
    self = now < startsAt ? .open : now < endsAt ? .live : .ended
  }
}

// MARK: Permissions (R46, RUN-2, RUN-3)

extension Run {
  /// The reason why a runner cannot join now; nil if they can.
  ///
  /// `others` are the runner's other enrolments, without runs that are over or cancelled;
  /// `accepted` is the version of the clauses that the runner accepts.
  package func refusal(
    ofJoiningBy runner: AccountID, whoIsEnrolled: Bool, in others: [RunTimes],
    accepting accepted: Int32? = nil, now: Instant
  ) -> JoinRefusal? {
    if !isListed { return .notListed }
    if runner == organiser { return .ownRun }
    if whoIsEnrolled { return .joinedAlready }
    if times.hasBegun(at: now) { return .begun }
    if now >= enrolUntil { return .enrolmentClosed }
    if others.contains(where: times.overlaps) { return .overlapsAnother }
    if enrolled >= participantsMax { return .full }
    if let clausesVersion, clausesVersion != accepted {
      return accepted == nil ? .clausesNotAccepted : .clausesChanged
    }
    return nil
  }

  /// The reason why terms and path cannot be changed now; nil if they can.
  package func refusalOfChange(now: Instant) -> RunChangeRefusal? {
    if isCancelled { return .cancelled }
    if times.isOver(at: now) { return .over }
    if times.hasBegun(at: now) { return .begun }
    return nil
  }

  /// The reason why the run cannot be cancelled now; nil if it can, also while in progress.
  package func refusalOfCancelling(now: Instant) -> RunChangeRefusal? {
    if isCancelled { return .cancelled }
    return times.isOver(at: now) ? .over : nil
  }
}

extension Run {
  /// The reason why runners cannot be invited now; nil if they can, also while the run is in
  /// progress.
  package func refusalOfInviting(now: Instant) -> RunInvitationRefusal? {
    if !isListed { return .notListed }
    return times.isOver(at: now) ? .over : nil
  }
}

/// The reason why runners cannot be invited to a run.
package enum RunInvitationRefusal: DomainError, CaseIterable {
  /// It has no path yet, or was cancelled.
  case notListed
  /// It is over.
  case over

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .notListed: "The run is not in the public list."
    case .over: "The run is over."
    }
  }
}

/// The reason why a runner cannot join a run; the description is the API's `detail`.
package enum JoinRefusal: DomainError, CaseIterable {
  /// The run does not exist, has no path yet, or was cancelled.
  case notListed
  /// The limit of participants is reached.
  case full
  /// It has started.
  case begun
  /// The deadline for enrolment has passed.
  case enrolmentClosed
  /// The runner is already enrolled.
  case joinedAlready
  /// The account is the organiser of the run.
  case ownRun
  /// The runner is enrolled in another run at that time.
  case overlapsAnother
  /// The run has clauses, and the runner accepted none.
  case clausesNotAccepted
  /// The runner accepted another version of the clauses than the current one.
  case clausesChanged

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .notListed: "There is no such run in the list."
    case .full: "The run is full."
    case .begun: "The run has begun."
    case .enrolmentClosed: "Enrolment for this run is closed."
    case .joinedAlready: "You have already joined this run."
    case .ownRun: "Organisers do not join their own run."
    case .overlapsAnother: "You are enrolled in another run at that time."
    case .clausesNotAccepted:
      "The run has clauses of its organiser: read them, and accept them by their version."
    case .clausesChanged:
      "This is not the version of the run's clauses: read them, and accept them by their version."
    }
  }
}

/// The reason why a run cannot be changed.
package enum RunChangeRefusal: DomainError, CaseIterable {
  /// It was cancelled.
  case cancelled
  /// It is in progress.
  case begun
  /// It is over.
  case over

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .cancelled: "The run was cancelled."
    case .begun: "The run has begun."
    case .over: "The run is over."
    }
  }
}
