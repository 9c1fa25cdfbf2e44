import OperatorTool
import Testing
import Time

@Suite("When a program is restarted")
struct RestartPolicyTests {
  private let start = MonotonicInstant.zero

  /// A policy whose program has been ready since the start of time.
  private func ready() -> RestartPolicy {
    var policy = RestartPolicy()
    _ = policy.begin()
    policy.becameReady(at: start)
    return policy
  }

  @Test("a program that was never ready fails the start")
  func failedStart() {
    var policy = RestartPolicy()
    #expect(policy.begin() == .start)
    #expect(policy.ended(at: start) == .fail)
    #expect(policy.stopRequested() == .finish)
  }

  @Test("a program that was ready for a second restarts soon, however often it ends")
  func steady() {
    var policy = ready()
    var now = start
    for count in 1...20 {
      now = now + RestartPolicy.steadyAfter
      #expect(policy.ended(at: now) == .startAfter(RestartPolicy.delayFirst))
      #expect(policy.delayPassed() == .start)
      policy.becameReady(at: now)
      #expect(policy.restartCount == count)
    }
  }

  @Test("the delay of a program that ends sooner doubles each time, up to half a minute")
  func backOff() {
    var policy = ready()
    let now = start + .milliseconds(999)
    var delays: [RestartPolicy.Action] = []
    for _ in 0..<10 {
      delays.append(policy.ended(at: now))
      _ = policy.delayPassed()
    }
    let expected = [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000]
    #expect(delays == expected.map { .startAfter(.milliseconds($0)) })
  }

  @Test("a program asked to stop is not restarted, and is killed after the timeout")
  func stop() {
    var policy = ready()
    #expect(policy.stopRequested() == .askToStop)
    #expect(policy.stopRequested() == .wait)
    #expect(policy.waitEnded() == .kill)
    #expect(policy.ended(at: start) == .finish)
    #expect(policy.waitEnded() == .wait)
  }

  @Test("a program that waits for a restart ends at once when it is stopped")
  func stopWhileDelayed() {
    var policy = ready()
    _ = policy.ended(at: start)
    #expect(policy.stopRequested() == .finish)
    #expect(policy.delayPassed() == .wait)
  }

  @Test("a late readiness report of an ended program is ignored")
  func lateReadiness() {
    var policy = ready()
    _ = policy.ended(at: start)
    policy.becameReady(at: start)
    #expect(!policy.isReady)
  }
}
