import Data4HelpSync
import Domain
import Postgres
import Runs
import ServiceKit
import Time

/// A runner on the course whose positions stopped arriving.
package struct LostSignal: Sendable, Hashable {
  /// The run.
  package let runID: Int64
  /// The runner's number in it.
  package let number: Int32
  /// The time of the last position.
  package let since: Instant
  /// The sequence number up to which everything of the runner was counted.
  package let upTo: Int64

  /// Creates a lost signal from its parts.
  package init(runID: Int64, number: Int32, since: Instant, upTo: Int64) {
    self.runID = runID
    self.number = number
    self.since = since
    self.upTo = upTo
  }
}

/// Notifies runners whose positions stopped arriving (RUN-14), in the process that synchronises
/// with Data4Help. Confined to its loop.
///
/// A delay of our own causes no notice: everything that Data4Help had two minutes after the last
/// position must be stored here, and be part of the data in which the silence was found. Nor does a
/// wrong clock: the same position must be the last one in two rounds.
package final class LostSignals {
  /// The interval between two rounds.
  package static let pause = Duration.seconds(5)
  /// The interval after a notice in which the runner receives no other one.
  static let notifiedAgainAfter = Duration.seconds(600)

  private let database: Database
  private let outbox: Outbox
  private var seen: Set<Silence> = []
  private var notified: Set<Silence> = []

  private struct Silence: Hashable {
    let runID: Int64
    let number: Int32
    let since: Instant
  }

  /// Creates the notifier with this outbox.
  package init(database: Database, outbox: Outbox) {
    self.database = database
    self.outbox = outbox
  }

  /// Notifies the runners among these who were silent in the previous round and have not been
  /// notified yet. A silence counts only if everything that Data4Help had by then is stored, which
  /// holds up to `caughtUpAt`.
  ///
  /// - Returns: whether some silences have to wait for that.
  /// - Throws: `unavailable` if the database is unreachable.
  package func notify(
    _ lost: [LostSignal], caughtUpAt: Instant?
  ) async throws(ApplicationError) -> Bool {
    let before = seen
    seen = Set(lost.map(Self.silence))
    notified.formIntersection(seen)
    let new = lost.filter { !notified.contains(Self.silence($0)) }
    let known = new.filter { signal in
      caughtUpAt.map { $0.flooredToMilliseconds >= signal.lostAt } ?? false
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
        notified.insert(
          Silence(runID: row.runID, number: row.number, since: row.since.flooredToMilliseconds))
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
        RunNotification($0.runID, $0.runName, startsAt: $0.startsAt)
          .order(.signalLost, to: rows.map(\.account))
      }
    }
  }
}

extension LostSignal {
  /// The time from which the signal counts as lost.
  fileprivate var lostAt: Instant {
    since.adding(seconds: Int64(RunnerState.signalLostAfter))
  }
}

/// Records the notified silences and returns their runners, without those whose data has arrived
/// since and those who were notified recently.
struct NoteLostSignals: Statement {
  struct Row: Sendable {
    let runID: Int64
    let number: Int32
    let since: Instant
    let account: AccountID
    let runName: String
    let startsAt: Instant
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
            OR enrolment.silent_since + \(\.notifiedAgainAfter)
                 * interval '1 second' <= given.since)
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
  let sinces: [Instant]
  let upTos: [Int64]
  let notifiedAgainAfter = LostSignals.notifiedAgainAfter / .seconds(1)

  init(_ signals: [LostSignal]) {
    runs = signals.map(\.runID)
    numbers = signals.map(\.number)
    sinces = signals.map(\.since)
    upTos = signals.map(\.upTo)
  }
}
