import EventLoop
import Requirements
import ServiceKit
import Sharing
import Testing
import Time

@Suite("Leases that a fault of the database has left", .tags(.REQ_2))
struct LeaseReleaseTests {
  /// The attempts to release one lease, and whether they have ended.
  private final class Attempts {
    var times: [MonotonicInstant] = []
    var isOver = false
  }

  /// One lease of 45 s on a manual loop; the release fails before `available`.
  private struct Stage {
    let loop: EventLoop
    let release: LoopBound<LeaseRelease>
    let attempts: LoopBound<Attempts>

    init(available: Duration) {
      let loop = EventLoop.manual()
      var environment = Environment.system
      // No jitter.
      environment.randomBytes = { Array(repeating: 128, count: $0) }
      let release = LoopBound(
        LeaseRelease(on: loop, environment: environment, lease: .seconds(45)), on: loop)
      let attempts = LoopBound(Attempts(), on: loop)
      (self.loop, self.release, self.attempts) = (loop, release, attempts)
      loop.begin {
        await release.value.run { () async throws(ApplicationError) in
          attempts.value.times.append(loop.now)
          guard loop.now < MonotonicInstant.zero + available else { return }
          throw ApplicationError(.unavailable)
        }
        attempts.value.isOver = true
      }
      loop.runUntilIdle()
    }

    var seconds: [Double] {
      attempts.value.times.map { Double($0.nanoseconds) / 1_000_000_000 }
    }
  }

  @Test("while the database is unavailable attempts become rarer, until the lease has ended")
  func growing() {
    let stage = Stage(available: .seconds(3600))
    stage.loop.advance(by: .seconds(120))
    #expect(stage.seconds == [1, 2, 4, 6, 10, 14, 18, 22, 26, 30, 34, 38, 42])
    #expect(stage.attempts.value.isOver)
  }

  @Test("a lease is released once, within five seconds of the end of an outage")
  func released() {
    let stage = Stage(available: .milliseconds(6_001))
    stage.loop.advance(by: .seconds(120))
    #expect(stage.seconds == [1, 2, 4, 6, 10])
    #expect(stage.attempts.value.isOver)
  }

  @Test("a stopping process makes one further attempt, without a pause")
  func stopped() {
    let stage = Stage(available: .seconds(3600))
    stage.loop.advance(by: .seconds(7))
    stage.release.value.stop()
    stage.loop.runUntilIdle()
    #expect(stage.seconds == [1, 2, 4, 6, 7])
    #expect(stage.attempts.value.isOver)
    stage.loop.advance(by: .seconds(120))
    #expect(stage.seconds.count == 5)
  }
}
