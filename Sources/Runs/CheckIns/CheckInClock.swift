import Data4HelpSync
import Domain
import EventLoop
import Postgres
import ServiceKit
import Time

/// Opens check-ins when they are due, and at the start of a run removes runners who have not
/// checked in (R39, R49).
package struct CheckInClock: Sendable {
  /// The interval between two checks of the time.
  package static let pause = Duration.seconds(1)
  /// The delay after a start within which answers from before the start may still be committed.
  static let settling = Duration.seconds(2)
  /// The largest number of runs handled together.
  static let runsMax: Int64 = 100

  private let environment: Environment
  private let database: Database
  private let zone: TimeZoneRules
  private let checkIns: CheckIns
  private let opensBefore: Duration

  /// Creates a clock that opens check-in `opensBefore` the start, or at midnight of the day of the
  /// start if that is earlier.
  package init(
    environment: Environment, database: Database, zone: TimeZoneRules, checkIns: CheckIns,
    opensBefore: Duration
  ) {
    self.environment = environment
    self.database = database
    self.zone = zone
    self.checkIns = checkIns
    self.opensBefore = opensBefore
  }

  /// Opens the check-ins that are due and returns the number of runs.
  ///
  /// - Throws: `unavailable` if the database is unreachable.
  package func open() async throws(ApplicationError) -> Int {
    let now = environment.now()
    let before = startingBefore(now)
    let runs = try await database.rows(
      RunsToOpen(now: now, startingBefore: before, countMax: Self.runsMax))
    for runID in runs {
      var hasMore = true
      while hasMore {
        hasMore = try await database.transaction {
          (transaction) throws(ApplicationError) in
          try await checkIns.open(runID, startingBefore: before, in: transaction)
        }
        checkIns.outbox.announce()
      }
    }
    return runs.count
  }

  /// The first start whose check-in is not open yet: neither today nor within `opensBefore`.
  private func startingBefore(_ now: Instant) -> Instant {
    let tomorrow = zone.start(of: zone.day(of: now).adding(days: 1))
    let near = Instant(microsecondsSince1970: (now + opensBefore).microsecondsSince1970 + 1)
    return max(tomorrow, near)
  }

  /// Removes runners who have not checked in from runs that have begun.
  ///
  /// Only handles runs for which every answer of Data4Help from before the start is stored, which
  /// holds up to `caughtUpAt`.
  ///
  /// - Returns: whether some runs have to wait for later answers.
  /// - Throws: `unavailable` if the database is unreachable.
  package func start(caughtUpAt: Instant?) async throws(ApplicationError) -> Bool {
    let settled = environment.now() - Self.settling
    let runs = try await database.rows(
      RunsToStart(startedBy: settled, countMax: Self.runsMax))
    var waits = false
    for run in runs {
      guard let caughtUpAt, caughtUpAt >= run.startsAt + Self.settling else {
        waits = true
        continue
      }
      while try await removeSome(from: run.runID, startedBy: settled) {}
    }
    return waits
  }

  /// Removes a batch of runners of a run; returns whether more remain.
  private func removeSome(
    from runID: Int64, startedBy settled: Instant
  ) async throws(ApplicationError) -> Bool {
    defer { checkIns.outbox.announce() }
    let now = environment.now()
    return try await database.transaction { (transaction) throws(ApplicationError) in
      let hold = HoldRunToStart(runID: runID, startedBy: settled)
      guard let run = try await transaction.runOne(hold) else { return false }
      let removed = try await transaction.run(
        RemoveUnchecked(runID: runID, now: now, countMax: CheckIns.portionMax))
      let notification = RunNotification(runID, run.name, startsAt: run.startsAt)
      try await checkIns.outbox.add([notification.order(.removed, to: removed)], in: transaction)
      let isWhole = removed.count < CheckIns.portionMax
      if isWhole { try await transaction.run(MarkStartHandled(runID: runID, now: now)) }
      return !isWhole
    }
  }
}
