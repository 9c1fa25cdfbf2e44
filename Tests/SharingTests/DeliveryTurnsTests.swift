import Data4HelpFixture
import Domain
import EventLoop
import HTTP
import HealthRecords
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import ServiceKit
import Sharing
import Support
import Testing

@Suite("Turns of deliveries")
struct DeliveryTurnsTests {
  /// Batches of companies on a loop.
  private final class Batches {
    let turns: DeliveryTurns
    private(set) var admitted: [String] = []
    private(set) var failed: [String] = []
    private(set) var runningMax = 0
    private var running = 0
    private var gate: CheckedContinuation<Void, Never>?
    private var tasks: [Task<Void, Never>] = []

    init(on loop: EventLoop) { turns = DeliveryTurns(on: loop) }

    /// Starts a batch that occupies the loop until `finish`.
    func hold(on loop: EventLoop) async throws {
      let bound = LoopBound(self, on: loop)
      let task = Task(executorPreference: loop) {
        let batches = bound.value
        do throws(ApplicationError) {
          try await batches.turns.run(for: AccountID(rawValue: 99)) {
            () throws(ApplicationError) in
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
              batches.gate = continuation
            }
          }
        } catch {
          batches.failed.append("holder \(error.reason.rawValue)")
        }
      }
      tasks.append(task)
      try await eventually("the first batch", every: .milliseconds(1)) { gate != nil }
    }

    /// Starts a batch; returns once it waits, has begun or was refused.
    @discardableResult
    func begin(
      _ name: String, of company: Int64, hasBegun: Bool = false, fails: Bool = false,
      on loop: EventLoop
    ) async throws -> Task<Void, Never> {
      let before = turns.waiting + admitted.count + failed.count
      let bound = LoopBound(self, on: loop)
      let task = Task(executorPreference: loop) {
        let batches = bound.value
        do throws(ApplicationError) {
          try await batches.turns.run(for: AccountID(rawValue: company), hasBegun: hasBegun) {
            () throws(ApplicationError) in
            batches.running += 1
            defer { batches.running -= 1 }
            batches.runningMax = max(batches.runningMax, batches.running)
            batches.admitted.append(name)
            await loop.nextTurn()
            if fails { throw .conflict() }
          }
        } catch {
          batches.failed.append("\(name) \(error.reason.rawValue)")
        }
      }
      tasks.append(task)
      try await eventually("the batch \(name)", every: .milliseconds(1)) {
        turns.waiting + admitted.count + failed.count != before
      }
      return task
    }

    /// Ends the first batch and waits for all others.
    func finish() async {
      gate?.resume()
      gate = nil
      for task in tasks { await task.value }
    }
  }

  private func onLoop(_ body: @escaping @Sendable (EventLoop) async throws -> Void) async throws {
    let loop = try EventLoop.start(name: "deliveries")
    defer { loop.stop() }
    try await Task(executorPreference: loop) { try await body(loop) }.value
  }

  @Test(
    "companies take turns, eight batches of a company wait, and a begun download is not refused",
    .tags(.GW_5))
  func companies() async throws {
    try await onLoop { loop in
      let batches = Batches(on: loop)
      try await batches.hold(on: loop)
      for number in 1...9 { try await batches.begin("a\(number)", of: 1, on: loop) }
      try await batches.begin("b1", of: 2, on: loop)
      try await batches.begin("a10", of: 1, hasBegun: true, on: loop)
      #expect(batches.failed == ["a9 rate limited"])
      #expect(batches.turns.waiting == 10)
      await batches.finish()
      #expect(
        batches.admitted
          == ["a1", "b1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a10"])
      #expect(batches.runningMax == 1)
    }
  }

  @Test(
    "a company takes the place of the one with the most first batches, and of no begun download",
    .tags(.GW_5))
  func displaced() async throws {
    try await onLoop { loop in
      let batches = Batches(on: loop)
      try await batches.hold(on: loop)
      for number in 1...10 {
        try await batches.begin("begun \(number)", of: 20, hasBegun: true, on: loop)
      }
      for company in 1...8 as ClosedRange<Int64> {
        for number in 1...8 {
          try await batches.begin("\(company).\(number)", of: company, on: loop)
        }
      }
      #expect(batches.failed.isEmpty)
      try await batches.begin("new", of: 30, on: loop)
      #expect(batches.failed == ["1.8 rate limited"])
      #expect(batches.turns.waiting == 74)
      await batches.finish()
      #expect(batches.admitted.count == 74)
      #expect(batches.admitted.contains("new"))
      #expect(batches.failed.count == 1)
    }
  }

  @Test("a failed batch and a client that disconnects free their turns", .tags(.GW_5))
  func freed() async throws {
    try await onLoop { loop in
      let batches = Batches(on: loop)
      try await batches.hold(on: loop)
      try await batches.begin("failing", of: 1, fails: true, on: loop)
      try await batches.begin("disconnected", of: 1, on: loop).cancel()
      try await batches.begin("next", of: 1, on: loop)
      await batches.finish()
      #expect(batches.admitted == ["failing", "next"])
      #expect(batches.failed == ["failing wrong state", "disconnected unavailable"])
      try await batches.begin("later", of: 1, on: loop)
      await batches.finish()
      #expect(batches.admitted.last == "later")
      #expect(batches.turns.waiting == 0)
    }
  }

  @Test(
    "while a company's downloads hang, others upload and end their requests",
    .tags(.R21, .GW_5))
  func hanging() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      let requestID = try await stage.ask()
      let other = try await stage.ask(by: Known.studio)
      for identifier in [requestID, other] { _ = try await stage.choose("accept", identifier) }
      // No batch ends before the others have finished.
      let holder = try stage.installation.data.session()
      try holder.run("BEGIN; LOCK TABLE data4help.access_heads")
      try await withThrowingTaskGroup(of: Reply.self) { downloads in
        for _ in 0..<60 { downloads.addTask { try await stage.data(requestID, format: "csv") } }
        // One runs and eight wait.
        for _ in 0..<51 {
          let refused = try #require(try await downloads.next())
          #expect(refused.status == 429 && refused.fields["retry-after"] == "2", "\(refused.text)")
        }
        let outcome = try await stage.here { try await stage.store(1, minutesAgo: 5) }
        #expect(outcome.stored == 1)
        #expect(try await stage.endByPerson(other).status == 200)
        try holder.run("COMMIT")
        for try await reply in downloads { #expect(reply.status == 200 && !reply.isCut) }
      }
      #expect(try await stage.data(other, by: Known.studio).status == 409)
    }
  }

  @Test("an end waits for the downloads in progress, and for none that begins later", .tags(.R21))
  func ends() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      let requestID = try await stage.ask()
      _ = try await stage.choose("accept", requestID)
      try await SingleRequestStage.replica(of: stage.installation) { other in
        let holder = try stage.installation.data.session()
        try holder.run("BEGIN; LOCK TABLE data4help.access_heads")
        async let first = stage.data(requestID)
        try await Self.untilAwaited("relation", 1, in: stage.installation.data)
        async let end = stage.endByPerson(requestID)
        try await Self.untilAwaited("advisory", 1, in: stage.installation.data)
        async let later = other.data(requestID)
        try await Self.untilAwaited("advisory", 2, in: stage.installation.data)
        try holder.run("COMMIT")
        #expect(try await first.status == 200)
        #expect(try await end.status == 200)
        #expect(try await later.status == 409)
      }
    }
  }

  /// Returns when this many calls wait for locks of a kind.
  private static func untilAwaited(
    _ kind: String, _ count: Int, in database: TestDatabase
  ) async throws {
    try await eventually("\(count) waiting for a lock of kind \(kind)", within: .seconds(120)) {
      try database.cell(
        """
        SELECT count(*)
          FROM pg_locks AS lock
          JOIN pg_database AS base ON base.oid = lock.database
         WHERE base.datname = current_database() AND NOT granted AND locktype = $1
        """, kind) == "\(count)"
    }
  }
}
