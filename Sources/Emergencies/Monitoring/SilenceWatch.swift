import Accounts
import AutomatedSOS
import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit
import Time

/// Notifies people once that their devices have stopped sending (SOS-9). A person's readings may
/// reach any replica, so the time of the last one is stored in the database, a few times a minute
/// for all people together. Only for its loop.
package final class SilenceWatch {
  /// The interval of storing and checking, and so the greatest delay of a notice of silence.
  static let pause = Duration.seconds(15)
  /// The time without a reading after which a person is notified (docs/facts.md, SOS: 10 minutes).
  static let silence = Duration.seconds(600)
  private static let countMax: Int64 = 500
  private static let heardMax = 500
  /// The number of turns in which the old vital signs of all people are removed once.
  private static let parts = 8

  private let loop: EventLoop
  private let environment: Environment
  private let database: Database
  private let notices: Notices
  private let log: Log
  private let monitoring: Monitoring
  private var work: PeriodicTask?
  private var turns = 0

  init(
    loop: EventLoop, environment: Environment, database: Database, notices: Notices, log: Log,
    _ monitoring: Monitoring
  ) {
    self.loop = loop
    self.environment = environment
    self.database = database
    self.notices = notices
    self.log = log
    self.monitoring = monitoring
  }

  /// Starts looking. On the loop, once.
  func start() {
    let bound = LoopBound(self, on: loop)
    let work = PeriodicTask(on: loop) { await bound.value.turnAndRest() }
    self.work = work
    work.start()
  }

  func stop() async { await work?.stop() }

  private func turnAndRest() async -> Duration {
    do throws(ApplicationError) { try await turn() } catch {
      log.failure("find silent devices failed", error, level: .warning)
    }
    return Self.pause
  }

  /// Stores the times of received readings, and notifies people without any.
  ///
  /// - Throws: `unavailable` if the database is unavailable; the next reading stores the missed
  ///   times.
  package func turn() async throws(ApplicationError) {
    monitoring.dropOldReadings(at: environment.now(), part: turns, of: Self.parts)
    turns += 1
    let heard = monitoring.drainHeard().sorted { $0.key < $1.key }
    // In batches: an emergency of any of these people waits for the commit.
    for start in stride(from: 0, to: heard.count, by: Self.heardMax) {
      let piece = heard[start..<min(start + Self.heardMax, heard.count)]
      _ = try await database.effect(
        NoteHeard(accounts: piece.map(\.key), times: piece.map(\.value.instant)))
    }
    let now = environment.now()
    let isNotified = try await database.transaction(retrying: .conflicts(times: 3)) {
      (transaction) throws(ApplicationError) -> Bool in
      let silent = try await transaction.run(
        ClaimSilentUsers(before: now - Self.silence, now: now, countMax: Self.countMax))
      try await notices.add(
        silent.map { EmergencyNotice.silent(since: $0.since, to: $0.account) }, in: transaction)
      return !silent.isEmpty
    }
    if isNotified { notices.announce() }
  }
}
