import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// What an organiser does with a run, inside a transaction (R37, R38, RUN-1, RUN-2).
///
/// Each effect holds the run first, so that of two at once the second sees what the first did. Who
/// may not, or asks for what cannot be, is told so by the outcome; nothing is changed then.
package struct RunOrganising: Sendable {
  let world: World
  let zone: TimeZoneRules
  let checkIns: CheckIns

  /// How much of a path may lie along another published run's of the same day: less than half.
  static let shareMax = 0.5

  /// How many published runs of one day an organiser may have.
  static let publishedADayMax = 5

  /// Effects by this clock; days are those of the zone. What people are to be told of them goes
  /// into the outbox of the check-ins.
  package init(world: World, zone: TimeZoneRules, checkIns: CheckIns) {
    self.world = world
    self.zone = zone
    self.checkIns = checkIns
  }

  /// How many runs an organiser may make in a day, found by nobody or listed.
  package static let madeADayMax = 200

  /// Makes a run, which nobody finds until it has a path.
  ///
  /// - Returns: its number.
  /// - Throws: 429 where the organiser has made too many today, 503.
  package func create(
    _ terms: RunTerms, by organiser: AccountID, named organiserName: String,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Int64 {
    try await countRun(by: organiser, in: transaction)
    let insert = InsertRun(terms, organiser: organiser, organiserName: organiserName)
    guard let runID = try await transaction.runOne(insert) else {
      throw .internalError(because: "A run was inserted and got no number.")
    }
    if let clauses = terms.clauses {
      try await transaction.run(
        SetClauses(runID: runID, text: clauses.description, now: world.now()))
    }
    let news = RunNews(
      runID, terms.name.description, startsAt: WallTime(terms.times.startsAt))
    try await checkIns.outbox.add([news.order(.created, to: [organiser])], in: transaction)
    return runID
  }

  /// Gives a run its path; the first one also its code, by which it is listed from then on. Of
  /// another path everyone enrolled is told.
  ///
  /// - Throws: 503.
  package func publish(
    _ runID: Int64, along path: RunPath, by thirdParty: AccountID,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> PublishOutcome {
    guard let row = try await hold(runID, for: thirdParty, in: transaction) else { return .unknown }
    if let refusal = try row.run().refusalOfChange(now: now) { return .refused(refusal) }
    let course = Course(path)
    let day = zone.day(of: row.startsAt.timestamp)
    if let refusal = try await refusal(of: course, path, row, on: day, in: transaction) {
      return .notPublished(refusal)
    }
    let before = try await transaction.runOne(PathOfRun(runID: runID))?.path
    try await transaction.run(
      StorePath(runID: runID, path: StoredPath(path), lengthMetres: course.length))
    let code = try await code(of: runID, endingAt: path.finish, in: transaction)
    if before == nil {
      try await checkIns.outbox.add(
        [RunNews(row).order(.published(code: code), to: [thirdParty])], in: transaction)
    } else if before != path {
      let differences = RunDifferences.ofPath(to: course)
      try await tellEveryone(of: row, differences, by: thirdParty, in: transaction)
    }
    return .published(code: code)
  }

  /// Cancels a run: everyone enrolled is told, and nobody is to check in any more.
  ///
  /// - Throws: 503.
  package func cancel(
    _ runID: Int64, by thirdParty: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> OrganisingOutcome {
    guard let row = try await hold(runID, for: thirdParty, in: transaction) else { return .unknown }
    if let refusal = try row.run().refusalOfCancelling(now: now) { return .refused(refusal) }
    let (_, runners) = try await transaction.run(
      CancelRun(runID: runID, now: world.now()), EnrolledRunners(runID: runID))
    let told = runners.map(\.account) + Set([row.organiser, thirdParty]).sorted()
    try await checkIns.outbox.add(
      [RunNews(row).order(.cancelled, to: told), .ends(runners.compactMap(\.requestID))],
      in: transaction)
    return .done
  }

  private func countRun(
    by organiser: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let today = zone.day(of: now)
    let counted = try await transaction.runOne(
      CountMadeRun(
        organiser: organiser, day: Int32(today.daysSince1970), countMax: Int32(Self.madeADayMax)))
    guard counted == nil else { return }
    throw .rateLimited(
      "You have made \(Self.madeADayMax) runs today", retryAfter: secondsLeft(of: today))
  }

  /// What the time is.
  var now: Timestamp { world.now().timestamp }

  /// Whole seconds until a day is over, at least one.
  func secondsLeft(of day: CalendarDate) -> Int {
    let left = zone.start(of: day.adding(days: 1)).seconds(since: now)
    return max(1, Int(left.rounded(.up)))
  }

  /// The run as it stands once it is held; nil unless the third party organises it.
  func hold(
    _ runID: Int64, for thirdParty: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> RunRow? {
    let (_, rows) = try await transaction.run(
      HoldRun(runID: runID), RunOfOrganiser(runID: runID, thirdParty: thirdParty))
    return rows.first
  }
}

// MARK: Publishing

extension RunOrganising {
  /// Why a course cannot be that of a run that starts on this day (RUN-1); nil if it can.
  func refusal(
    of course: Course, _ path: RunPath, _ row: RunRow, on day: CalendarDate,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> PublicationRefusal? {
    let from = WallTime(zone.start(of: day))
    let to = WallTime(zone.start(of: day.adding(days: 1)))
    let (_, published, nearby) = try await transaction.run(
      HoldRunDay(day: Int64(day.daysSince1970)),
      CountListedRuns(organiser: row.organiser, runID: row.runID, from: from, to: to),
      PathsNearby(
        runID: row.runID, from: from, to: to, path: StoredPath(path), metres: Course.alongWithin))
    if published.first ?? 0 >= Self.publishedADayMax { return .tooManyThatDay }
    let isShared = nearby.contains {
      course.share(along: Course($0.path)) >= Self.shareMax
    }
    return isShared ? .alongAnother : nil
  }

  /// The code of a run, which it keeps; one that another run has is drawn again.
  private func code(
    of runID: Int64, endingAt end: GeoPoint, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> String {
    for _ in 0..<Self.drawsMax {
      let publish = PublishRun(
        runID: runID, code: RunCode(random: world.randomBytes(RunCode.length)).description,
        endLatitude: end.latitude, endLongitude: end.longitude, now: world.now())
      if let code = try await transaction.runOne(publish) { return code }
    }
    throw .unavailable(retryAfter: 1)
  }

  /// How often a code is drawn: of 32^8 hardly any is taken.
  private static let drawsMax = 8
}

/// What came of giving a run its path.
package enum PublishOutcome: Equatable, Sendable {
  /// It is listed under this code.
  case published(code: String)
  /// There is no such run, or it is another's.
  case unknown
  /// It cannot be changed any more.
  case refused(RunChangeRefusal)
  /// It cannot stand in the list of its day.
  case notPublished(PublicationRefusal)
}

/// Why a run cannot be published on a day (RUN-1).
package enum PublicationRefusal: DomainError, CaseIterable {
  /// Half or more of the path is that of another published run of the same day.
  case alongAnother
  /// The organiser has five published runs on that day.
  case tooManyThatDay

  /// What is wrong, as a sentence.
  package var description: String {
    switch self {
    case .alongAnother:
      "Half or more of the path is that of another published run of the same day: choose another "
        + "day, or a path that differs from it for more than half."
    case .tooManyThatDay:
      "The organiser has \(RunOrganising.publishedADayMax) published runs on that day."
    }
  }
}
