import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// Opens check-ins when they are due, and at the start of a run removes runners who have not
/// checked in (R39, R49).
struct CheckInClock: Sendable {
  /// The interval between two checks of the time.
  static let pause = Duration.seconds(1)
  /// The delay after a start within which answers from before the start may still be committed.
  static let settling = Duration.seconds(2)
  /// The largest number of runs handled together.
  static let runsMax: Int64 = 100

  let surroundings: RunSurroundings
  /// How long before the start check-in opens, unless midnight of the day of the start is earlier.
  let opensBefore: Duration

  /// Opens the check-ins that are due and returns the number of runs.
  ///
  /// - Throws: `unavailable` if the database is unreachable.
  func open() async throws(ApplicationError) -> Int {
    let now = surroundings.world.now()
    let before = startingBefore(now)
    let runs = try await surroundings.database.rows(
      RunsToOpen(now: now, startingBefore: before, countMax: Self.runsMax))
    for runID in runs {
      var hasMore = true
      while hasMore {
        hasMore = try await surroundings.database.transaction {
          (transaction) throws(ApplicationError) in
          try await surroundings.checkIns.open(runID, startingBefore: before, in: transaction)
        }
        surroundings.outbox.announce()
      }
    }
    return runs.count
  }

  /// The first start whose check-in is not open yet: neither today nor within `opensBefore`.
  private func startingBefore(_ now: WallTime) -> WallTime {
    let zone = surroundings.zone
    let tomorrow = zone.start(of: zone.day(of: now.timestamp).adding(days: 1))
    let near = WallTime(microsecondsSince1970: (now + opensBefore).microsecondsSince1970 + 1)
    return max(WallTime(tomorrow), near)
  }

  /// Removes runners who have not checked in from runs that have begun.
  ///
  /// Only handles runs for which every answer of Data4Help from before the start is stored, which
  /// holds up to `caughtUpAt`.
  ///
  /// - Returns: whether some runs have to wait for later answers.
  /// - Throws: `unavailable` if the database is unreachable.
  func start(caughtUpAt: WallTime?) async throws(ApplicationError) -> Bool {
    let settled = surroundings.world.now() - Self.settling
    let runs = try await surroundings.database.rows(
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
    from runID: Int64, startedBy settled: WallTime
  ) async throws(ApplicationError) -> Bool {
    defer { surroundings.outbox.announce() }
    let now = surroundings.world.now()
    return try await surroundings.database.transaction { (transaction) throws(ApplicationError) in
      let hold = HoldRunToStart(runID: runID, startedBy: settled)
      guard let run = try await transaction.runOne(hold) else { return false }
      let removed = try await transaction.run(
        RemoveUnchecked(runID: runID, now: now, countMax: CheckIns.portionMax))
      let news = RunNews(runID, run.name, startsAt: run.startsAt)
      try await surroundings.outbox.add([news.order(.removed, to: removed)], in: transaction)
      let isWhole = removed.count < CheckIns.portionMax
      if isWhole { try await transaction.run(MarkStartHandled(runID: runID, now: now)) }
      return !isWhole
    }
  }
}
