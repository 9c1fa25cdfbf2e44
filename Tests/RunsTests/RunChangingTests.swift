import Domain
import Postgres
import PostgresFixture
import Requirements
import Runs
import ServiceKit
import Support
import Testing
import Time
import Track4RunFixture

@Suite("Changing runs")
struct RunChangingTests {
  private func at(_ seconds: Int64) -> Instant { RunFixture.now.adding(seconds: seconds) }

  @Test("a run is changed until it begins and cancelled until it is over", .tags(.RUN_2))
  func until() async throws {
    try await RunFixture.with { fixture in
      let runID = try await fixture.listed(try RunFixture.terms(participants: 3))
      for runner in 1...3 as ClosedRange<Int64> { _ = try await fixture.join(runID, runner) }
      #expect(
        try await fixture.change(runID) { $0.participantsMax = 2 } == .fewerPlacesThanRunners)
      #expect(
        try await fixture.change(runID) { $0.participantsMax = 4 } == .changed(removed: 0))
      #expect(try await fixture.join(runID, 4) == .joined(number: 4))
      #expect(
        try await fixture.change(runID) { $0.participantsMax = 1 }
          == .impossible(.tooFewParticipants))
      #expect(try await fixture.change(runID, by: RunFixture.other) { _ in } == .unknown)
      fixture.clock.set(at(3600))
      #expect(try await fixture.change(runID) { $0.participantsMax = 9 } == .refused(.begun))
      #expect(try await fixture.publish(runID, try RunFixture.path()) == .refused(.begun))
      fixture.clock.set(at(7200))
      #expect(try await fixture.cancel(runID) == .refused(.over))
    }
  }

  @Test(
    "a run with an unreadable place or description is not changed",
    .tags(.RUN_2), arguments: ["place", "description"])
  func unreadable(_ column: String) async throws {
    try await RunFixture.with { fixture in
      let runID = try await fixture.listed(try RunFixture.terms(participants: 3))
      try fixture.test.run("UPDATE track4run.runs SET \(column) = E'\\x07'")
      let problem = await #expect(throws: ApplicationError.self) {
        _ = try await fixture.change(runID) { $0.participantsMax = 4 }
      }
      #expect(problem?.reason == .internalError)
      #expect(problem?.cause?.contains(column) == true)
      let kept = try fixture.test.session().rows("SELECT place, description FROM track4run.runs")
      #expect(kept.first?.contains("\u{7}") == true)
    }
  }

  @Test("a change of a run applies completely or not at all", .tags(.RUN_2))
  func everything() async throws {
    try await RunFixture.with { fixture in
      let runID = try await fixture.listed(try RunFixture.terms(enrol: 1800))
      let name = try RunName("Lodi half")
      let text = try RunDescription("Flat")
      let moved = try await fixture.change(runID) {
        ($0.name, $0.place, $0.description) = (name, .replaced(name), .replaced(text))
        ($0.startsAt, $0.endsAt, $0.enrolUntil) = (at(4000), at(9000), at(3000))
        $0.participantsMax = 7
      }
      #expect(moved == .changed(removed: 0))
      let asWanted: StaticString = """
        SELECT count(*) FROM track4run.runs
         WHERE name = 'Lodi half' AND place = name AND description = 'Flat' AND participants_max = 7
           AND starts_at = '2026-06-01 13:06:40Z' AND ends_at = '2026-06-01 14:30:00Z'
           AND enrol_until = '2026-06-01 12:50:00Z'
        """
      #expect(try fixture.number(asWanted) == 1)
      let third = try RunName("Third")
      let refused = try await fixture.change(runID) {
        ($0.name, $0.place) = (third, .removed)
        $0.enrolUntil = at(4001)
      }
      #expect(refused == .impossible(.enrolmentClosesAfterTheStart))
      fixture.clock.set(at(3000))
      #expect(
        try await fixture.change(runID) { $0.description = .removed } == .changed(removed: 0))
      let closed: StaticString = """
        SELECT count(*) FROM track4run.runs
         WHERE name = 'Lodi half' AND place = name AND description IS NULL
           AND enrol_until = '2026-06-01 12:50:00Z'
        """
      #expect(try fixture.number(closed) == 1)
    }
  }

  @Test("a published run moves only to a day on which it could be published", .tags(.RUN_1, .RUN_2))
  func otherDays() async throws {
    try await RunFixture.with { fixture in
      let day: Int64 = 86_400
      func tomorrow(_ changes: inout RunChanges) {
        (changes.startsAt, changes.endsAt) = (at(day + 3600), at(day + 7200))
      }
      let run = try await fixture.listed(try RunFixture.terms())
      let rival = try await fixture.create(
        try RunFixture.terms(starts: day + 10_000, ends: day + 20_000), by: RunFixture.other)
      _ = try await fixture.publish(rival, try RunFixture.path(), by: RunFixture.other)
      #expect(try await fixture.change(run, tomorrow) == .notPublished(.alongAnother))
      #expect(
        try await fixture.change(run) { $0.startsAt = at(3700) } == .changed(removed: 0))
      _ = try await fixture.cancel(rival, by: RunFixture.other)
      #expect(try await fixture.change(run, tomorrow) == .changed(removed: 0))
      for north in 1...4 {
        let terms = try RunFixture.terms(starts: day + 3600, ends: day + 7200)
        _ = try await fixture.listed(terms, north)
      }
      let sixth = try await fixture.listed(try RunFixture.terms(), 5)
      #expect(try await fixture.change(sixth, tomorrow) == .notPublished(.tooManyThatDay))
      // A run without a path conflicts with none.
      let unlisted = try await fixture.create(try RunFixture.terms())
      #expect(try await fixture.change(unlisted, tomorrow) == .changed(removed: 0))
      #expect(
        try await fixture.publish(unlisted, try RunFixture.path(9))
          == .notPublished(.tooManyThatDay))
    }
  }

  @Test("a runner in another run at the new times loses the place", .tags(.RUN_2, .RUN_3))
  func takenOut() async throws {
    try await RunFixture.with { fixture in
      let run = try await fixture.listed(try RunFixture.terms())
      let evening = try await fixture.listed(try RunFixture.terms(starts: 9000, ends: 12_000), 1)
      let cancelled = try await fixture.listed(try RunFixture.terms(starts: 9000, ends: 12_000), 2)
      for runner in 1...4 as ClosedRange<Int64> { _ = try await fixture.join(run, runner) }
      _ = try await fixture.join(evening, 1)
      _ = try await fixture.join(evening, 2)
      _ = try await fixture.leave(evening, 2)
      _ = try await fixture.join(cancelled, 3)
      _ = try await fixture.cancel(cancelled)
      // It may end when the other begins.
      #expect(try await fixture.change(run) { $0.endsAt = at(9000) } == .changed(removed: 0))
      #expect(try await fixture.change(run) { $0.endsAt = at(9001) } == .changed(removed: 1))
      let reasons: StaticString = """
        SELECT count(*) FROM track4run.enrolments WHERE account_id = 1 AND left_reason = 4
        """
      #expect(try fixture.number(reasons) == 1)
      #expect(
        try fixture.number("SELECT enrolled FROM track4run.runs ORDER BY run_id LIMIT 1") == 3)
      #expect(try await fixture.join(run, 1) == .refused(.overlapsAnother))
      _ = try await fixture.leave(evening, 1)
      #expect(try await fixture.join(run, 1) == .joined(number: 5))
    }
  }

  @Test(
    "enrolled runners are notified of a change, and moving a run withdraws its check-ins",
    .tags(.RUN_2))
  func notifications() async throws {
    try await RunFixture.with { fixture in
      let run = try await fixture.listed(try RunFixture.terms())
      let evening = try await fixture.listed(try RunFixture.terms(starts: 9000, ends: 12_000), 1)
      for runner in 1...2 as ClosedRange<Int64> { _ = try await fixture.join(run, runner) }
      _ = try await fixture.join(evening, 1)
      try fixture.test.run(
        """
        UPDATE track4run.runs SET check_in_at = now();
        UPDATE track4run.enrolments
           SET request_id = gen_random_uuid(), checked_in_at = now(), check_in_attempts = 1;
        DELETE FROM track4run.outbox;
        """)
      let name = try RunName("Lodi half")
      _ = try await fixture.change(run) { _ in }
      #expect(try fixture.number("SELECT count(*) FROM track4run.outbox") == 0)
      _ = try await fixture.change(run) { $0.name = name }
      #expect(try fixture.number("SELECT count(*) FROM track4run.outbox WHERE kind = 3") == 1)
      // New check-in requests name the run again.
      #expect(try fixture.number("SELECT count(*) FROM track4run.outbox WHERE kind = 1") == 1)
      #expect(try fixture.number("SELECT count(*) FROM track4run.outbox WHERE kind IN (2, 4)") == 0)
      #expect(try await fixture.change(run) { $0.endsAt = at(9001) } == .changed(removed: 1))
      // For the runner who lost the place, and for the one who receives a new request.
      #expect(try fixture.number("SELECT count(*) FROM track4run.outbox WHERE kind = 2") == 2)
      // To all enrolled runners, and to the runner who lost the place.
      #expect(try fixture.number("SELECT count(*) FROM track4run.outbox WHERE kind = 3") == 3)
      let asked: StaticString = """
        SELECT count(*)
          FROM track4run.enrolments
          JOIN track4run.runs USING (run_id)
         WHERE name = 'Lodi half' AND left_at IS NULL
           AND request_id IS NULL AND checked_in_at IS NULL AND check_in_at IS NULL
        """
      #expect(try fixture.number(asked) == 1)
    }
  }

  @Test(
    "runners are notified of at most twenty changes a day; runs without runners are unlimited",
    .tags(.RUN_2))
  func changesADay() async throws {
    try await RunFixture.with { fixture in
      let runID = try await fixture.listed(
        try RunFixture.terms(starts: 200_000, ends: 203_600))
      func change(_ places: Int64) async throws -> ChangeOutcome {
        try await fixture.change(runID) { $0.participantsMax = places }
      }
      for places in Int64(100)..<130 { #expect(try await change(places) == .changed(removed: 0)) }
      _ = try await fixture.join(runID, 1)
      for places in Int64(200)..<220 { #expect(try await change(places) == .changed(removed: 0)) }
      let notified: StaticString = "SELECT count(*) FROM track4run.outbox WHERE kind = 3"
      let before = try fixture.number(notified)
      let refusal = await #expect(throws: ApplicationError.self) { try await change(300) }
      #expect(refusal?.reason == .rateLimited)
      // It is noon.
      #expect(refusal?.retryAfter == 43_200)
      #expect(try fixture.number(notified) == before)
      let asItWas: StaticString = """
        SELECT count(*) FROM track4run.runs WHERE participants_max = 219
        """
      #expect(try fixture.number(asItWas) == 1)
      fixture.clock.set(at(43_200))
      #expect(try await change(300) == .changed(removed: 0))
    }
  }

  @Test(
    "racing moves and joins never put a runner into two overlapping runs", .tags(.RUN_2, .RUN_3))
  func races() async throws {
    try await RunFixture.with(connections: 10) { fixture in
      let first = try await fixture.listed(try RunFixture.terms(participants: 100))
      let second = try await fixture.listed(
        try RunFixture.terms(starts: 10_000, ends: 12_000, participants: 100), 1)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for runner in 1...20 as ClosedRange<Int64> {
          for run in [first, second] {
            group.addTask { _ = try await fixture.join(run, runner) }
          }
          if runner.isMultiple(of: 5) {
            group.addTask {
              let times = runner.isMultiple(of: 10) ? (3600, 7200) : (9000, 11_000)
              _ = try await fixture.change(first) {
                ($0.startsAt, $0.endsAt) = (at(Int64(times.0)), at(Int64(times.1)))
              }
            }
            group.addTask {
              _ = try await fixture.change(second) {
                ($0.startsAt, $0.endsAt) = (at(5000 + runner * 500), at(7000 + runner * 500))
              }
            }
          }
        }
        try await group.waitForAll()
      }
      let doubles: StaticString = """
        SELECT count(*)
          FROM track4run.enrolments AS one
          JOIN track4run.enrolments AS other USING (account_id)
          JOIN track4run.runs AS first ON first.run_id = one.run_id
          JOIN track4run.runs AS second ON second.run_id = other.run_id
         WHERE one.run_id < other.run_id AND one.left_at IS NULL AND other.left_at IS NULL
           AND first.starts_at < second.ends_at AND second.starts_at < first.ends_at
        """
      #expect(try fixture.number(doubles) == 0)
      let counts: StaticString = """
        SELECT count(*) FROM track4run.runs AS run
         WHERE enrolled <> (SELECT count(*) FROM track4run.enrolments AS own
                             WHERE own.run_id = run.run_id AND own.left_at IS NULL)
        """
      #expect(try fixture.number(counts) == 0)
    }
  }
}
