import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// A runner who is on the way and whose position has stopped arriving.
package struct LostSignal: Sendable, Hashable {
  /// The run.
  package let runID: Int64
  /// The runner's number in it.
  package let number: Int32
  /// The time of the last position.
  package let since: Timestamp
  /// The number of the sequence up to which everything of the runner was counted.
  package let upTo: Int64

  /// A silence of the given parts.
  package init(runID: Int64, number: Int32, since: Timestamp, upTo: Int64) {
    self.runID = runID
    self.number = number
    self.since = since
    self.upTo = upTo
  }
}

/// Tells runners whose position has stopped arriving (RUN-14), by the one process that converses
/// with Data4Help. For its loop.
///
/// Nobody is told of a silence that is ours: everything that Data4Help had two minutes after the
/// last position must be stored here, and be what the silence was seen in. Nor of one that a wrong
/// clock makes up: the same position must be the last one at two looks.
package final class LostSignals {
  /// How often is looked.
  static let pause = Duration.seconds(5)
  /// After a silence that a runner was told of, how long no other one is told of.
  static let toldAgainAfter = Duration.seconds(600)

  private let database: Database
  private let outbox: Outbox
  private var seen: Set<Silence> = []
  private var told: Set<Silence> = []

  private struct Silence: Hashable {
    let runID: Int64
    let number: Int32
    let since: Timestamp
  }

  /// Tells by this outbox.
  package init(database: Database, outbox: Outbox) {
    self.database = database
    self.outbox = outbox
  }

  /// Tells those of these runners who were silent at the look before and not told yet, as far as it
  /// is known what Data4Help had, that is `caughtUpAt`; gives whether there are some of whom it is
  /// not.
  ///
  /// - Throws: 503 if the database is away.
  package func tell(
    _ lost: [LostSignal], caughtUpAt: WallTime?
  ) async throws(ApplicationError) -> Bool {
    let before = seen
    seen = Set(lost.map(Self.silence))
    told.formIntersection(seen)
    let new = lost.filter { !told.contains(Self.silence($0)) }
    let known = new.filter { signal in
      caughtUpAt.map { $0.timestamp >= signal.lostAt } ?? false
    }
    let due = known.filter { before.contains(Self.silence($0)) }
    if !due.isEmpty {
      let rows = try await database.transaction { (transaction) throws(ApplicationError) in
        let rows = try await transaction.run(NoteLostSignals(due))
        try await outbox.add(orders(rows), in: transaction)
        return rows
      }
      outbox.announce()
      for row in rows {
        told.insert(
          Silence(runID: row.runID, number: row.number, since: row.since.timestamp))
      }
    }
    return known.count < new.count
  }

  private static func silence(_ signal: LostSignal) -> Silence {
    Silence(runID: signal.runID, number: signal.number, since: signal.since)
  }

  private func orders(_ rows: [NoteLostSignals.Row]) -> [OutboxOrder] {
    Dictionary(grouping: rows, by: \.runID).values.compactMap { rows in
      rows.first.map {
        RunNews($0.runID, $0.runName, startsAt: $0.startsAt)
          .order(.signalLost, to: rows.map(\.account))
      }
    }
  }
}

extension LostSignal {
  /// When the signal counted as lost.
  fileprivate var lostAt: Timestamp {
    since.adding(seconds: Int64(RunnerState.signalLostAfter))
  }
}

/// Notes of which silences runners are told, and gives who is: not those of whom something has
/// come meanwhile, nor who was told of another one lately.
struct NoteLostSignals: Statement {
  struct Row: Sendable {
    let runID: Int64
    let number: Int32
    let since: WallTime
    let account: AccountID
    let runName: String
    let startsAt: WallTime
  }
  static let sql: SQL<Self> = """
    UPDATE track4run.enrolments AS enrolment
       SET silent_since = given.since
      FROM unnest(\(\.runs), \(\.numbers), \(\.sinces), \(\.upTos))
             AS given (run_id, number, since, up_to),
           track4run.runs AS run
     WHERE (enrolment.run_id, enrolment.number) = (given.run_id, given.number)
       AND enrolment.left_at IS NULL
       AND (enrolment.silent_since IS NULL
            OR enrolment.silent_since + \(\.toldAgainAfter) * interval '1 second' <= given.since)
       AND NOT EXISTS (
             SELECT FROM track4run.run_data AS newer
              WHERE (newer.run_id, newer.number) = (given.run_id, given.number)
                AND newer.stream_seq > given.up_to)
       AND run.run_id = enrolment.run_id
       AND run.cancelled_at IS NULL
    RETURNING enrolment.run_id, enrolment.number, given.since, enrolment.account_id, run.name,
              run.starts_at
    """
  static let columns = Columns(Row.init)
  let runs: [Int64]
  let numbers: [Int32]
  let sinces: [WallTime]
  let upTos: [Int64]
  let toldAgainAfter = LostSignals.toldAgainAfter / .seconds(1)

  init(_ signals: [LostSignal]) {
    runs = signals.map(\.runID)
    numbers = signals.map(\.number)
    sinces = signals.map { WallTime($0.since) }
    upTos = signals.map(\.upTo)
  }
}
