import Data4HelpFixture
import Domain
import EventLoop
import HTTP
import Postgres
import PostgresFixture
import PublicAPI
import ServiceKit
import Support
import Testing

@Suite("The limiter of group counts")
struct ConcurrencyLimiterTests {
  /// A limiter on a loop, and the order in which it admitted counts.
  private final class Turns {
    let limiter = ConcurrencyLimiter()
    private(set) var admitted: [String] = []
    private(set) var refused: [ConcurrencyLimiter.Refusal] = []
    private var tasks: [Task<Void, Never>] = []

    /// Starts a count that ends when admitted; returns once the count is queued or refused.
    func begin(
      _ name: String, _ work: ConcurrencyLimiter.WorkClass = .requests, of account: Int64,
      on loop: EventLoop
    ) async throws {
      let (before, refusedBefore) = (limiter.waiting, refused.count)
      let bound = LoopBound(self, on: loop)
      let task = Task(executorPreference: loop) {
        let turns = bound.value
        do throws(ConcurrencyLimiter.Refusal) {
          try await turns.limiter.enter(work, for: AccountID(rawValue: account))
          turns.admitted.append(name)
          turns.limiter.leave()
        } catch {
          turns.refused.append(error)
        }
      }
      tasks.append(task)
      try await eventually("the count \(name) in the queue or refused", every: .milliseconds(1)) {
        limiter.waiting != before || refused.count != refusedBefore
      }
    }

    /// Ends the first count and waits for all others.
    func finish() async {
      limiter.leave()
      for task in tasks { await task.value }
    }
  }

  private func onLoop(_ body: @escaping @Sendable (EventLoop) async throws -> Void) async throws {
    let loop = try EventLoop.start(name: "turns")
    defer { loop.stop() }
    try await Task(executorPreference: loop) { try await body(loop) }.value
  }

  @Test("two counts of an account wait, a third is refused, and another account is not")
  func account() async throws {
    try await onLoop { loop in
      let turns = Turns()
      try await turns.limiter.enter(.requests, for: AccountID(rawValue: 1))
      for name in ["a", "b", "c", "d"] { try await turns.begin(name, of: 1, on: loop) }
      try await turns.begin("other", of: 2, on: loop)
      #expect(turns.refused == [.accountIsFull, .accountIsFull])
      #expect(turns.limiter.waiting == 3)
      await turns.finish()
      #expect(turns.admitted == ["a", "other", "b"])
      #expect(turns.limiter.waiting == 0)
      // Without a running count the next one is admitted at once.
      try await turns.limiter.enter(.requests, for: AccountID(rawValue: 1))
    }
  }

  @Test("accounts take turns, and so do the classes of work")
  func order() async throws {
    try await onLoop { loop in
      let turns = Turns()
      try await turns.limiter.enter(.requests, for: AccountID(rawValue: 1))
      for account in 1...3 as ClosedRange<Int64> {
        for round in 1...2 { try await turns.begin("r\(account).\(round)", of: account, on: loop) }
      }
      for person in 8...9 as ClosedRange<Int64> {
        try await turns.begin("c\(person)", .comparisons, of: person, on: loop)
      }
      try await turns.begin("s", .subscriptions, of: 1, on: loop)
      await turns.finish()
      #expect(
        turns.admitted
          == ["r1.1", "c8", "s", "r2.1", "c9", "r3.1", "r1.2", "r2.2", "r3.2"])
    }
  }

  @Test("a class at its limit leaves the slots of other classes free")
  func places() async throws {
    try await onLoop { loop in
      let turns = Turns()
      try await turns.limiter.enter(.requests, for: AccountID(rawValue: 1))
      for account in 0..<Int64(ConcurrencyLimiter.waitingMax) {
        try await turns.begin("\(account)", of: 100 + account, on: loop)
      }
      try await turns.begin("one more", of: 99, on: loop)
      #expect(turns.refused == [.classIsFull])
      try await turns.begin("comparison", .comparisons, of: 99, on: loop)
      #expect(turns.refused.count == 1)
      await turns.finish()
      #expect(turns.admitted.prefix(2) == ["0", "comparison"])
      #expect(turns.admitted.count == ConcurrencyLimiter.waitingMax + 1)
    }
  }

  @Test("in a full class an account displaces the latest count of the account with the most")
  func displaced() async throws {
    try await onLoop { loop in
      let turns = Turns()
      try await turns.limiter.enter(.requests, for: AccountID(rawValue: 1))
      for account in 0..<Int64(ConcurrencyLimiter.waitingMax / 2) {
        for round in 1...2 {
          try await turns.begin("\(account).\(round)", of: 100 + account, on: loop)
        }
      }
      #expect(turns.refused.isEmpty)
      try await turns.begin("new", of: 99, on: loop)
      #expect(turns.refused == [.accountIsFull])
      #expect(turns.limiter.waiting == ConcurrencyLimiter.waitingMax)
      // With a second one it would have as many as others.
      try await turns.begin("second", of: 99, on: loop)
      #expect(turns.refused == [.accountIsFull, .classIsFull])
      await turns.finish()
      #expect(turns.admitted.count == ConcurrencyLimiter.waitingMax)
      #expect(turns.admitted.contains("new") && turns.admitted.contains("0.1"))
      #expect(!turns.admitted.contains("0.2"))
    }
  }

  @Test(
    "a company that requests sixty groups at once must wait, and other accounts are served")
  func greedy() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1_001)
      // No count ends before all requests have arrived.
      let holder = try stage.installation.data.session()
      try holder.run("BEGIN; LOCK TABLE data4help.day_columns")
      try await withThrowingTaskGroup(of: Reply.self) { greedy in
        for _ in 0..<60 { greedy.addTask { try await stage.askGroup() } }
        try await stage.untilLockIsAwaited()
        async let company = stage.askGroup(by: Known.studio)
        async let person = stage.call(
          .compare, query: "type=heartRate", by: Known.mario, .singleUser)
        async let other = stage.call(
          .compare, query: "type=heartRate", by: Known.laura, .singleUser)
        // One runs and two wait; the others are refused while none has ended.
        for _ in 0..<57 {
          let refused = try #require(try await greedy.next())
          #expect(refused.status == 429 && refused.fields["retry-after"] == "5", "\(refused.text)")
        }
        try holder.run("COMMIT")
        for try await reply in greedy { #expect(reply.status == 200) }
        for reply in try await [company, person, other] {
          #expect(reply.status == 200, "\(reply.text)")
        }
      }
    }
  }
}
