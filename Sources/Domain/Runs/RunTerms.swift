import Time

/// An organiser's terms for a run (R38), parsed and valid by the rules of RUN-1.
package struct RunTerms: Hashable, Sendable {
  /// The name.
  package let name: RunName
  /// The description, if any.
  package let description: RunDescription?
  /// The name of the place, if any.
  package let place: RunName?
  /// The clauses that runners accept on joining, if any.
  package let clauses: RunClauses?
  /// The start and the end.
  package let times: RunTimes
  /// The deadline for enrolment; the start by default.
  package let enrolUntil: Instant
  /// The limit of participants.
  package let participantsMax: Int32

  /// The smallest limit of participants.
  package static let participantsLeast: Int32 = 2

  /// The largest limit of participants.
  package static let participantsMost: Int32 = 1_000_000

  /// The longest duration in milliseconds: accepting the check-in shares data for that long with
  /// one tap.
  package static let longest: Int64 = 7 * 86_400_000

  /// The largest lead time of the start in milliseconds: two years.
  package static let farthest: Int64 = 731 * 86_400_000

  /// Creates the terms of a run that is created now.
  ///
  /// Throws `startsInThePast` unless it starts later, `startsTooLate` more than two years ahead,
  /// `endsBeforeItStarts` unless it ends after it starts, `lastsTooLong` for more than seven days,
  /// `tooFewParticipants` for fewer than two, `tooManyParticipants` over a million,
  /// `enrolmentClosesInThePast` unless the deadline is the earlier `keptDeadline`, and
  /// `enrolmentClosesAfterTheStart`.
  package init(
    name: RunName, description: RunDescription? = nil, place: RunName? = nil,
    clauses: RunClauses? = nil, startsAt: Instant, endsAt: Instant,
    enrolUntil: Instant? = nil,
    keptDeadline: Instant? = nil, participantsMax: Int64, now: Instant
  ) throws(RunTermsError) {
    guard startsAt > now else { throw .startsInThePast }
    guard let times = RunTimes(startsAt: startsAt, endsAt: endsAt)
    else { throw .endsBeforeItStarts }
    guard startsAt <= now.adding(milliseconds: Self.farthest) else { throw .startsTooLate }
    guard endsAt <= startsAt.adding(milliseconds: Self.longest) else { throw .lastsTooLong }
    guard participantsMax >= Self.participantsLeast else { throw .tooFewParticipants }
    guard participantsMax <= Self.participantsMost else { throw .tooManyParticipants }
    let enrolUntil = enrolUntil ?? startsAt
    guard enrolUntil > now || enrolUntil == keptDeadline else { throw .enrolmentClosesInThePast }
    guard enrolUntil <= startsAt else { throw .enrolmentClosesAfterTheStart }
    self.name = name
    self.description = description
    self.place = place
    self.clauses = clauses
    self.times = times
    self.enrolUntil = enrolUntil
    self.participantsMax = Int32(participantsMax)
  }

  /// Creates the terms of a run from storage.
  package init(
    stored name: RunName, description: RunDescription?, place: RunName?,
    clauses: RunClauses? = nil, times: RunTimes, enrolUntil: Instant, participantsMax: Int32
  ) {
    self.name = name
    self.description = description
    self.place = place
    self.clauses = clauses
    self.times = times
    self.enrolUntil = enrolUntil
    self.participantsMax = participantsMax
  }
}

/// The reason why terms are rejected (RUN-1).
package enum RunTermsError: DomainError {
  case startsInThePast
  case startsTooLate
  case endsBeforeItStarts
  case lastsTooLong
  case tooFewParticipants
  case tooManyParticipants
  case enrolmentClosesInThePast
  case enrolmentClosesAfterTheStart

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .startsInThePast: "A run starts in the future."
    case .startsTooLate: "A run starts within two years."
    case .endsBeforeItStarts: "A run ends after it starts."
    case .lastsTooLong: "A run ends at most 7 days after it starts."
    case .tooFewParticipants: "A run is for at least 2 participants."
    case .tooManyParticipants: "A run is for at most 1000000 participants."
    case .enrolmentClosesInThePast: "The last moment to enrol lies in the future."
    case .enrolmentClosesAfterTheStart: "The last moment to enrol is the start or before it."
    }
  }

  /// The API field to correct.
  package var field: String {
    switch self {
    case .startsInThePast, .startsTooLate: "startTime"
    case .endsBeforeItStarts, .lastsTooLong: "endTime"
    case .tooFewParticipants, .tooManyParticipants: "participants"
    case .enrolmentClosesInThePast, .enrolmentClosesAfterTheStart: "enrolUntil"
    }
  }
}
