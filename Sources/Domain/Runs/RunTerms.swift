/// What an organiser lays down for a run (R38), parsed and within the rules of RUN-1.
package struct RunTerms: Hashable, Sendable {
  /// What it is called.
  package let name: RunName
  /// What it is about, if anything is said.
  package let description: RunDescription?
  /// Where it is, in words.
  package let place: RunName?
  /// What runners accept on joining, if the organiser wants that.
  package let clauses: RunClauses?
  /// When it begins and ends.
  package let times: RunTimes
  /// The last moment to enrol; the start if nothing is said.
  package let enrolUntil: Timestamp
  /// How many may join.
  package let participantsMax: Int32

  /// The fewest participants a run may be for.
  package static let participantsLeast: Int32 = 2

  /// The most participants a run may be for.
  package static let participantsMost: Int32 = 1_000_000

  /// How long a run may last: who accepts its check-in shares for that long with one tap.
  package static let longest: Int64 = 7 * 86_400_000

  /// How far ahead a run may start: two years.
  package static let farthest: Int64 = 731 * 86_400_000

  /// The terms of a run that is laid down now.
  ///
  /// Throws `startsInThePast` unless it starts later, `startsTooLate` more than two years ahead,
  /// `endsBeforeItStarts` unless it ends after it starts, `lastsTooLong` for more than seven days,
  /// `tooFewParticipants` for fewer than two, `tooManyParticipants` over a million,
  /// `enrolmentClosesInThePast`, unless that was laid down before as `keptDeadline`, and
  /// `enrolmentClosesAfterTheStart`.
  package init(
    name: RunName, description: RunDescription? = nil, place: RunName? = nil,
    clauses: RunClauses? = nil, startsAt: Timestamp, endsAt: Timestamp,
    enrolUntil: Timestamp? = nil,
    keptDeadline: Timestamp? = nil, participantsMax: Int64, now: Timestamp
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

  /// The terms of a run as they were stored.
  package init(
    stored name: RunName, description: RunDescription?, place: RunName?,
    clauses: RunClauses? = nil, times: RunTimes, enrolUntil: Timestamp, participantsMax: Int32
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

/// Why a run is refused (RUN-1).
package enum RunTermsError: DomainError {
  case startsInThePast
  case startsTooLate
  case endsBeforeItStarts
  case lastsTooLong
  case tooFewParticipants
  case tooManyParticipants
  case enrolmentClosesInThePast
  case enrolmentClosesAfterTheStart

  /// What is wrong, as a sentence.
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

  /// The field of the API that is to be put right.
  package var field: String {
    switch self {
    case .startsInThePast, .startsTooLate: "startTime"
    case .endsBeforeItStarts, .lastsTooLong: "endTime"
    case .tooFewParticipants, .tooManyParticipants: "participants"
    case .enrolmentClosesInThePast, .enrolmentClosesAfterTheStart: "enrolUntil"
    }
  }
}
