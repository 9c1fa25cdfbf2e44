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
  private let world: World
  private let zone: TimeZoneRules

  /// How much of a path may lie along another published run's of the same day: less than half.
  static let shareMax = 0.5

  /// How many published runs of one day an organiser may have.
  static let publishedADayMax = 5

  /// Effects by this clock; days are those of the zone.
  package init(world: World, zone: TimeZoneRules) {
    self.world = world
    self.zone = zone
  }

  /// Makes a run, which nobody finds until it has a path.
  ///
  /// - Returns: its number.
  /// - Throws: 503.
  package func create(
    _ terms: RunTerms, by organiser: AccountID, named organiserName: String,
    in transaction: Transaction<Problem>
  ) async throws(Problem) -> Int64 {
    let insert = InsertRun(terms, organiser: organiser, organiserName: organiserName)
    guard let runID = try await transaction.runOne(insert) else {
      throw .internalError(because: "A run was inserted and got no number.")
    }
    return runID
  }

  /// Gives a run its path; the first one also its code, by which it is listed from then on.
  ///
  /// - Throws: 503.
  package func publish(
    _ runID: Int64, along path: RunPath, by thirdParty: AccountID,
    in transaction: Transaction<Problem>
  ) async throws(Problem) -> PublishOutcome {
    guard let row = try await hold(runID, for: thirdParty, in: transaction) else { return .unknown }
    if let refusal = try row.run().refusalOfChange(now: now) { return .refused(refusal) }
    let course = Course(path)
    if let refusal = try await refusal(of: course, path, row, in: transaction) { return refusal }
    try await transaction.run(
      StorePath(runID: runID, path: StoredPath(path), lengthMetres: course.length))
    return .published(code: try await code(of: runID, endingAt: path.finish, in: transaction))
  }

  /// Replaces what was laid down by what `edit` makes of it; `edit` may refuse.
  ///
  /// - Throws: 503, and what `edit` throws.
  package func change(
    _ runID: Int64, by thirdParty: AccountID, in transaction: Transaction<Problem>,
    _ edit: (RunRow) throws(Problem) -> RunTerms
  ) async throws(Problem) -> ChangeOutcome {
    guard let row = try await hold(runID, for: thirdParty, in: transaction) else { return .unknown }
    if let refusal = try row.run().refusalOfChange(now: now) { return .refused(refusal) }
    let terms = try edit(row)
    guard terms.participantsMax >= row.enrolled else { return .fewerPlacesThanRunners }
    try await transaction.run(ReplaceTerms(runID, terms))
    return .changed
  }

  /// Cancels a run.
  ///
  /// - Throws: 503.
  package func cancel(
    _ runID: Int64, by thirdParty: AccountID, in transaction: Transaction<Problem>
  ) async throws(Problem) -> ChangeOutcome {
    guard let row = try await hold(runID, for: thirdParty, in: transaction) else { return .unknown }
    if let refusal = try row.run().refusalOfCancelling(now: now) { return .refused(refusal) }
    try await transaction.run(CancelRun(runID: runID, now: world.now()))
    return .changed
  }

  /// Lets another third party organise the run too, or no longer; only who created it decides.
  ///
  /// - Throws: 503.
  package func setCoOrganiser(
    _ other: AccountID, of runID: Int64, allowed: Bool, by thirdParty: AccountID,
    in transaction: Transaction<Problem>
  ) async throws(Problem) -> ChangeOutcome {
    guard let row = try await hold(runID, for: thirdParty, in: transaction),
      row.organiser == thirdParty
    else { return .unknown }
    if let refusal = try row.run().refusalOfCancelling(now: now) { return .refused(refusal) }
    if allowed, other != thirdParty {
      try await transaction.run(NameCoOrganiser(runID: runID, thirdParty: other, now: world.now()))
    } else {
      try await transaction.run(StrikeCoOrganiser(runID: runID, thirdParty: other))
    }
    return .changed
  }

  private var now: Timestamp { world.now().timestamp }

  /// The run as it stands once it is held; nil unless the third party organises it.
  private func hold(
    _ runID: Int64, for thirdParty: AccountID, in transaction: Transaction<Problem>
  ) async throws(Problem) -> RunRow? {
    let (_, rows) = try await transaction.run(
      HoldRun(runID: runID), RunOfOrganiser(runID: runID, thirdParty: thirdParty))
    return rows.first
  }
}

// MARK: Publishing

extension RunOrganising {
  /// Why a course cannot be that of a run (RUN-1); nil if it can.
  private func refusal(
    of course: Course, _ path: RunPath, _ row: RunRow, in transaction: Transaction<Problem>
  ) async throws(Problem) -> PublishOutcome? {
    let day = zone.day(of: row.startsAt.timestamp)
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
    of runID: Int64, endingAt end: GeoPoint, in transaction: Transaction<Problem>
  ) async throws(Problem) -> String {
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
  /// Half or more of the path is that of another published run of the same day.
  case alongAnother
  /// The organiser has five published runs on that day.
  case tooManyThatDay
}

/// What came of changing or cancelling a run.
package enum ChangeOutcome: Equatable, Sendable {
  /// It was done.
  case changed
  /// There is no such run, or it is another's.
  case unknown
  /// It cannot be changed any more.
  case refused(RunChangeRefusal)
  /// More runners have joined than would have places.
  case fewerPlacesThanRunners
}
