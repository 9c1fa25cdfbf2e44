import Bytes
import Postgres
import Time

/// Statements of the numbers of spectators (RUN-15), listed for the schema check.
enum SpectatorCountStatements {
  static let all: [any Statement.Type] = [
    StoreSpectatorCounts.self, OtherSpectatorCounts.self, DeleteSpectatorCounts.self,
  ]
}

/// Writes the number of a process's open streams of each run.
struct StoreSpectatorCounts: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO track4run.spectator_counts (run_id, process_id, streams, noted_at)
    SELECT run_id, \(\.process), streams, \(\.now)
      FROM unnest(\(\.runs), \(\.streams)) AS noted (run_id, streams)
      JOIN track4run.runs USING (run_id)
        ON CONFLICT (run_id, process_id) DO UPDATE
       SET streams = excluded.streams, noted_at = excluded.noted_at
    """
  let process: UniversalID
  let now: Instant
  var runs: [Int64] = []
  var streams: [Int32] = []
}

/// The number of open streams of runs in the other processes, from their recent counts.
struct OtherSpectatorCounts: Statement {
  struct Row: Sendable {
    let runID: Int64
    let streams: Int64
  }
  static let sql: SQL<Self> = """
    SELECT run_id, sum(streams)
      FROM track4run.spectator_counts
     WHERE process_id <> \(\.process)
       AND noted_at > \(\.after)
     GROUP BY run_id
    """
  static let columns = Columns(Row.init)
  let process: UniversalID
  let after: Instant
}

/// Deletes the counts of a process, and old counts of all processes.
struct DeleteSpectatorCounts: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM track4run.spectator_counts
     WHERE process_id = \(\.process)
        OR noted_at < \(\.before)
    """
  let process: UniversalID
  let before: Instant
}
