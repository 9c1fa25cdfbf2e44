import EventLoop
import Operations
import Postgres
import Synchronization
import Time

/// The civil time that all processes share: the database's time, advanced by the monotonic clock.
///
/// Check-ins open and runs start and end by this clock. If each process used its own clock, a
/// process with a wrong one would remove runners whom the others let start, and would show a
/// current run as over.
package final class SharedClock: Sendable {
  /// The interval at which the database is asked.
  package static let every = Duration.seconds(10)
  /// The difference that is tolerated without a correction, in addition to half the round trip.
  package static let differenceMax = Duration.milliseconds(100)
  /// The interval until the first answer of the database.
  private static let soon = Duration.milliseconds(500)
  /// The difference from which the operator is warned.
  private static let reportedFromSeconds = 1.0

  /// A civil time and the instant at which it was read.
  private struct Reference {
    var time: Instant
    var instant: MonotonicInstant
    /// Whether the time came from the database instead of this machine.
    var isShared = false
    /// Whether the operator was already warned about this machine's clock.
    var isReported = false
  }

  private let system: Environment
  private let reference: Mutex<Reference>

  /// Creates a clock that follows the system's until the database was asked.
  package init(_ system: Environment) {
    self.system = system
    reference = Mutex(Reference(time: system.now(), instant: system.monotonicNow()))
  }

  /// The current time.
  package var now: Instant {
    let instant = system.monotonicNow()
    return reference.withLock { $0.time + (instant - $0.instant) }
  }

  /// Time by this clock, randomness by the system.
  package var environment: Environment {
    Environment(
      now: { self.now }, monotonicNow: system.monotonicNow, randomBytes: system.randomBytes)
  }

  /// Applies the database's answer to a query that was sent and answered at these instants.
  package func take(
    _ shared: Instant, askedAt: MonotonicInstant, answeredAt: MonotonicInstant
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

  /// The seconds by which the system's clock is ahead of this one.
  package var systemAheadSeconds: Double {
    Double(system.now().microsecondsSince1970 - now.microsecondsSince1970) / 1e6
  }

  /// Whether the operator has to be warned that this machine's clock is wrong: once, and again
  /// after the clock was right in between.
  package func mustBeReported() -> Bool {
    let isWrong = abs(systemAheadSeconds) > Self.reportedFromSeconds
    return reference.withLock { reference in
      defer { reference.isReported = isWrong }
      return isWrong && !reference.isReported
    }
  }
}

// MARK: Following the database

extension SharedClock {
  /// The component of a process that sets the clock before any other component starts, and keeps it
  /// in step afterwards.
  func following(_ database: Database, _ process: ServiceProcess) -> LifecycleComponent {
    process.metrics.reading(
      "trackme_track4run_clock_ahead_seconds",
      "Seconds by which the system clock is ahead of the database clock, which times runs."
    ) { self.systemAheadSeconds }
    let work = PeriodicTask(on: database.loop) {
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

  /// Asks the database. While the database is unreachable, the monotonic clock advances the time.
  private func ask(_ database: Database, log: Log) async {
    let askedAt = system.monotonicNow()
    do throws(PostgresError) {
      guard let shared = try await database.readOne(SharedTime()) else { return }
      take(shared, askedAt: askedAt, answeredAt: system.monotonicNow())
    } catch {
      return log.failure("read database time failed", error, level: .warning)
    }
    guard mustBeReported() else { return }
    log.warning(
      "system clock deviates from database clock",
      [.number("ahead_seconds", Int(systemAheadSeconds))])
  }
}

/// Reads the database's clock.
struct SharedTime: Statement {
  typealias Row = Instant
  static let sql: SQL<Self> = "SELECT clock_timestamp()"
}
