import AutomatedSOS
import Bytes
import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit
import Time

/// Ends the stages of emergencies whose time is over: asks the person, treats no answer as a
/// confirmation, calls at the end of the window, and calls the next hospital if the last one does
/// not acknowledge.
///
/// Every replica looks for due emergencies ten times a second, and the first one to lock a row
/// advances it. No replica counts down alone, so that a killed process delays an emergency by at
/// most one turn of another replica (decision 0023). Only for its loop.
package final class EmergencyScheduler {
  /// How often due emergencies are looked for.
  package static let pause = Duration.milliseconds(100)
  /// The pause after a failure of the database.
  static let failurePause = Duration.milliseconds(200)
  /// The pause before another attempt to advance an emergency.
  static let retryAfter = Duration.seconds(2)
  private static let dueMax: Int64 = 100

  private let loop: EventLoop
  private let environment: Environment
  private let database: Database
  private let log: Log
  private let store: EmergencyStore
  private let calls: EmergencyCalling
  private let copies: OfflineEmergencies
  private var work: PeriodicTask?
  private var postponed: [UniversalID: MonotonicInstant] = [:]
  /// Emergencies whose transaction is in progress.
  private var inProgress: Set<UniversalID> = []

  init(
    loop: EventLoop, environment: Environment, database: Database, log: Log,
    _ store: EmergencyStore,
    _ calls: EmergencyCalling,
    _ copies: OfflineEmergencies
  ) {
    self.loop = loop
    self.environment = environment
    self.database = database
    self.log = log
    self.copies = copies
    self.store = store
    self.calls = calls
  }

  /// Starts looking. On the loop, once.
  package func start() {
    let bound = LoopBound(self, on: loop)
    let work = PeriodicTask(on: loop) { await bound.value.turnAndPause() }
    self.work = work
    work.start()
  }

  /// Stops after the work in progress. On the loop.
  package func stop() async { await work?.stop() }

  private func turnAndPause() async -> Duration {
    do throws(ApplicationError) {
      return try await turn() > 0 ? .zero : Self.pause
    } catch {
      log.failure("read due emergencies failed", error, level: .warning)
      return Self.failurePause
    }
  }

  /// Advances the emergencies that are due; returns how many. On the loop.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  package func turn() async throws(ApplicationError) -> Int {
    let rows = try await due()
    let now = loop.now
    postponed = postponed.filter { $0.value > now }
    var count = 0
    let bound = LoopBound(self, on: loop)
    for row in rows
    where postponed[row.id] == nil && !inProgress.contains(row.id) && !copies.isOffline(row.id) {
      let move = PendingOutcome(on: loop) { await bound.value.advanceOrPostpone(row) }
      guard case .success(let isAdvanced) = await move.value(within: store.settings.advanceMax)
      else {
        // The transaction continues; the other emergencies must not queue behind it.
        copies.noteFailedRead()
        break
      }
      if isAdvanced { count += 1 }
    }
    return count
  }

  /// Advances one emergency, and delays its next attempt after a failure.
  private func advanceOrPostpone(_ row: DueEmergencies.Row) async -> Bool {
    inProgress.insert(row.id)
    defer { inProgress.remove(row.id) }
    do throws(ApplicationError) { return try await advance(row) } catch {
      postponed[row.id] = loop.now + Self.retryAfter
      // An emergency that can be read but not stored continues offline, if it is held here.
      if error.reason != .notFound { _ = copies.goOffline(row.id) }
      log.failure("advance emergency failed", error, .safe("emergency", row.id))
      return false
    }
  }

  private func due() async throws(ApplicationError) -> [DueEmergencies.Row] {
    do throws(PostgresError) {
      let rows = try await database.read(
        DueEmergencies(now: environment.now(), countMax: Self.dueMax),
        within: store.settings.answerMax)
      copies.noteRead()
      return rows
    } catch {
      copies.noteFailedRead()
      throw .database(error)
    }
  }

  /// Advances an emergency if it is still due; returns whether it did.
  private func advance(_ due: DueEmergencies.Row) async throws(ApplicationError) -> Bool {
    var mustCall = false
    let isAdvanced = try await store.change(due.id, of: due.account) {
      (row, _) throws(ApplicationError) in
      let now = environment.now()
      mustCall = false
      guard !copies.isOffline(due.id) else { return false }
      guard row.isCallDue(at: now) else { return row.advance(at: now, window: store.window) }
      if row.isDrill {
        row.close(.drillOver, nil, at: now)
      } else {
        mustCall = true
      }
      return row.isDrill
    }
    guard mustCall else { return isAdvanced }
    return try await calls.call(due.id, of: due.account) { copies.isOffline(due.id) }
  }
}
