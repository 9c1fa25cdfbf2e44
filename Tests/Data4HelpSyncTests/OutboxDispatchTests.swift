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

  @Test("the statements agree with the schema")
  func statements() async throws {
    try await TestDatabase.with { test in
      let problems = try StatementCheck.problems(
        of: SyncStatements.all, at: test.url(as: "track4run"))
      #expect(problems.isEmpty)
    }
  }
}
