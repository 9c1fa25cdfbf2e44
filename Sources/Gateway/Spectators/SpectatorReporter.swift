import Bytes
import Domain
import EventLoop
import Operations
import Postgres
import Time

/// Records every few seconds how many addresses poll each run through this gateway, beside the
/// streams that the Track4Run processes record (RUN-15). Only numbers leave the process, never
/// addresses. Confined to its loop.
package final class SpectatorReporter {
  /// The interval between two reports.
  package static let pause = Duration.seconds(3)
  private static let timeMax = Duration.seconds(5)

  private let loops: GatewayLoops
  private let database: Database
  private let log: Log
  private let environment: Environment
  private let process: UniversalID
  private var hasNoted = false
  private var isFailing = false

  /// Creates a reporter for these loops; `database` belongs to its loop.
  package init(_ loops: GatewayLoops, database: Database, log: Log, environment: Environment) {
    self.loops = loops
    self.database = database
    self.log = log
    self.environment = environment
    let bytes = environment.randomBytes(16)
    process = UniversalID(
      high: UInt64(bigEndianBytes: bytes.prefix(8)), low: UInt64(bigEndianBytes: bytes.suffix(8)))
  }

  /// Records the counts; returns how long to pause.
  package func turn() async -> Duration {
    let counts = await loops.spectators()
    guard !counts.isEmpty || hasNoted else { return Self.pause }
    var note = NoteSpectators(process: process, now: environment.now())
    for (run, count) in counts { note.append(run, Int32(clamping: count)) }
    do throws(PostgresError) {
      _ = try await database.write(note, within: Self.timeMax)
      hasNoted = !counts.isEmpty
      isFailing = false
    } catch {
      if !isFailing {
        log.failure("note spectators failed", error, level: .warning)
      }
      isFailing = true
    }
    return Self.pause
  }
}

/// Records how many addresses poll each run through a process, and removes runs that are no longer
/// polled.
struct NoteSpectators: Statement {
  static let sql: SQL<Self> = """
    WITH polled AS (
      SELECT run.run_id, sum(named.count)::integer AS count
        FROM (SELECT run_id, count FROM unnest(\(\.runs), \(\.counts)) AS by_number (run_id, count)
              UNION ALL
              SELECT publication.run_id, by_code.count
                FROM unnest(\(\.codes), \(\.codeCounts)) AS by_code (code, count)
                JOIN track4run.publications AS publication USING (code)) AS named
        JOIN track4run.runs AS run USING (run_id)
       GROUP BY run.run_id),
    removed AS (
      DELETE FROM track4run.spectator_counts
       WHERE process_id = \(\.process)
         AND run_id NOT IN (SELECT run_id FROM polled))
    INSERT INTO track4run.spectator_counts (run_id, process_id, streams, noted_at)
    SELECT run_id, \(\.process), count, \(\.now)
      FROM polled
        ON CONFLICT (run_id, process_id) DO UPDATE
       SET streams = excluded.streams, noted_at = excluded.noted_at
    """
  let process: UniversalID
  let now: Instant
  private(set) var runs: [Int64] = []
  private(set) var counts: [Int32] = []
  private(set) var codes: [String] = []
  private(set) var codeCounts: [Int32] = []

  init(process: UniversalID, now: Instant) {
    self.process = process
    self.now = now
  }

  /// Adds the count of a run.
  mutating func append(_ run: PolledRun, _ count: Int32) {
    switch run {
    case .number(let number):
      runs.append(number)
      counts.append(count)
    case .code(let code):
      codes.append(code)
      codeCounts.append(count)
    }
  }
}
