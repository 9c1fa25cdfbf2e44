import Domain
import FakeServices
import PostgresFixture
import Requirements
import Support
import Testing
import Time
import Track4RunFixture

@Suite("Orders of runs to Data4Help")
struct OutboxTests {
  @Test("while Data4Help is unavailable orders stay pending, and none is lost", .tags(.NFR_4, .R39))
  func unavailable() async throws {
    try await RunFixture.with(connections: 8) { fixture in
      let runID = try await fixture.listed(try RunFixture.terms(participants: 100))
      for runner in 1...20 as ClosedRange<Int64> { _ = try await fixture.join(runID, runner) }
      try await FakeData4Help.with { fake in
        fake.isUnavailable = true
        try await fixture.conversing(with: fake) {
          try await eventually("the opening") {
            try fixture.number("SELECT count(check_in_at) FROM track4run.runs") == 1
          }
          #expect(fake.orders.isEmpty)
          fake.isUnavailable = false
          try await eventually("the requests") { try fake.asked().count == 20 }
          try await eventually("an empty outbox") {
            try fixture.number("SELECT count(*) FROM track4run.outbox") == 0
          }
          #expect(Set(try fake.notified("joined")).count == 20)
        }
      }
    }
  }

  @Test("a refused order becomes a dead letter, and does not delay others")
  func refused() async throws {
    try await RunFixture.with { fixture in
      _ = try await fixture.create(try RunFixture.terms())
      try await FakeData4Help.with { fake in
        fake.refuseNotices(of: "created")
        try await fixture.conversing(with: fake) {
          let refused: StaticString = """
            SELECT count(*) FROM track4run.outbox WHERE refused_at IS NOT NULL
            """
          try await eventually("the refused order") { try fixture.number(refused) == 1 }
          let runID = try await fixture.listed(try RunFixture.terms(), 3)
          _ = try await fixture.join(runID, 1)
          try await eventually("the others") { try fake.notified("joined") == [1] }
        }
      }
    }
  }

  @Test("failed orders wait longer each time, and are finally sent", .tags(.NFR_4))
  func failing() async throws {
    try await RunFixture.with(connections: 8) { fixture in
      let runID = try await fixture.listed(
        try RunFixture.terms(starts: 40 * 86_400, ends: 41 * 86_400))
      for runner in 1...5 as ClosedRange<Int64> { _ = try await fixture.join(runID, runner) }
      try await FakeData4Help.with { fake in
        fake.failNotices(of: "joined")
        try await fixture.conversing(with: fake) {
          let once: StaticString = """
            SELECT count(*) FROM track4run.outbox
             WHERE attempts = 1 AND next_attempt_at = added_at + interval '1 second'
            """
          try await eventually("five in vain") { try fixture.number(once) == 5 }
          fixture.clock.set(RunFixture.now.adding(seconds: 1))
          let twice: StaticString = """
            SELECT count(*) FROM track4run.outbox
             WHERE attempts = 2 AND next_attempt_at = added_at + interval '3 seconds'
            """
          try await eventually("five in vain again") { try fixture.number(twice) == 5 }
          fake.failNotices(of: nil)
          fixture.clock.set(RunFixture.now.adding(seconds: 3))
          try await eventually("an empty outbox") {
            try fixture.number("SELECT count(*) FROM track4run.outbox") == 0
          }
          #expect(Set(try fake.notified("joined")) == [1, 2, 3, 4, 5])
        }
      }
    }
  }

  @Test("an unreadable order becomes a dead letter, and the next one is sent", .tags(.R39))
  func orders() async throws {
    try await RunFixture.with { fixture in
      let first = try await fixture.listed(try RunFixture.terms())
      let second = try await fixture.listed(try RunFixture.terms(starts: 9000, ends: 9900), 1)
      // Check-in is open, so that joining creates the order before a sender runs.
      try fixture.test.run("UPDATE track4run.runs SET check_in_at = now()")
      _ = try await fixture.join(first, 1)
      _ = try await fixture.join(second, 2)
      try fixture.test.run(
        """
        UPDATE track4run.outbox SET sealed_order = '\\x00'
         WHERE number = (SELECT min(number) FROM track4run.outbox WHERE kind = 1)
        """)
      try await FakeData4Help.with { fake in
        try await fixture.conversing(with: fake) {
          try await eventually("the other order") {
            try fake.asked().map(\.account.rawValue) == [2]
          }
          try await eventually("the refused order") {
            try fixture.number(
              "SELECT count(*) FROM track4run.outbox WHERE refused_at IS NOT NULL") == 1
          }
        }
      }
    }
  }
}
