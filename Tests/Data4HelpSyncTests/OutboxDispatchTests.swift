import Data4HelpSync
import Domain
import FakeServices
import InternalAPI
import Operations
import Postgres
import PostgresFixture
import Requirements
import ServiceKit
import Support
import Testing

@Suite("Sending the orders of the outbox")
struct OutboxDispatchTests {
  @Test("an order exists if its transaction commits, and is sent once", .tags(.NFR_4))
  func sent() async throws {
    try await SyncFixture.with { fixture in
      let environment = fixture.clock.environment
      let outbox = Outbox(root: fixture.root, environment: environment, on: fixture.loop)
      let dispatcher = NoticeOutboxDispatcher(
        environment: environment, database: fixture.database, outbox: outbox,
        data4help: fixture.client, metrics: OutboxMetrics(Metrics()), log: .none)
      @Sendable func add(_ account: Int64, isKept: Bool) async throws(ApplicationError) {
        let order = NoticeOrder(
          to: [AccountID(rawValue: account)], facts: ["event": "created"], mail: nil)
        try await fixture.database.transaction { (transaction) throws(ApplicationError) in
          try await outbox.add([.notice(order)], in: transaction)
          if !isKept { throw .internalError(because: "The test wants it.") }
        }
      }
      await #expect(throws: ApplicationError.self) { try await add(1, isKept: false) }
      try await add(2, isKept: true)
      #expect(try await dispatcher.send() != .unavailable)
      #expect(try await dispatcher.send() == .idle)
      #expect(fixture.fake.orders.count == 1)
      #expect(try fixture.fake.notified("created") == [2])
    }
  }

  @Test(
    "orders that no replica receives stay pending, with a line in the log without their content",
    .tags(.NFR_4))
  func unavailable() async throws {
    try await SyncFixture.with { fixture in
      let recorder = LogRecorder()
      let outbox = Outbox(
        root: fixture.root, environment: fixture.clock.environment, on: fixture.loop)
      let dispatcher = NoticeOutboxDispatcher(
        environment: fixture.clock.environment, database: fixture.database, outbox: outbox,
        data4help: fixture.client, metrics: OutboxMetrics(Metrics()),
        log: Log(process: "test", sink: recorder.sink))
      try await fixture.database.transaction { (transaction) throws(ApplicationError) in
        for account in 2...3 as ClosedRange<Int64> {
          let order = NoticeOrder(
            to: [AccountID(rawValue: account)], facts: ["event": "created"], mail: nil)
          try await outbox.add([.notice(order)], in: transaction)
        }
      }
      fixture.fake.isUnavailable = true
      #expect(try await dispatcher.send() == .unavailable)
      let lines = recorder.lines.filter { $0.contains("send orders failed") }
      #expect(lines.count == 1)
      #expect(lines.first?.contains("\"orders\":2") == true, "\(lines)")
      #expect(lines.first?.contains("a replica answered 503") == true, "\(lines)")
      #expect(lines.first?.contains("created") == false)
      #expect(try fixture.number("SELECT count(*) FROM track4run.outbox") == 2)
      fixture.fake.isUnavailable = false
      #expect(try await dispatcher.send() == .busy)
      #expect(try await dispatcher.send() == .idle)
      #expect(Set(try fixture.fake.notified("created")) == [2, 3])
    }
  }

  @Test("the statements agree with the schema")
  func statements() async throws {
    try await TestDatabase.with { test in
      let problems = try StatementCheck.problems(
        of: SyncStatements.all, at: test.url(as: "track4run"))
      #expect(problems.isEmpty)
    }
  }
}
