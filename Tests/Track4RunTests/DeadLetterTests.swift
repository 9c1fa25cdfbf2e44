import Domain
import FakeServices
import InternalAPI
import Operations
import Postgres
import PostgresFixture
import Requirements
import Support
import Testing
import Time
import Track4RunFixture

@Suite("Dead-letter events")
struct DeadLetterTests {
  private static let types = DataTypeSet([.position])
  private static let start = RunFixture.now.adding(seconds: 3600)

  /// Runs `body` with a run of three runners who received these check-in requests.
  private func with(
    log: Log = .none,
    _ body:
      @escaping @Sendable (RunFixture, FakeData4Help, [Int64: DataRequestID]) async throws -> Void
  ) async throws {
    try await RunFixture.with(connections: 8) { fixture in
      let runID = try await fixture.listed(try RunFixture.terms())
      for runner in [1, 2, 3] as [Int64] { _ = try await fixture.join(runID, runner) }
      try await FakeData4Help.with { fake in
        try await fixture.conversing(with: fake, log: log) {
          try await eventually("the requests") { try fake.asked().count == 3 }
          let requests = Dictionary(
            try fake.asked().map { ($0.account.rawValue, $0.requestID) },
            uniquingKeysWith: { $1 })
          try await body(fixture, fake, requests)
        }
      }
    }
  }

  /// A position, some seconds after the start.
  private func position(_ seconds: Int64) throws -> [Sample] {
    let place = try GeoPoint("45.4642,9.19")
    return [
      Sample(
        stored: .position, time: Self.start.adding(seconds: seconds), value: .position(place))
    ]
  }

  /// Makes an operation on rows of a table fail under a condition, until `repair`.
  private func damage(
    _ fixture: RunFixture, _ doing: String, _ table: String, when condition: String,
    state: String = "P0001"
  ) throws {
    try fixture.test.run(
      """
      CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'damaged' USING ERRCODE = '\(state)'; END $$;
      GRANT EXECUTE ON FUNCTION public.fail() TO track4run;
      CREATE TRIGGER fail BEFORE \(doing) ON track4run.\(table)
        FOR EACH ROW WHEN (\(condition)) EXECUTE FUNCTION public.fail();
      """)
  }

  private func repair(_ fixture: RunFixture) throws {
    try fixture.test.run("DROP FUNCTION public.fail() CASCADE")
  }

  private func readTo(_ number: Int, _ fixture: RunFixture) async throws {
    try await eventually("reading to \(number)") {
      try fixture.number("SELECT last_number FROM track4run.change_feed_positions") == number
    }
  }

  private func noDeadLetters(_ fixture: RunFixture) async throws {
    let latest: StaticString = """
      SELECT coalesce(ceil(extract(epoch FROM max(next_attempt_at))), 0)::bigint
        FROM track4run.dead_letters
      """
    try await eventually("no dead letters") {
      let next = Instant(millisecondsSince1970: Int64(try fixture.number(latest)) * 1000)
      // An attempt that fails shortly before the repair postpones the next one by the new time.
      if next > fixture.clock.now { fixture.clock.set(next) }
      return next == Instant(millisecondsSince1970: 0)
    }
  }

  /// The sum over the stored rows of number times 100 plus sequence number.
  private static let stored: StaticString = """
    SELECT coalesce(sum(number * 100 + stream_seq), 0) FROM track4run.run_data
    """

  @Test(
    "unstorable samples delay no other event, and are stored once possible",
    .tags(.R52, .NFR_4), arguments: ["P0001", "40001"])
  func samples(state: String) async throws {
    try await with { fixture, fake, requests in
      try damage(fixture, "INSERT", "run_data", when: "NEW.number = 1", state: state)
      for runner in [1, 2, 3] as [Int64] {
        fake.publish(.samples(try #require(requests[runner]), try position(runner)))
      }
      fake.publish(.accountDeleted(AccountID(rawValue: 77)))
      fake.publish(.samples(try #require(requests[2]), try position(9)))
      try await readTo(10, fixture)
      #expect(try fixture.number(Self.stored) == 204 + 306 + 210)
      let deadLetters: StaticString = """
        SELECT number * 100 + after_number * 10 + kind FROM track4run.dead_letters
         WHERE reason <> '' AND attempts = 1
        """
      #expect(try fixture.number(deadLetters) == 201)
      try repair(fixture)
      fixture.clock.set(RunFixture.now.adding(seconds: 1))
      try await noDeadLetters(fixture)
      #expect(try fixture.number(Self.stored) == 102 + 204 + 306 + 210)
      // Replicas have read past it, so they reload the runner.
      let revised: StaticString = """
        SELECT string_agg(data_revision::text, '' ORDER BY number)::integer
          FROM track4run.enrolments
        """
      #expect(try fixture.number(revised) == 100)
    }
  }

  @Test("repeated failures are retried after growing pauses", .tags(.NFR_4))
  func pauses() async throws {
    try await with { fixture, fake, requests in
      try damage(fixture, "INSERT", "run_data", when: "true")
      fake.publish(.samples(try #require(requests[1]), try position(1)))
      try await readTo(2, fixture)
      for (second, attempts) in [(1, 2), (3, 3), (7, 4)] as [(Int64, Int)] {
        fixture.clock.set(RunFixture.now.adding(seconds: second))
        let waits: StaticString = """
          SELECT coalesce(max(attempts), 0) FROM track4run.dead_letters
           WHERE next_attempt_at
                 = stored_at + make_interval(secs => (1 << attempts) - 1)
          """
        try await eventually("attempt \(attempts)") { try fixture.number(waits) == attempts }
      }
    }
  }

  @Test(
    "an unstorable acceptance keeps the runner's place over the start, and its end waits for it",
    .tags(.R47, .R49, .NFR_4))
  func acceptance() async throws {
    try await with { fixture, fake, requests in
      try damage(
        fixture, "UPDATE", "enrolments",
        when: "NEW.number = 1 AND OLD.checked_in_at IS NULL AND NEW.checked_in_at IS NOT NULL")
      for runner in [1, 2] as [Int64] {
        fake.publish(
          .answered(try #require(requests[runner]), .accepted(Self.types, endsAt: Self.start)))
      }
      let taken = try #require(requests[1])
      fake.publish(.ended(taken, .singleUser), at: Self.start.adding(seconds: -60))
      try await readTo(6, fixture)
      let deadLetters: StaticString = """
        SELECT string_agg(number::text || kind, '' ORDER BY number)::integer
          FROM track4run.dead_letters
        """
      #expect(try fixture.number(deadLetters) == 2263)
      // The start removes runners without an answer, but not those whose answer is unknown.
      fixture.clock.set(Self.start.adding(seconds: 3))
      try await eventually("the removal") { try fake.notified("not checked in") == [3] }
      #expect(try fixture.number("SELECT enrolled FROM track4run.runs") == 2)
      try repair(fixture)
      fixture.clock.set(Self.start.adding(seconds: 60))
      try await noDeadLetters(fixture)
      let left: StaticString = """
        SELECT string_agg(coalesce(left_reason, 0)::text, '' ORDER BY number)::integer
          FROM track4run.enrolments
        """
      #expect(try fixture.number(left) == 102)
      #expect(try fixture.number("SELECT enrolled FROM track4run.runs") == 1)
    }
  }

  @Test("a late erasure removes the data that arrived before it", .tags(.NFR_6))
  func erasure() async throws {
    try await with { fixture, fake, requests in
      let request = try #require(requests[1])
      try damage(fixture, "DELETE", "run_data", when: "true")
      fake.publish(.samples(request, try position(1)))
      fake.publish(.erased(request, Self.types, from: nil, to: nil))
      fake.publish(.samples(request, try position(2)))
      try await readTo(6, fixture)
      #expect(try fixture.number(Self.stored) == 102 + 106)
      try repair(fixture)
      fixture.clock.set(RunFixture.now.adding(seconds: 1))
      try await noDeadLetters(fixture)
      #expect(try fixture.number(Self.stored) == 106)
    }
  }

  @Test(
    "the log of a lost erasure names the request, and that of a deletion the account",
    .tags(.NFR_6))
  func lost() async throws {
    let recorder = LogRecorder()
    try await with(log: Log(process: "test", sink: recorder.sink)) { fixture, fake, requests in
      let request = try #require(requests[1])
      try damage(fixture, "DELETE", "run_data", when: "true")
      fake.publish(.samples(request, try position(1)))
      fake.publish(.samples(try #require(requests[2]), try position(1)))
      fake.publish(.erased(request, Self.types, from: nil, to: nil))
      fake.publish(.accountDeleted(AccountID(rawValue: 2)))
      try await readTo(8, fixture)
      fake.publish(nil, under: 6)
      fixture.clock.set(RunFixture.now.adding(seconds: 1))
      try await eventually("the loss") {
        recorder.lines.contains { $0.contains("no longer has the event") }
      }
      let first = "apply event of Data4Help failed"
      #expect(recorder.lines.contains { $0.contains(first) && $0.contains("of account 2\"") })
      let lost = try #require(recorder.lines.first { $0.contains("no longer has the event") })
      #expect(lost.contains("\"event\":\"erased of request \(request)\""), "\(lost)")
    }
  }

  @Test(
    "an event unreadable for Data4Help delays no other, and is requested until it is deleted",
    .tags(.NFR_4), arguments: [true, false])
  func unreadable(isKept: Bool) async throws {
    try await with { fixture, fake, requests in
      fake.publish(.unreadable)
      fake.publish(.samples(try #require(requests[2]), try position(2)))
      try await readTo(4, fixture)
      #expect(try fixture.number(Self.stored) == 204)
      let deadLetters: StaticString = "SELECT number * 10 + kind FROM track4run.dead_letters"
      #expect(try fixture.number(deadLetters) == 26)
      let samples = InternalEvent.Content.samples(try #require(requests[1]), try position(1))
      fake.publish(isKept ? samples : nil, under: 2)
      fixture.clock.set(RunFixture.now.adding(seconds: 1))
      try await noDeadLetters(fixture)
      #expect(try fixture.number(Self.stored) == (isKept ? 102 : 0) + 204)
    }
  }
}
