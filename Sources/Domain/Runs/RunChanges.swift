import Time

/// An organiser's changes to a run that has not started (RUN-2).
package struct RunChanges: Hashable, Sendable {
  /// The change of an optional value.
  package enum Remark<Value: Hashable & Sendable>: Hashable, Sendable {
    /// It stays unchanged.
    case kept
    /// It is removed.
    case removed
    /// It is set to this value.
    case replaced(Value)

    /// The value after the change.
    package func applied(to old: Value?) -> Value? {
      switch self {
      case .kept: old
      case .removed: nil
      case .replaced(let new): new
      }
    }
  }

  /// The new name; nil to keep it.
  package var name: RunName?
  /// The change of the description.
  package var description = Remark<RunDescription>.kept
  /// The change of the place name.
  package var place = Remark<RunName>.kept
  /// The change of the clauses.
  package var clauses = Remark<RunClauses>.kept
  /// The new start; nil to keep it.
  package var startsAt: Instant?
  /// The new end; nil to keep it.
  package var endsAt: Instant?
  /// The new deadline for enrolment; nil to keep it, or to move it with the start.
  package var enrolUntil: Instant?
  /// The new limit of participants; nil to keep it.
  package var participantsMax: Int64?

  /// Creates an empty set of changes.
  package init() {}

  /// Whether start or end is given, even if unchanged.
  package var namesTimes: Bool { startsAt != nil || endsAt != nil }
}

extension RunTerms {
  /// The terms after these changes at `now`.
  ///
  /// A deadline for enrolment equal to the old start moves to the new start; another deadline is
  /// kept, but not beyond the new start. A kept deadline may be in the past. Throws the errors of a
  /// new run's terms.
  package func changed(
    by changes: RunChanges, now: Instant
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
