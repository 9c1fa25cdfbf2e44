import Domain
import FakeServices
import InternalAPI
import PostgresFixture
import Requirements
import Support
import Testing
import Time
import Track4RunFixture

@Suite("Runs of deleted accounts")
struct DepartureTests {
  @Test(
    "a deleted runner's places are freed, and finished runs keep results without account",
    .tags(.ACC_8))
  func runner() async throws {
    try await RunFixture.with { fixture in
      let ended = try await fixture.listed(try RunFixture.terms(starts: 60, ends: 120))
      let present = try await fixture.listed(try RunFixture.terms(starts: 180, ends: 7200), 1)
      let future = try await fixture.listed(try RunFixture.terms(starts: 8000, ends: 9000), 2)
      for runID in [ended, present, future] {
        for runner in [1, 2] as [Int64] { _ = try await fixture.join(runID, runner) }
      }
      try fixture.test.run(
        """
        UPDATE track4run.runs SET start_handled_at = now();
        INSERT INTO track4run.invitation_counts (account_id, day, invited)
        VALUES (1, 20000, 1), (2, 20000, 1)
        """)
      fixture.clock.set(RunFixture.now.adding(seconds: 600))
      try await FakeData4Help.with { fake in
        fake.publish(.accountDeleted(AccountID(rawValue: 1)))
        fake.publish(.accountDeleted(AccountID(rawValue: 77)))
        try await fixture.conversing(with: fake) {
          try await eventually("the deletion") {
            try fixture.number("SELECT last_number FROM track4run.change_feed_positions") == 4
          }
          let own: StaticString = """
            SELECT count(*) FROM track4run.enrolments WHERE account_id = 1
            """
          #expect(try fixture.number(own) == 0)
          let counts: StaticString = "SELECT sum(account_id) FROM track4run.invitation_counts"
          #expect(try fixture.number(counts) == 2)
          let kept: StaticString = """
            SELECT count(*) FROM track4run.enrolments WHERE account_id = -1 AND sealed_name IS NULL
            """
          #expect(try fixture.number(kept) == 2)
          let places: StaticString = """
            SELECT string_agg(enrolled::text, '' ORDER BY run_id)::integer FROM track4run.runs
            """
          #expect(try fixture.number(places) == 211)
        }
      }
    }
  }

  @Test(
    "a deleted organiser's future runs are cancelled, the others stay without a name",
    .tags(.ACC_8))
  func organiser() async throws {
    try await RunFixture.with { fixture in
      let begun = try await fixture.listed(try RunFixture.terms(starts: 60, ends: 7200))
      let future = try await fixture.listed(try RunFixture.terms(starts: 3600, ends: 9000), 1)
      _ = try await fixture.join(begun, 1)
      for runner in [2, 3] as [Int64] { _ = try await fixture.join(future, runner) }
      fixture.clock.set(RunFixture.now.adding(seconds: 61))
      try await FakeData4Help.with { fake in
        fake.publish(.accountDeleted(RunFixture.organiser))
        try await fixture.conversing(with: fake) {
          try await eventually("the notices") { try fake.notified("cancelled").sorted() == [2, 3] }
          let named: StaticString = """
            SELECT count(*) FROM track4run.runs
             WHERE organiser_id <> 0 OR organiser_name <> 'deleted account'
            """
          #expect(try fixture.number(named) == 0)
          let off: StaticString = "SELECT count(cancelled_at) FROM track4run.runs"
          #expect(try fixture.number(off) == 1)
          let counted: StaticString = "SELECT count(*) FROM track4run.runs_made"
          #expect(try fixture.number(counted) == 0)
        }
      }
    }
  }

  @Test(
    "data shared by a deleted runner is removed, and that of others stays",
    .tags(.ACC_8), arguments: [false, true])
  func data(isKnownByAnAnswer: Bool) async throws {
    try await RunFixture.with { fixture in
      let runID = try await fixture.listed(try RunFixture.terms(starts: 60, ends: 120))
      for runner in [1, 2] as [Int64] { _ = try await fixture.join(runID, runner) }
      // The run is over; the content of the rows does not matter, since the test opens none.
      try fixture.test.run(
        """
        UPDATE track4run.runs SET check_in_at = now(), start_handled_at = now(), closed_at = now();
        DELETE FROM track4run.outbox;
        INSERT INTO track4run.run_data (run_id, number, stream_seq, sealed_samples)
        SELECT \(runID), number, 1000 * number + seq, '\\x00'
          FROM generate_series(1, 2) AS number, generate_series(1, 30) AS seq;
        """)
      fixture.clock.set(RunFixture.now.adding(seconds: 600))
      try await FakeData4Help.with { fake in
        if isKnownByAnAnswer {
          // The reply to a request discloses the deletion before the event does.
          fake.answer(.deleted, to: 1)
          let next = try await fixture.listed(try RunFixture.terms(starts: 3600, ends: 7200), 1)
          _ = try await fixture.join(next, 1)
        } else {
          fake.publish(.accountDeleted(AccountID(rawValue: 1)))
        }
        try await fixture.conversing(with: fake) {
          let own: StaticString = """
            SELECT count(*) FROM track4run.enrolments WHERE account_id = 1
            """
          try await eventually("the departure") { try fixture.number(own) == 0 }
          let left: StaticString = """
            SELECT count(*) * 100 + sum(number) FROM track4run.run_data
            """
          #expect(try fixture.number(left) == 30 * 100 + 60)
        }
      }
    }
  }

  @Test("all of several deleted accounts are erased, including one reported before", .tags(.ACC_8))
  func several() async throws {
    try await RunFixture.with(connections: 8) { fixture in
      let runID = try await fixture.listed(try RunFixture.terms())
      for runner in 1...5 as ClosedRange<Int64> { _ = try await fixture.join(runID, runner) }
      try await FakeData4Help.with { fake in
        for runner in 1...4 as ClosedRange<Int64> { fake.answer(.deleted, to: runner) }
        try await fixture.conversing(with: fake) {
          try await eventually("the departures") {
            try fixture.number("SELECT enrolled FROM track4run.runs") == 1
          }
          fake.publish(.accountDeleted(AccountID(rawValue: 1)))
          try await eventually("the deletion") {
            try fixture.number("SELECT last_number FROM track4run.change_feed_positions") == 2
          }
          #expect(try fixture.number("SELECT enrolled FROM track4run.runs") == 1)
          #expect(try fixture.number("SELECT count(*) FROM track4run.enrolments") == 1)
        }
      }
    }
  }
}
