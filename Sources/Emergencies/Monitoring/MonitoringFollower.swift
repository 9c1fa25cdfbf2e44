import AutomatedSOS
import Bytes
import Domain
import EventLoop
import Operations
import ServiceKit
import Time

/// Synchronises the detectors of a process with the database: monitored people, by the numbers of
/// the changes, and the progress of emergencies that other processes or the scheduler have
/// advanced. Ends the voice calls of ended emergencies. One per process; only for its loop.
package final class MonitoringFollower {
  /// How often changes are looked for.
  static let pause = Duration.milliseconds(100)
  /// The pause after a failure of the database.
  static let failurePause = Duration.milliseconds(500)
  /// How often live runs are read; the result is valid for two minutes (decision 0021).
  static let runsPause = Duration.seconds(10)
  private static let rowsMax: Int64 = 5_000
  private static let triesMax = 60

  private let dependencies: EmergenciesDependencies
  private let watch: EmergencyWatch
  private let calls: ActiveCalls
  private var lastChange: Int64 = 0
  /// The emergencies as last passed to the detectors.
  private var notified: [UniversalID: FollowedEmergency] = [:]
  private var work: PeriodicTask?
  private var isFailing = false
  private var runsAreDue = MonotonicInstant.zero
  private let prolongedQuiet: ProlongedQuiet
  private var quietIsDue = MonotonicInstant.zero
  private let count: Gauge

  init(_ dependencies: EmergenciesDependencies, _ watch: EmergencyWatch, _ calls: ActiveCalls) {
    self.dependencies = dependencies
    self.calls = calls
    prolongedQuiet = ProlongedQuiet(database: dependencies.database, watch: watch)
    self.watch = watch
    count = dependencies.metrics.gauge(
      "trackme_data4help_people_monitored", "People whose readings this process judges.")
  }

  /// Reads the monitored people, and starts following. On the loop.
  ///
  /// - Throws: if a database stays unavailable for a minute: unmonitored readings would pass for
  ///   normal ones.
  func start() async throws(StartError) {
    for attempt in 1...Self.triesMax {
      do throws(ApplicationError) {
        try await follow()
        try await followRuns()
        return begin()
      } catch {
        dependencies.log.failure(
          "read monitored accounts failed", error, level: .warning, .number("attempt", attempt))
      }
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        _ = dependencies.loop.schedule(after: .seconds(1)) { continuation.resume() }
      }
    }
    throw StartError("The monitored accounts can't be read: the database is unavailable.")
  }

  private func begin() {
    let bound = LoopBound(self, on: dependencies.loop)
    let work = PeriodicTask(on: dependencies.loop) { await bound.value.turn() }
    self.work = work
    work.start()
  }

  func stop() async { await work?.stop() }

  private func turn() async -> Duration {
    do throws(ApplicationError) {
      try await follow()
      if dependencies.loop.now >= runsAreDue { try await followRuns() }
      if dependencies.loop.now >= quietIsDue { try await prolongQuiet() }
      isFailing = false
      return Self.pause
    } catch {
      if !isFailing {
        dependencies.log.failure("follow monitored accounts failed", error, level: .warning)
      }
      isFailing = true
      return Self.failurePause
    }
  }

  /// Applies the changes since the last time.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  package func follow() async throws(ApplicationError) {
    try await followPeople()
    try await followEmergencies()
  }

  /// Finds the monitored people who are in a live run.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  package func followRuns() async throws(ApplicationError) {
    let now = dependencies.environment.now()
    let runners = try await dependencies.database.rows(
      MonitoredRunners(now: now.millisecondsSince1970))
    watch.monitoring.noteExercise(of: runners, at: Moment(now))
    runsAreDue = dependencies.loop.now + Self.runsPause
  }

  /// Stores the extended quiet periods of rules whose readings are critical after a call.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  package func prolongQuiet() async throws(ApplicationError) {
    quietIsDue = dependencies.loop.now + ProlongedQuiet.pause
    try await prolongedQuiet.store()
  }

  private func followPeople() async throws(ApplicationError) {
    while true {
      let rows = try await dependencies.database.rows(
        MonitoredUsersAfter(change: lastChange, countMax: Self.rowsMax))
      let now = Moment(dependencies.environment.now())
      let today = dependencies.today
      for row in rows {
        let isNew = !watch.monitoring.watches(row.account)
        watch.monitoring.apply(row, at: now, today: today)
        // A new detector does not know the emergencies in progress.
        if isNew { notified = notified.filter { $0.value.account != row.account } }
        lastChange = row.change
      }
      if !rows.isEmpty { count.set(Int64(watch.monitoring.count)) }
      guard rows.count == Int(Self.rowsMax) else { return }
    }
  }

  private func followEmergencies() async throws(ApplicationError) {
    let rows = try await dependencies.database.rows(
      FollowedEmergencies(now: dependencies.environment.now()))
    var seen: [UniversalID: FollowedEmergency] = [:]
    // Of two emergencies of one rule the newer one is applied last.
    for row in rows.sorted(by: { $0.measured < $1.measured }) {
      seen[row.id] = row
      if notified[row.id] != row { watch.follow(row) }
    }
    // A followed emergency without a row was deleted with its account.
    calls.follow { seen[$0]?.stage ?? (notified[$0] == nil ? nil : .closed) }
    // A detector that missed the end of an emergency would continue it with new readings.
    for row in notified.values where seen[row.id] == nil && row.stage.isBeforeCall {
      watch.forget(row)
    }
    if notified != seen { watch.copies.noteFollowed(seen) }
    notified = seen
  }
}
