/// A run as its organiser keeps it: what was laid down, and how far it has come.
package struct Run: Hashable, Sendable {
  /// Its number.
  package let id: Int64
  /// The third party that created it (R37).
  package let organiser: AccountID
  /// When it begins and ends.
  package let times: RunTimes
  /// The last moment to enrol.
  package let enrolUntil: Timestamp
  /// How many may join.
  package let participantsMax: Int32
  /// How many have joined.
  package let enrolled: Int32
  /// Whether it has a path, and with it a code: only then it is listed.
  package let isPublished: Bool
  /// Whether it was cancelled.
  package let isCancelled: Bool
  /// The version of its clauses; nil without clauses.
  package let clausesVersion: Int32?

  /// A run of the given parts.
  package init(
    id: Int64, organiser: AccountID, times: RunTimes, enrolUntil: Timestamp,
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

  /// Whether everybody finds it in the list (R43).
  package var isListed: Bool { isPublished && !isCancelled }
}

/// Where a listed run stands, seen from outside; the raw value is the API's `state`.
package enum RunState: String, Hashable, Sendable, CaseIterable {
  /// It has not begun.
  case open
  /// It is on.
  case live
  /// It is over.
  case ended

  /// The state at a moment of a run between two times.
  package init(startsAt: Timestamp, endsAt: Timestamp, now: Timestamp) {
    self = now < startsAt ? .open : now < endsAt ? .live : .ended
  }
}

// MARK: Who may do what (R46, RUN-2, RUN-3)

extension Run {
  /// Why somebody cannot join now; nil if they can.
  ///
  /// `others` are the runs that the runner is enrolled in beside this one, as far as they are
  /// neither over nor cancelled; `accepted` is the version of the clauses that the runner accepts.
  package func refusal(
    ofJoiningBy runner: AccountID, whoIsEnrolled: Bool, in others: [RunTimes],
    accepting accepted: Int32? = nil, now: Timestamp
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

  /// Why what was laid down, and the path, cannot be changed now; nil if they can.
  package func refusalOfChange(now: Timestamp) -> RunChangeRefusal? {
    if isCancelled { return .cancelled }
    if times.isOver(at: now) { return .over }
    if times.hasBegun(at: now) { return .begun }
    return nil
  }

  /// Why it cannot be cancelled now; nil if it can. A run that is on can be.
  package func refusalOfCancelling(now: Timestamp) -> RunChangeRefusal? {
    if isCancelled { return .cancelled }
    return times.isOver(at: now) ? .over : nil
  }
}

extension Run {
  /// Why nobody can be invited to it now; nil if people can, also while it is on.
  package func refusalOfInviting(now: Timestamp) -> RunInvitationRefusal? {
    if !isListed { return .notListed }
    return times.isOver(at: now) ? .over : nil
  }
}

/// Why nobody can be invited to a run.
package enum RunInvitationRefusal: DomainError, CaseIterable {
  /// It has no path yet, or was cancelled.
  case notListed
  /// It is over.
  case over

  /// What is wrong, as a sentence.
  package var description: String {
    switch self {
    case .notListed: "The run is not in the list: nobody would find it."
    case .over: "The run is over."
    }
  }
}

/// Why somebody cannot join a run; the description is what the API says in `detail`.
package enum JoinRefusal: DomainError, CaseIterable {
  /// There is no such run, or it has no path yet, or it was cancelled.
  case notListed
  /// All places are taken.
  case full
  /// It has begun.
  case begun
  /// The last moment to enrol has passed.
  case enrolmentClosed
  /// The runner is in it.
  case joinedAlready
  /// Who wants to join organises it.
  case ownRun
  /// The runner is in another run at that time.
  case overlapsAnother
  /// The run has clauses, and the runner accepts none.
  case clausesNotAccepted
  /// The runner accepts another version of the clauses than that of now.
  case clausesChanged

  /// What is wrong, as a sentence.
  package var description: String {
    switch self {
    case .notListed: "There is no such run in the list."
    case .full: "The run is full."
    case .begun: "The run has begun."
    case .enrolmentClosed: "Enrolment for this run is closed."
    case .joinedAlready: "You have joined this run already."
    case .ownRun: "Organisers do not join their own run."
    case .overlapsAnother: "You are enrolled in another run at that time."
    case .clausesNotAccepted:
      "The run has clauses of its organiser: read them, and accept them by their version."
    case .clausesChanged:
      "This is not the version of the run's clauses: read them, and accept them by their version."
    }
  }
}

/// Why a run can no longer be changed.
package enum RunChangeRefusal: DomainError, CaseIterable {
  /// It was cancelled.
  case cancelled
  /// It is on.
  case begun
  /// It is over.
  case over

  /// What is wrong, as a sentence.
  package var description: String {
    switch self {
    case .cancelled: "The run was cancelled."
    case .begun: "The run has begun."
    case .over: "The run is over."
    }
  }
}
