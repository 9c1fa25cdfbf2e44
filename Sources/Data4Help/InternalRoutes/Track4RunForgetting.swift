import Domain
import EventLoop
import Postgres
import ServiceKit
import Time

/// Deletes old entries of Track4Run's sequence: a run of 1000 people leaves millions of entries,
/// and Track4Run has stored the data it needs from them. Also deletes the runs to which no check-in
/// request refers.
package enum Track4RunForgetting {
  /// The time for which Track4Run may be unavailable without missing an entry.
  package static let keptFor = Duration.seconds(7 * 86_400)
  /// The maximum number of entries in one statement.
  static let batchMax: Int64 = 10_000

  /// Deletes entries that are older than `keptFor`; returns their number. On the loop.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  @discardableResult
  package static func forget(in database: Database, environment: Environment)
    async throws(ApplicationError)
    -> Int64
  {
    let before = environment.now() - keptFor
    var total: Int64 = 0
    while true {
      let forget = ForgetTrack4RunEntries(before: before, countMax: batchMax)
      let count = try await database.effect(forget) ?? 0
      total += count
      guard count == batchMax else { return total }
    }
  }

  /// Deletes the runs to which no check-in request refers; returns their number. On the loop.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  @discardableResult
  package static func forgetRuns(in database: Database) async throws(ApplicationError)
    -> Int
  {
    var total = 0
    var last = Int64.min
    while true {
      let after = last
      let (runs, forgotten) = try await database.transaction {
        (transaction) throws(ApplicationError) in
        let runs = try await transaction.run(
          LockRunsWithoutCheckIn(after: after, countMax: runsMax))
        // Checks again: a request may have come before the lock, and none can after it.
        return (runs, try await transaction.run(ForgetCheckInRuns(runs: runs)).count)
      }
      total += forgotten
      guard runs.count == runsMax, let end = runs.last else { return total }
      last = end
    }
  }

  /// The maximum number of runs in one transaction.
  private static let runsMax = 1_000
}

/// Runs to which no check-in request refers, locked to the end of the transaction; runs that a
/// batch of requests holds are skipped.
struct LockRunsWithoutCheckIn: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT run_id
      FROM data4help.check_in_runs AS run
     WHERE run_id > \(\.after)
       AND NOT EXISTS (SELECT FROM data4help.single_requests AS request
                        WHERE request.run_id = run.run_id)
     ORDER BY run_id
     LIMIT \(\.countMax)
       FOR UPDATE SKIP LOCKED
    """
  let after: Int64
  let countMax: Int
}

/// Deletes those of these runs to which no request refers.
struct ForgetCheckInRuns: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    DELETE FROM data4help.check_in_runs AS run
     WHERE run_id = ANY (\(\.runs))
       AND NOT EXISTS (SELECT FROM data4help.single_requests AS request
                        WHERE request.run_id = run.run_id)
    RETURNING run_id
    """
  let runs: [Int64]
}

/// Deletes the oldest entries of Track4Run's sequence that are from before a time. By the primary
/// key.
struct ForgetTrack4RunEntries: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    WITH oldest AS (
      SELECT first_seq, entered_at
        FROM data4help.third_party_log
       WHERE third_party_id = 0
       ORDER BY first_seq
       LIMIT \(\.countMax)),
    forgotten AS (
      DELETE FROM data4help.third_party_log AS log
       USING oldest
       WHERE log.third_party_id = 0
         AND log.first_seq = oldest.first_seq
         AND oldest.entered_at < \(\.before)
      RETURNING log.first_seq)
    SELECT count(*) FROM forgotten
    """
  let before: Instant
  let countMax: Int64
}
