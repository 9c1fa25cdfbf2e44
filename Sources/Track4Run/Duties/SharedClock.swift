import EventLoop
import HTTP
import Operations
import Postgres
import Services
import Synchronization

/// The civil time of this process as all processes have it: the database's, followed by the clock
/// that never jumps.
///
/// Runs open for check-in, start and end by the clock. Were each process to go by its own, one that
/// is wrong would send runners away whom the others let start, and show a run as over that is on.
package final class SharedClock: Sendable {
  /// How often the database is asked.
  package static let every = Duration.seconds(10)
  /// What the two may differ by before anything is changed, beside what asking took.
  package static let differenceMax = Duration.milliseconds(100)
  /// How soon it is asked again while it has not answered yet.
  private static let soon = Duration.milliseconds(500)
  /// From which difference on an operator is told.
  private static let toldFromSeconds = 1.0

  /// A civil time and the instant at which it was right.
  private struct Reference {
    var time: WallTime
    var instant: MonotonicInstant
    /// Whether the database said it, and not this machine.
    var isShared = false
    /// Whether an operator was told that this machine is wrong.
    var isTold = false
  }

  private let system: World
  private let reference: Mutex<Reference>

  /// A clock that goes by that of the system until the database was asked.
  package init(_ system: World) {
    self.system = system
    reference = Mutex(Reference(time: system.now(), instant: system.monotonicNow()))
  }

  /// The present time.
  package var now: WallTime {
    let instant = system.monotonicNow()
    return reference.withLock { $0.time + (instant - $0.instant) }
  }

  /// Time by this clock, chance by the system.
  package var world: World {
    World(
      now: { self.now }, monotonicNow: system.monotonicNow, randomBytes: system.randomBytes)
  }

  /// Takes what the database said to a question that was asked and answered at these instants.
  package func take(
    _ shared: WallTime, askedAt: MonotonicInstant, answeredAt: MonotonicInstant
  ) {
    let doubt = (answeredAt - askedAt) / 2
    let believed = shared + doubt
    reference.withLock { reference in
      let own = reference.time + (answeredAt - reference.instant)
      let isNear =
        own < believed + (Self.differenceMax + doubt)
        && believed < own + (Self.differenceMax + doubt)
      reference.time = isNear ? own : believed
      reference.instant = answeredAt
      reference.isShared = true
    }
  }

  /// By how much the system's clock is ahead of this one, in seconds.
  package var systemAheadSeconds: Double {
    Double(system.now().microsecondsSince1970 - now.microsecondsSince1970) / 1e6
  }

  /// Whether an operator is to be told that this machine is wrong: once, and again when it was
  /// right between.
  package func isToBeTold() -> Bool {
    let isWrong = abs(systemAheadSeconds) > Self.toldFromSeconds
    return reference.withLock { reference in
      defer { reference.isTold = isWrong }
      return isWrong && !reference.isTold
    }
  }
}

// MARK: Following the database

extension SharedClock {
  /// The part of a process that sets the clock before any other part begins, and from then on.
  func following(_ database: Database, _ process: ServiceProcess) -> LifecycleComponent {
    process.metrics.reading(
      "trackme_track4run_clock_ahead_seconds",
      "Seconds by which the system clock is ahead of the database clock, which times runs."
    ) { self.systemAheadSeconds }
    let work = RepeatingWork(on: database.loop) {
      await self.ask(database, log: process.log)
      return self.reference.withLock { $0.isShared } ? Self.every : Self.soon
    }
    return LifecycleComponent(
      "clock",
      start: { () async throws(StartError) in
        await self.ask(database, log: process.log)
        work.start()
      },
      stop: { await work.stop() })
  }

  /// Asks the database. While it is away, time goes on by the clock that never jumps.
  private func ask(_ database: Database, log: Log) async {
    let askedAt = system.monotonicNow()
    do throws(PostgresError) {
      guard let shared = try await database.readOne(SharedTime()) else { return }
      take(shared, askedAt: askedAt, answeredAt: system.monotonicNow())
    } catch {
      return log.failure("read database time failed", error, level: .warning)
    }
    guard isToBeTold() else { return }
    log.warning(
      "system clock deviates from database clock",
      [.number("ahead_seconds", Int(systemAheadSeconds))])
  }
}

/// What the database's clock says.
struct SharedTime: Statement {
  typealias Row = WallTime
  static let sql: SQL<Self> = "SELECT clock_timestamp()"
}
