import Data4HelpSync
import Domain
import EventLoop
import Postgres
import ServiceKit
import Time

// Changing the terms of a run (RUN-2).

extension RunOrganising {
  /// Changes the terms of a run that has not begun.
  ///
  /// A published run that moves to another day must satisfy the rules of publishing on that day
  /// (RUN-1). Runners enrolled in another run at the new times lose their place in this one
  /// (RUN-3). All enrolled runners are notified, and are asked to check in again if the times of
  /// their requests changed.
  ///
  /// - Throws: `unavailable`.
  package func change(
    _ runID: Int64, by changes: RunChanges, for thirdParty: AccountID,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> ChangeOutcome {
    if changes.namesTimes { _ = try await transaction.run(HoldTimesOfRuns()) }
    guard let row = try await hold(runID, for: thirdParty, in: transaction) else { return .unknown }
    if let refusal = try row.run().refusalOfChange(now: now) { return .refused(refusal) }
    let clauses =
      row.clausesVersion == nil ? nil : try await transaction.runOne(ClausesInForce(runID: runID))
    let before = try row.terms(clauses: clauses)
    let terms: RunTerms
    do throws(RunTermsError) { terms = try before.changed(by: changes, now: now) } catch {
      return .impossible(error)
    }
    guard terms.participantsMax >= row.enrolled else { return .fewerPlacesThanRunners }
    if let refusal = try await refusal(ofMoving: row, to: terms.times, in: transaction) {
      return .notPublished(refusal)
    }
    guard terms != before else { return .changed(removed: 0) }
    try await transaction.run(ReplaceTerms(runID, terms))
    if terms.clauses != before.clauses {
      try await transaction.run(
        SetClauses(runID: runID, text: terms.clauses?.description, now: environment.now()))
    }
    let isMoved = terms.times != before.times
    let removed = isMoved ? try await removeOverlapping(runID, in: transaction) : []
    try await notify(terms, before, of: row, removed, by: thirdParty, in: transaction)
    return .changed(removed: removed.count)
  }

  /// Ends the enrolments of runners who are in another run at the new times, and the check-ins of
  /// all; returns the runners who lost their place.
  private func removeOverlapping(
    _ runID: Int64, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [AccountID] {
    let removed = try await transaction.run(RemoveOverlapping(runID: runID, now: environment.now()))
    try await checkIns.end(removed.compactMap(\.requestID), in: transaction)
    try await checkIns.moved(runID, in: transaction)
    return removed.map(\.account)
  }

  private func notify(
    _ terms: RunTerms, _ before: RunTerms, of row: RunRow, _ removed: [AccountID],
    by thirdParty: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let differences = RunDifferences(from: before, to: terms)
    try await notifyEveryone(of: row, differences, by: thirdParty, in: transaction)
    let moved = RunNotification(
      row.runID, terms.name.description, startsAt: terms.times.startsAt)
    try await checkIns.outbox.add([moved.order(.movedAway, to: removed)], in: transaction)
    // Runners of a moved run get new requests, which have the new name.
    guard terms.name != before.name, terms.times == before.times else { return }
    let asked = try await transaction.run(EnrolledRunners(runID: row.runID)).compactMap(\.requestID)
    guard !asked.isEmpty else { return }
    try await checkIns.outbox.add([.checkIns(runID: row.runID, asked)], in: transaction)
  }

  /// The largest number of changes in a day about which runners are notified: each is a mail to all
  /// of them.
  package static let changesADayMax = 20

  /// Notifies all enrolled runners, the organiser who created the run and the one who changed it
  /// about the differences.
  ///
  /// - Throws: `rateLimited` if the daily limit of notifications is reached, `unavailable`.
  func notifyEveryone(
    of row: RunRow, _ differences: RunDifferences, by thirdParty: AccountID,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let runners = try await transaction.run(EnrolledRunners(runID: row.runID)).map(\.account)
    if !runners.isEmpty { try await countChange(of: row.runID, in: transaction) }
    let changed = RunNotification(row).order(
      .changed(italian: differences.italian, english: differences.english),
      to: runners + Set([row.organiser, thirdParty]).sorted())
    try await checkIns.outbox.add([changed], in: transaction)
  }

  private func countChange(
    of runID: Int64, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let today = zone.day(of: now)
    let counted = try await transaction.runOne(
      CountChange(
        runID: runID, day: Int32(today.daysSince1970), countMax: Int32(Self.changesADayMax)))
    guard counted == nil else { return }
    throw .rateLimited(
      "Its runners were notified of \(Self.changesADayMax) changes today, each by mail",
      retryAfter: secondsLeft(of: today))
  }

  /// Why a published run cannot move to a day; nil if it can.
  private func refusal(
    ofMoving row: RunRow, to times: RunTimes, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> PublicationRefusal? {
    let day = zone.day(of: times.startsAt)
    guard row.code != nil, day != zone.day(of: row.startsAt) else { return nil }
    guard let path = try await transaction.runOne(PathOfRun(runID: row.runID))?.path else {
      throw .internalError(because: "A published run has no path.")
    }
    return try await refusal(of: Course(path), path, row, on: day, in: transaction)
  }
}

/// The outcome of changing a run.
package enum ChangeOutcome: Equatable, Sendable {
  /// It is changed; this number of runners were in another run at the new times and lost the place.
  case changed(removed: Int)
  /// The run is unknown or another organiser's.
  case unknown
  /// It can no longer be changed.
  case refused(RunChangeRefusal)
  /// The terms are invalid for any run.
  case impossible(RunTermsError)
  /// More runners are enrolled than the new limit allows.
  case fewerPlacesThanRunners
  /// It does not satisfy the rules of publishing on the new day.
  case notPublished(PublicationRefusal)
}

/// The outcome of cancelling a run.
package enum OrganisingOutcome: Equatable, Sendable {
  /// The operation succeeded.
  case done
  /// The run is unknown or another organiser's.
  case unknown
  /// It can no longer be done.
  case refused(RunChangeRefusal)
}

// MARK: Outcomes as errors of the contract

extension ChangeOutcome {
  /// The number of runners who lost their place by a successful change.
  ///
  /// - Throws: `invalid` for impossible terms, `notFound` for another organiser's run, `conflict`.
  func removed() throws(ApplicationError) -> Int {
    switch self {
    case .changed(let removed): return removed
    case .unknown: throw .notFound
    case .refused(let refusal): throw .conflict(refusal.description)
    case .impossible(let error): throw .invalid(error, field: error.field)
    case .fewerPlacesThanRunners: throw .conflict("More runners have already joined.")
    case .notPublished(let refusal): throw .conflict(refusal.description)
    }
  }
}

extension OrganisingOutcome {
  /// Returns if the operation succeeded.
  ///
  /// - Throws: `notFound` for another organiser's run, `conflict`.
  func check() throws(ApplicationError) {
    switch self {
    case .done: break
    case .unknown: throw .notFound
    case .refused(let refusal): throw .conflict(refusal.description)
    }
  }
}
