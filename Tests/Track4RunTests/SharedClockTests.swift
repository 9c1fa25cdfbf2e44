import EventLoop
import Synchronization
import Testing
import Time
import Track4Run

@Suite("The shared clock of Track4Run's processes")
struct SharedClockTests {
  /// The clocks of a machine, set by the test.
  private final class Machine: Sendable {
    private let times = Mutex((wall: Int64(1_780_315_200_000_000), monotonic: Int64(0)))

    var environment: Environment {
      Environment(
        now: { Instant(microsecondsSince1970: self.times.withLock { $0.wall }) },
        monotonicNow: { .zero + .microseconds(self.times.withLock { $0.monotonic }) },
        randomBytes: { Array(repeating: 0, count: $0) })
    }

    /// Advances both clocks, and the civil clock by an additional jump.
    func pass(_ seconds: Int64, jump: Int64 = 0) {
      times.withLock {
        $0.wall += (seconds + jump) * 1_000_000
        $0.monotonic += seconds * 1_000_000
      }
    }
  }

  private let noon = Instant(microsecondsSince1970: 1_780_315_200_000_000)

  @Test("a machine hours ahead uses the database's time, even after its clock is corrected")
  func wrong() {
    let machine = Machine()
    let clock = SharedClock(machine.environment)
    machine.pass(1, jump: 7200)
    // Before the first answer the clock advances from its initial time.
    #expect(clock.now == noon + .seconds(1))
    let instant = machine.environment.monotonicNow()
    clock.take(noon + .seconds(100), askedAt: instant, answeredAt: instant)
    #expect(clock.now == noon + .seconds(100))
    machine.pass(5, jump: -7200)
    #expect(clock.now == noon + .seconds(105))
    #expect(clock.systemAheadSeconds == -99)
  }

  @Test("a wrong clock is logged once, and again after it was right in between")
  func notified() {
    let machine = Machine()
    let clock = SharedClock(machine.environment)
    func look(jump: Int64) -> Bool {
      machine.pass(10, jump: jump)
      return clock.mustBeReported()
    }
    #expect(!look(jump: 0))
    #expect(look(jump: 3600))
    #expect(!look(jump: 1))
    #expect(!look(jump: -3601))
    #expect(look(jump: -2))
  }

  @Test("half the round trip is added, and a difference within it changes nothing")
  func near() {
    let machine = Machine()
    let clock = SharedClock(machine.environment)
    let asked = machine.environment.monotonicNow()
    machine.pass(2)
    let answered = machine.environment.monotonicNow()
    clock.take(noon + .milliseconds(1999), askedAt: asked, answeredAt: answered)
    #expect(clock.now == noon + .seconds(2))
    clock.take(noon + .milliseconds(2200), askedAt: asked, answeredAt: answered)
    #expect(clock.now == noon + .milliseconds(3200))
  }
}
