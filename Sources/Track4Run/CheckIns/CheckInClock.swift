import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// What the time does to check-ins: it opens them, and at the start of a run it removes who has not
/// checked in (R39, R49).
struct CheckInClock: Sendable {
  /// How often the time is looked at.
  static let pause = Duration.seconds(1)
  /// How long after a start the last answers of before it may still be committed.
  static let settling = Duration.seconds(2)
  /// Runs that are looked at together.
  static let runsMax: Int64 = 100

  let surroundings: RunSurroundings
  /// How long before the start check-in opens, where 00:00 of the day is not earlier.
  let opensBefore: Duration

  /// Opens what is to be opened by now; gives how many runs.
  ///
  /// - Throws: 503 if the database is away.
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

  /// The first start whose check-in is not open yet: neither of today nor so near.
  private func startingBefore(_ now: WallTime) -> WallTime {
    let zone = surroundings.zone
    let tomorrow = zone.start(of: zone.day(of: now.timestamp).adding(days: 1))
    let near = WallTime(microsecondsSince1970: (now + opensBefore).microsecondsSince1970 + 1)
    return max(WallTime(tomorrow), near)
  }

  /// Removes who has not checked in from runs that have begun, as far as Data4Help's answers of
  /// before the start are known, that is `caughtUpAt`; gives whether there are runs for which they
  /// are not.
  ///
  /// - Throws: 503 if the database is away.
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

  /// Removes runners of a run; gives whether there are more.
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
