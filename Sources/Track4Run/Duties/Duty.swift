import EventLoop
import HTTP
import Operations
import Postgres
import Privacy
import Services

/// Work that one process of all replicas does at a time, by a lease in the database.
///
/// Who holds it renews it every second; of a process that was killed it ends after five, and of one
/// that stops at once. A process that stands still may come back to find another at work: whatever
/// is done by duty does no harm when two do it.
// SAFETY: confined to its loop, which every entry point asserts.
package final class Duty: @unchecked Sendable {
  /// How often the lease is renewed, or asked for.
  static let pause = Duration.seconds(1)
  /// How long a process takes it to be its own: a second less than the row says.
  static let heldFor = Duration.seconds(4)

  private let surroundings: RunSurroundings
  private let holder = UniversalID.random()
  private let loop: EventLoop
  private var heldUntil: MonotonicInstant?
  private var work: RepeatingWork?
  private var taken: [() -> Void] = []

  /// A duty that nobody here holds until `start`.
  init(_ surroundings: RunSurroundings, on loop: EventLoop) {
    self.surroundings = surroundings
    self.loop = loop
  }

  /// Whether this process is the one. On the loop.
  var isHeld: Bool {
    loop.assertCurrent()
    return heldUntil.map { loop.now < $0 } ?? false
  }

  /// Calls `wake` whenever this process has become the one. On the loop.
  func onTaking(_ wake: @escaping () -> Void) {
    loop.assertCurrent()
    taken.append(wake)
  }

  /// Begins to ask for it. On the loop, once.
  func start() {
    loop.assertCurrent()
    let work = RepeatingWork(on: loop) { [weak self] in await self?.turn() ?? Self.pause }
    self.work = work
    work.start()
  }

  /// Gives it up. On the loop.
  func stop() async {
    loop.assertCurrent()
    await work?.stop()
    heldUntil = nil
    do throws(ApplicationError) {
      _ = try await surroundings.database.effect(LeaveDuty(holder: holder))
    } catch {
      surroundings.log.failure("release lease failed", error, level: .warning)
    }
  }

  private func turn() async -> Duration {
    let (began, wasHeld) = (loop.now, isHeld)
    do throws(ApplicationError) {
      let isTaken = try await surroundings.database.effect(TakeDuty(holder: holder)) != nil
      heldUntil = isTaken ? began + Self.heldFor : nil
      if isTaken, !wasHeld { for wake in taken { wake() } }
    } catch {
      surroundings.log.failure(
        "acquire lease failed", error, level: .warning, .flag("was_held", wasHeld))
    }
    return Self.pause
  }
}

/// The statements of duties, for the check against the schema.
enum DutyStatements {
  /// All of them.
  static let all: [any Statement.Type] = [TakeDuty.self, LeaveDuty.self]
}

/// Takes the duty or keeps it; no row while another process holds it. By the database's clock.
struct TakeDuty: Statement {
  typealias Row = Int16
  static let sql: SQL<Self> = """
    UPDATE track4run.duties
       SET holder_id = \(\.holder), held_until = clock_timestamp() + interval '5 seconds'
     WHERE duty = 1
       AND (holder_id IS NULL OR holder_id = \(\.holder) OR held_until <= clock_timestamp())
    RETURNING duty
    """
  let holder: UniversalID
}

/// Gives the duty up, if it is still one's own.
struct LeaveDuty: Statement {
  typealias Row = Int16
  static let sql: SQL<Self> = """
    UPDATE track4run.duties
       SET holder_id = NULL, held_until = NULL
     WHERE duty = 1
       AND holder_id = \(\.holder)
    RETURNING duty
    """
  let holder: UniversalID
}
