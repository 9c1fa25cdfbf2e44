import Data4HelpSync
import Domain
import EventLoop
import Postgres
import ServiceKit
import Time

/// The operations of an organiser on a run, inside a transaction (R37, R38, RUN-1, RUN-2).
///
/// Each operation locks the run first, so that the second of two concurrent ones sees the changes
/// of the first. Forbidden and impossible requests change nothing, and are reported by the outcome.
package struct RunOrganising: Sendable {
  let environment: Environment
  let zone: TimeZoneRules
  let checkIns: CheckIns

  /// The share of a path from which it counts as the path of another published run of the same day.
  static let shareMax = 0.5

  /// The largest number of an organiser's published runs in one day.
  static let publishedADayMax = 5

  /// Creates the operations with this clock and zone of days. Notifications go into the outbox of
  /// the check-ins.
  package init(environment: Environment, zone: TimeZoneRules, checkIns: CheckIns) {
    self.environment = environment
    self.zone = zone
    self.checkIns = checkIns
  }

  /// The largest number of runs that an organiser may create in a day, listed or not.
  package static let madeADayMax = 200

  /// Creates a run, which is not listed until it has a path.
  ///
  /// - Returns: its number.
  /// - Throws: `rateLimited` if the organiser has reached the daily limit, `unavailable`.
  package func create(
    _ terms: RunTerms, by organiser: AccountID, named organiserName: String,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Int64 {
    try await countRun(by: organiser, in: transaction)
    let insert = InsertRun(terms, organiser: organiser, organiserName: organiserName)
    guard let runID = try await transaction.runOne(insert) else {
      throw .internalError(because: "The inserted run has no number.")
    }
    if let clauses = terms.clauses {
      try await transaction.run(
        SetClauses(runID: runID, text: clauses.description, now: environment.now()))
    }
    let notification = RunNotification(
      runID, terms.name.description, startsAt: terms.times.startsAt)
    try await checkIns.outbox.add([notification.order(.created, to: [organiser])], in: transaction)
    return runID
  }

  /// Sets the path of a run; the first path lists the run under a new code. Enrolled runners are
  /// notified about a changed path.
  ///
  /// - Throws: `unavailable`.
  package func publish(
    _ runID: Int64, along path: RunPath, by thirdParty: AccountID,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> PublishOutcome {
    guard let row = try await hold(runID, for: thirdParty, in: transaction) else { return .unknown }
    if let refusal = try row.run().refusalOfChange(now: now) { return .refused(refusal) }
    let course = Course(path)
    let day = zone.day(of: row.startsAt)
    if let refusal = try await refusal(of: course, path, row, on: day, in: transaction) {
      return .notPublished(refusal)
    }
    let before = try await transaction.runOne(PathOfRun(runID: runID))?.path
    try await transaction.run(
      StorePath(runID: runID, path: StoredPath(path), lengthMetres: course.length))
    let code = try await code(of: runID, endingAt: path.finish, in: transaction)
    if before == nil {
      try await checkIns.outbox.add(
        [RunNotification(row).order(.published(code: code), to: [thirdParty])], in: transaction)
    } else if before != path {
      let differences = RunDifferences.ofPath(to: course)
      try await notifyEveryone(of: row, differences, by: thirdParty, in: transaction)
    }
    return .published(code: code)
  }

  /// Cancels a run: enrolled runners are notified, and check-ins are withdrawn.
  ///
  /// - Throws: `unavailable`.
  package func cancel(
    _ runID: Int64, by thirdParty: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> OrganisingOutcome {
    guard let row = try await hold(runID, for: thirdParty, in: transaction) else { return .unknown }
    if let refusal = try row.run().refusalOfCancelling(now: now) { return .refused(refusal) }
    let (_, runners) = try await transaction.run(
      CancelRun(runID: runID, now: environment.now()), EnrolledRunners(runID: runID))
    let notified = runners.map(\.account) + Set([row.organiser, thirdParty]).sorted()
    try await checkIns.outbox.add(
      [
        RunNotification(row).order(.cancelled, to: notified),
        .ends(runners.compactMap(\.requestID)),
      ],
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
      "You have created \(Self.madeADayMax) runs today", retryAfter: secondsLeft(of: today))
  }

  /// The current time.
  var now: Instant { environment.now().flooredToMilliseconds }

  /// Whole seconds until the end of a day, at least one.
  func secondsLeft(of day: CalendarDate) -> Int {
    let left = zone.start(of: day.adding(days: 1)).seconds(since: now)
    return max(1, Int(left.rounded(.up)))
  }

  /// The stored run after locking it; nil unless the third party organises it.
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
  /// Why a course cannot be published for a run that starts on this day (RUN-1); nil if it can.
  func refusal(
    of course: Course, _ path: RunPath, _ row: RunRow, on day: CalendarDate,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> PublicationRefusal? {
    let from = zone.start(of: day)
    let to = zone.start(of: day.adding(days: 1))
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

  /// The code of a run, which never changes; a code used by another run is drawn again.
  private func code(
    of runID: Int64, endingAt end: GeoPoint, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> String {
    for _ in 0..<Self.drawsMax {
      let publish = PublishRun(
        runID: runID, code: RunCode(random: environment.randomBytes(RunCode.length)).description,
        endLatitude: end.latitude, endLongitude: end.longitude, now: environment.now())
      if let code = try await transaction.runOne(publish) { return code }
    }
    throw .unavailable(retryAfter: 1)
  }

  /// The largest number of draws: of 32^8 codes, hardly any is in use.
  private static let drawsMax = 8
}

/// The outcome of publishing a run.
package enum PublishOutcome: Equatable, Sendable {
  /// It is listed under this code.
  case published(code: String)
  /// The run is unknown or another organiser's.
  case unknown
  /// The run can no longer be changed.
  case refused(RunChangeRefusal)
  /// The run does not satisfy the rules of publishing on its day.
  case notPublished(PublicationRefusal)
}

/// Why a run cannot be published on a day (RUN-1).
package enum PublicationRefusal: DomainError, CaseIterable {
  /// Half or more of the path is that of another published run of the same day.
  case alongAnother
  /// The organiser has five published runs on that day.
  case tooManyThatDay

  /// The reason, as a sentence.
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
