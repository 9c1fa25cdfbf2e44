import Bytes
import Cryptography
import EventLoop
import Operations
import Postgres
import ServiceKit
import Time

/// A lease in the database for work that only one process of all replicas does at a time.
///
/// The holder renews the lease every second. It ends five seconds after a process was killed, and
/// at once when a process stops. A stalled process may resume while another one holds the lease, so
/// all work under the lease is harmless if two processes do it.
// SAFETY: confined to its loop, which every entry point asserts.
package final class Lease: @unchecked Sendable {
  /// The interval at which the lease is renewed or requested.
  static let pause = Duration.seconds(1)
  /// How long a process counts the lease as held: one second less than the row says.
  static let heldFor = Duration.seconds(4)

  private let database: Database
  private let log: Log
  private let holder = UniversalID.random()
  private let loop: EventLoop
  private var heldUntil: MonotonicInstant?
  private var work: PeriodicTask?
  private var listeners: [() -> Void] = []

  /// Creates a lease that this process does not request until `start`.
  package init(database: Database, log: Log, on loop: EventLoop) {
    self.database = database
    self.log = log
    self.loop = loop
  }

  /// Whether this process holds the lease. On the loop.
  package var isHeld: Bool {
    loop.assertCurrent()
    return heldUntil.map { loop.now < $0 } ?? false
  }

  /// Calls `wake` whenever this process has acquired the lease. On the loop.
  package func onAcquiring(_ wake: @escaping () -> Void) {
    loop.assertCurrent()
    listeners.append(wake)
  }

  /// Starts requesting the lease. On the loop, once.
  package func start() {
    loop.assertCurrent()
    let work = PeriodicTask(on: loop) { [weak self] in await self?.turn() ?? Self.pause }
    self.work = work
    work.start()
  }

  /// Releases the lease. On the loop.
  package func stop() async {
    loop.assertCurrent()
    await work?.stop()
    heldUntil = nil
    do throws(ApplicationError) {
      _ = try await database.effect(ReleaseLease(holder: holder))
    } catch {
      log.failure("release lease failed", error, level: .warning)
    }
  }

  private func turn() async -> Duration {
    let (began, wasHeld) = (loop.now, isHeld)
    do throws(ApplicationError) {
      let isAcquired = try await database.effect(AcquireLease(holder: holder)) != nil
      heldUntil = isAcquired ? began + Self.heldFor : nil
      if isAcquired, !wasHeld { for wake in listeners { wake() } }
    } catch {
      log.failure(
        "acquire lease failed", error, level: .warning, .flag("was_held", wasHeld))
    }
    return Self.pause
  }
}

/// Statements of leases, listed for the schema check.
enum LeaseStatements {
  static let all: [any Statement.Type] = [AcquireLease.self, ReleaseLease.self]
}

/// Acquires or renews the lease by the database's clock; no row while another process holds it.
struct AcquireLease: Statement {
  typealias Row = Int16
  static let sql: SQL<Self> = """
    UPDATE track4run.leases
       SET holder_id = \(\.holder), held_until = clock_timestamp() + interval '5 seconds'
     WHERE lease = 1
       AND (holder_id IS NULL OR holder_id = \(\.holder) OR held_until <= clock_timestamp())
    RETURNING lease
    """
  let holder: UniversalID
}

/// Releases the lease if this process holds it.
struct ReleaseLease: Statement {
  typealias Row = Int16
  static let sql: SQL<Self> = """
    UPDATE track4run.leases
       SET holder_id = NULL, held_until = NULL
     WHERE lease = 1
       AND holder_id = \(\.holder)
    RETURNING lease
    """
  let holder: UniversalID
}
