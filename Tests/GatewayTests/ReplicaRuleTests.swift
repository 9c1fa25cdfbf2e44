import Gateway
import Requirements
import Testing
import Time

/// `#expect` can't evaluate mutating expressions.
private func holds(_ condition: Bool, _ place: SourceLocation = #_sourceLocation) {
  #expect(condition, sourceLocation: place)
}

@Suite("The health of a replica", .tags(.GW_1))
struct ReplicaHealthTests {
  @Test("a replica enters rotation when a check has passed, not when it is connected")
  func admission() {
    var health = ReplicaHealth()
    #expect(!health.isUsable)
    holds(health.opened() == .check(after: .zero))
    #expect(!health.isUsable)
    holds(health.passed() == .admit(checkAfter: ReplicaHealth.checkPause))
    #expect(health.isUsable)
    holds(health.passed() == .check(after: ReplicaHealth.checkPause))
  }

  @Test("a replica that asks for no more requests is connected to again at once", .tags(.OPS_4))
  func leaving() {
    var health = ReplicaHealth()
    _ = health.opened()
    _ = health.passed()
    holds(health.left() == .reconnect(after: ReplicaHealth.reconnectMin, wasUp: false))
    #expect(!health.isUsable)
    holds(health.opened() == .check(after: .zero))
    holds(health.passed() == .admit(checkAfter: ReplicaHealth.checkPause))
  }

  @Test("a replica leaves rotation after a second failed check, and returns after a passed one")
  func ejection() {
    var health = ReplicaHealth()
    _ = health.opened()
    _ = health.passed()
    holds(health.failed() == .check(after: ReplicaHealth.recheckPause))
    #expect(health.isUsable)
    holds(health.failed() == .eject(checkAfter: ReplicaHealth.recheckPause))
    #expect(!health.isUsable)
    holds(health.failed() == .check(after: ReplicaHealth.recheckPause))
    holds(health.passed() == .admit(checkAfter: ReplicaHealth.checkPause))
    #expect(health.isUsable)
  }

  @Test("a passed check resets the count of failed ones")
  func forgiveness() {
    var health = ReplicaHealth()
    _ = health.opened()
    _ = health.passed()
    _ = health.failed()
    _ = health.passed()
    holds(health.failed() == .check(after: ReplicaHealth.recheckPause))
    #expect(health.isUsable)
  }

  @Test("a lost connection removes a replica immediately, and pauses grow to a second")
  func loss() {
    var health = ReplicaHealth()
    _ = health.opened()
    _ = health.passed()
    holds(health.closed() == .reconnect(after: .milliseconds(20), wasUp: true))
    #expect(!health.isUsable)
    holds(health.closed() == .reconnect(after: .milliseconds(40), wasUp: false))
    for _ in 0..<20 { _ = health.closed() }
    holds(health.closed() == .reconnect(after: .seconds(1), wasUp: false))
    _ = health.opened()
    _ = health.passed()
    holds(health.closed() == .reconnect(after: .milliseconds(20), wasUp: true))
  }
}

@Suite("Retries", .tags(.GW_1))
struct RetryTests {
  private func mayRepeat(
    _ failure: StreamFailureKind, repeatable: Bool, kept: Bool = true, attempts: Int = 1
  ) -> Bool {
    RetryRule.mayRepeat(
      failure, isRepeatable: repeatable, isBodyKept: kept, attempts: attempts)
  }

  @Test("an unprocessed request is retried with any method")
  func unprocessed() {
    #expect(mayRepeat(.unprocessed, repeatable: false))
    #expect(mayRepeat(.unprocessed, repeatable: true))
  }

  @Test("a request that may have been processed is retried only if idempotent")
  func sent() {
    #expect(mayRepeat(.sent, repeatable: true))
    #expect(!mayRepeat(.sent, repeatable: false))
  }

  @Test("no request is retried after its response began, without time, or without its body")
  func never() {
    #expect(!mayRepeat(.responseBegun, repeatable: true))
    #expect(!mayRepeat(.late, repeatable: true))
    #expect(!mayRepeat(.unprocessed, repeatable: true, kept: false))
  }

  @Test("a request is sent four times at most")
  func attempts() {
    #expect(mayRepeat(.sent, repeatable: true, attempts: 3))
    #expect(!mayRepeat(.sent, repeatable: true, attempts: 4))
  }

  @Test("the budget allows retries for a fifth of the requests, and a hundred more")
  func budget() {
    var budget = RetryBudget()
    for _ in 0..<1000 { budget.sent() }
    var repetitions = 0
    while budget.take(at: .zero) { repetitions += 1 }
    #expect((299...300).contains(repetitions))
    for _ in 0..<10 { holds(budget.take(at: MonotonicInstant(nanoseconds: 1_000_000_000))) }
    holds(!budget.take(at: MonotonicInstant(nanoseconds: 1_000_000_000)))
  }

  @Test("the budget is limited")
  func budgetBound() {
    var budget = RetryBudget()
    for _ in 0..<100_000 { budget.sent() }
    var repetitions = 0
    while budget.take(at: .zero) { repetitions += 1 }
    #expect(repetitions <= Int(RetryBudget.savedMax + RetryBudget.freeMax))
  }
}

@Suite("Rendezvous hashing", .tags(.GW_1))
struct RendezvousTests {
  private func owner(_ account: Int64, _ replicas: [String]) -> String? {
    replicas.max { left, right in
      Rendezvous.weight(Rendezvous.key(left), account)
        < Rendezvous.weight(Rendezvous.key(right), account)
    }
  }

  @Test("accounts are distributed evenly, and a leaving replica moves only its own")
  func spread() {
    let all = ["unix:/a", "unix:/b", "unix:/c"]
    var counts: [String: Int] = [:]
    for account in Int64(1)...3000 {
      guard let first = owner(account, all) else { continue }
      counts[first, default: 0] += 1
      if first != "unix:/c" { #expect(owner(account, ["unix:/a", "unix:/b"]) == first) }
    }
    for replica in all { #expect((850...1150).contains(counts[replica] ?? 0)) }
  }
}
