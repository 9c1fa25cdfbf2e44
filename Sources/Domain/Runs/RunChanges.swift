/// What an organiser wants to be otherwise in a run that has not begun (RUN-2).
package struct RunChanges: Hashable, Sendable {
  /// What becomes of something that may be said or left unsaid.
  package enum Remark<Value: Hashable & Sendable>: Hashable, Sendable {
    /// It stays as it is.
    case kept
    /// Nothing is said any more.
    case removed
    /// This is said.
    case replaced(Value)

    fileprivate func applied(to old: Value?) -> Value? {
      switch self {
      case .kept: old
      case .removed: nil
      case .replaced(let new): new
      }
    }
  }

  /// What it is called; nil if that stays.
  package var name: RunName?
  /// What it is about.
  package var description = Remark<RunDescription>.kept
  /// Where it is, in words.
  package var place = Remark<RunName>.kept
  /// What runners accept on joining.
  package var clauses = Remark<RunClauses>.kept
  /// When it begins; nil if that stays.
  package var startsAt: Timestamp?
  /// When it ends; nil if that stays.
  package var endsAt: Timestamp?
  /// The last moment to enrol; nil if that stays, or goes with the start.
  package var enrolUntil: Timestamp?
  /// How many may join; nil if that stays.
  package var participantsMax: Int64?

  /// Nothing is otherwise.
  package init() {}

  /// Whether the times are named, be it as they are.
  package var namesTimes: Bool { startsAt != nil || endsAt != nil }
}

extension RunTerms {
  /// The terms with these changes, made now.
  ///
  /// An enrolment that was open up to the start is so again; another deadline stays, up to the new
  /// start. One that has passed is not refused for being kept. Throws as a new run's terms do.
  package func changed(
    by changes: RunChanges, now: Timestamp
  ) throws(RunTermsError) -> RunTerms {
    let startsAt = changes.startsAt ?? times.startsAt
    let isOpenToTheStart = enrolUntil == times.startsAt
    return try RunTerms(
      name: changes.name ?? name, description: changes.description.applied(to: description),
      place: changes.place.applied(to: place), clauses: changes.clauses.applied(to: clauses),
      startsAt: startsAt,
      endsAt: changes.endsAt ?? times.endsAt,
      enrolUntil: changes.enrolUntil ?? (isOpenToTheStart ? startsAt : min(enrolUntil, startsAt)),
      keptDeadline: enrolUntil, participantsMax: changes.participantsMax ?? Int64(participantsMax),
      now: now)
  }
}
