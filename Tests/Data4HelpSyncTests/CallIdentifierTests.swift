import Data4HelpSync
import Domain
import FakeServices
import HTTP
import InternalAPI
import Operations
import Postgres
import Requirements
import ServiceKit
import Support
import Testing
import Web

@Suite("The identifiers of calls to Data4Help", .tags(.OPS_8))
struct CallIdentifierTests {
  @Test("a call that a request causes has its identifier, and continues its trace")
  func request() async throws {
    try await SyncFixture.with { fixture in
      let text = Array("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".utf8)
      let parsed = TraceParent(text.span)
      let trace = try #require(parsed)
      var head = RequestHead(.post, "/t4r/active/join", authority: "test")
      let plain = Request(head: head)
      head.trace = trace
      let traced = Request(head: head, requestID: trace.trace)
      for request in [traced, plain] {
        let client = fixture.client.following(request)
        #expect(try await client.warnings(of: AccountID(rawValue: 7)).isEmpty)
      }
      let calls = fixture.fake.orders
      #expect(calls.map(\.requestID) == [trace.trace, plain.requestID])
      let passed = try #require(calls.first?.trace)
      #expect(passed.trace == trace.trace)
      #expect(passed.flags == trace.flags)
      // The caller is the parent, in place of the sender of the request.
      #expect(passed != trace)
      #expect(calls.last?.trace == nil)
    }
  }

  @Test("the log line of a failed order names its call")
  func order() async throws {
    try await SyncFixture.with { fixture in
      let recorder = LogRecorder()
      let environment = fixture.clock.environment
      let outbox = Outbox(root: fixture.root, environment: environment, on: fixture.loop)
      let dispatcher = NoticeOutboxDispatcher(
        environment: environment, database: fixture.database, outbox: outbox,
        data4help: fixture.client, metrics: OutboxMetrics(Metrics()),
        log: Log(process: "test", sink: recorder.sink))
      fixture.fake.failNotices(of: "created")
      let orders = (1...2 as ClosedRange<Int64>).map { account in
        OutboxOrder.notice(
          NoticeOrder(to: [AccountID(rawValue: account)], facts: ["event": "created"], mail: nil))
      }
      try await fixture.database.transaction { (transaction) throws(ApplicationError) in
        try await outbox.add(orders, in: transaction)
      }
      #expect(try await dispatcher.send() == .busy)
      let calls = Set(fixture.fake.orders.map(\.requestID))
      #expect(calls.count == 2)
      let lines = recorder.lines.filter { $0.contains("send order failed") }
      #expect(lines.count == 2)
      for call in calls { #expect(lines.contains { $0.names(call) }) }
    }
  }

  @Test("the log line of a failed event names the call that returned it")
  func event() async throws {
    try await SyncFixture.with { fixture in
      let recorder = LogRecorder()
      fixture.fake.publish(.accountDeleted(AccountID(rawValue: 1)))
      let effects = RecordedEffects(in: fixture.database, failing: 2)
      let log = Log(process: "test", sink: recorder.sink)
      try await fixture.consuming(effects, log: log) {
        let line = try await eventually("the line") {
          recorder.lines.first { $0.contains("apply event of Data4Help failed") }
        }
        // The first page returned it.
        let page = try #require(fixture.fake.reads.first)
        #expect(line.names(page))
      }
    }
  }
}

extension String {
  /// Whether a line of the log names a request.
  fileprivate func names(_ request: RequestID) -> Bool {
    contains(#""request_id":"\#(request)""#)
  }
}
