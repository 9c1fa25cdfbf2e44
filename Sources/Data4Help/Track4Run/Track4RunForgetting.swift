import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// Forgets what Track4Run was told long ago: a run of 1000 people leaves millions of entries, and
/// Track4Run has stored itself what it needs of them. Forgets as well the runs that check-in
/// requests no longer refer to.
package enum Track4RunForgetting {
  /// How long Track4Run may be unavailable and still miss nothing.
  package static let keptFor = Duration.seconds(7 * 86_400)
  /// Entries of one statement.
  static let batchMax: Int64 = 10_000

  /// Forgets entries that are older than `keptFor`; returns how many. On the loop.
  ///
  /// - Throws: 503 if the database is unavailable.
  @discardableResult
  package static func forget(of surroundings: Surroundings) async throws(ApplicationError) -> Int64
  {
    let before = surroundings.world.now() - keptFor
    var total: Int64 = 0
    while true {
      let forget = ForgetTrack4RunEntries(before: before, countMax: batchMax)
      let count = try await surroundings.database.effect(forget) ?? 0
      total += count
      guard count == batchMax else { return total }
    }
  }

  /// Forgets the runs that no check-in request refers to; returns how many. On the loop.
  ///
  /// - Throws: 503 if the database is unavailable.
  @discardableResult
  package static func forgetRuns(of surroundings: Surroundings) async throws(ApplicationError)
    -> Int
  {
    var total = 0
    var last = Int64.min
    while true {
      let after = last
      let (runs, forgotten) = try await surroundings.database.transaction {
        (transaction) throws(ApplicationError) in
        let runs = try await transaction.run(
          LockRunsWithoutCheckIn(after: after, countMax: runsMax))
        // Looks again: a request may have come before the lock, and none can after it.
        return (runs, try await transaction.run(ForgetCheckInRuns(runs: runs)).count)
      }
      total += forgotten
      guard runs.count == runsMax, let end = runs.last else { return total }
      last = end
    }
  }

  /// Runs of one transaction.
  private static let runsMax = 1_000
}

/// Runs that no check-in request refers to, locked to the end of the transaction; what a batch of
/// requests holds is skipped.
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

/// Removes those of these runs that no request refers to.
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

/// Forgets the oldest entries of Track4Run's sequence, as far as they are from before a time. By
/// the primary key.
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
  let before: WallTime
  let countMax: Int64
}
