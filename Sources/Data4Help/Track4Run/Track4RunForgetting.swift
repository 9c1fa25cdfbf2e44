import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// Forgets what Track4Run was told long ago: a run of 1000 people leaves millions of entries, and
/// what it needs of them it has stored itself.
package enum Track4RunForgetting {
  /// How long Track4Run may be away and still miss nothing.
  package static let keptFor = Duration.seconds(7 * 86_400)
  /// Entries of one statement.
  static let batchMax: Int64 = 10_000

  /// Forgets what is older than `keptFor`; gives how many entries. On the loop.
  ///
  /// - Throws: 503 if the database is away.
  @discardableResult
  package static func forget(of surroundings: Surroundings) async throws(Problem) -> Int64 {
    let before = surroundings.world.now() - keptFor
    var total: Int64 = 0
    while true {
      let forget = ForgetTrack4RunEntries(before: before, countMax: batchMax)
      let count = try await surroundings.database.effect(forget) ?? 0
      total += count
      guard count == batchMax else { return total }
    }
  }
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
