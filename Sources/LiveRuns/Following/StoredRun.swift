import Domain
import Postgres
import Runs
import ServiceKit

/// A stored run with its runners, as the follower reads it.
struct StoredRun: Sendable {
  let row: LiveRunRow
  let course: TimedCourse
  let roster: [LiveEntrant.Entry]

  /// The outcome of reading a run.
  enum Found: Sendable {
    case stored(StoredRun)
    /// No such run is listed.
    case missing
    /// The stored run is unreadable, which was reported.
    case unreadable
  }

  /// Reads a run.
  ///
  /// - Throws: `unavailable`.
  static func read(
    _ runID: Int64, from database: Database, _ names: RunnerNames,
    reporting unreadable: UnreadableRows
  ) async throws(ApplicationError) -> Found {
    let found = try await unreadable.readable(.run(runID)) {
      () async throws(ApplicationError) -> (row: LiveRunRow, course: TimedCourse)? in
      guard let row = try await database.row(LiveRunByID(runID: runID))
      else { return nil }
      return (row, try row.timedCourse())
    }
    guard let found else { return .unreadable }
    guard let (row, course) = found else { return .missing }
    let entries = try await database.rows(Roster(runID: runID))
    let roster = entries.map { LiveEntrant.Entry($0, in: runID, names) }
    return .stored(StoredRun(row: row, course: course, roster: roster))
  }
}

extension LiveEntrant.Entry {
  /// A runner with the public name; the number if the name is unreadable.
  fileprivate init(_ row: Roster.Row, in runID: Int64, _ names: RunnerNames) {
    let name = names.opened(
      row.sealedName, in: runID, of: row.account, number: row.number)
    let shownName =
      row.isAnonymous ? RunnerName.ofDeletedRunners : name ?? row.number.description
    self.init(
      number: row.number, account: row.account, name: shownName,
      showsHealth: row.showsHealth && !row.hasLeft, isFindable: row.isFindable && !row.hasLeft,
      isFindableByName: row.isFindableByName,
      isPaused: row.isPaused, dataRevision: row.dataRevision, hasLeft: row.hasLeft)
  }
}
