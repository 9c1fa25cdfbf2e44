import Domain
import EventLoop
import FakeServices
import InternalAPI
import PostgresFixture
import Requirements
import Support
import Testing
import Time
import Track4RunFixture

@Suite("Check-in to runs")
struct CheckInTests {
  /// Runs `body` with a run with the given start, in seconds from now, and runners 1 to `runners`.
  private func with(
    _ starts: Int64, runners: Int64 = 3, opensBefore: Duration = .zero,
    _ body: @escaping @Sendable (RunFixture, FakeData4Help, Int64) async throws -> Void
  ) async throws {
    try await RunFixture.with(connections: 8) { fixture in
      let runID = try await fixture.listed(
        try RunFixture.terms(starts: starts, ends: starts + 3600, participants: 1_000))
      for runner in 1...runners { _ = try await fixture.join(runID, runner) }
      try await FakeData4Help.with { fake in
        try await fixture.conversing(with: fake, opensBefore: opensBefore) {
          try await body(fixture, fake, runID)
        }
      }
    }
  }

  /// 12:00 on the first of June; 00:00 of the third is 36 hours later.
  private static let dayAfterNext: Int64 = 36 * 3600

  @Test(
    "enrolled runners are asked at 00:00 of the day of the start, later ones at once",
    .tags(.R39))
  func opensAtMidnight() async throws {
    try await with(Self.dayAfterNext + 10 * 3600) { fixture, fake, runID in
      fixture.clock.set(RunFixture.now.adding(seconds: Self.dayAfterNext - 1))
      // Orders are sent in their order: an earlier request would have arrived before this one.
      _ = try await fixture.join(runID, 4)
      try await eventually("the notice of joining") { try fake.notified("joined").contains(4) }
      #expect(try fake.asked().isEmpty)
      fixture.clock.set(RunFixture.now.adding(seconds: Self.dayAfterNext))
      try await eventually("the requests") { try fake.asked().count == 4 }
      #expect(try fixture.number("SELECT count(check_in_at) FROM track4run.runs") == 1)
      _ = try await fixture.join(runID, 5)
      try await eventually("the request of who joined later") { try fake.asked().count == 5 }
      #expect(Set(try fake.asked().map(\.account.rawValue)) == [1, 2, 3, 4, 5])
      let batch = try #require(fake.orders.first { $0.path == InternalPath.requests })
        .read(CheckInBatch.self)
      #expect(batch.organiser == RunFixture.organiser)
      #expect(batch.runName == "Milano half")
      #expect(batch.endsAt == batch.startsAt.adding(seconds: 3600))
    }
  }

  @Test("a set time before the start opens check-in where that is earlier than 00:00", .tags(.R39))
  func opensBefore() async throws {
    let start = Self.dayAfterNext + 10 * 3600
    try await with(start, opensBefore: .seconds(20 * 3600)) { fixture, fake, runID in
      fixture.clock.set(RunFixture.now.adding(seconds: start - 20 * 3600 - 1))
      _ = try await fixture.join(runID, 4)
      try await eventually("the notice of joining") { try fake.notified("joined").contains(4) }
      #expect(try fake.asked().isEmpty)
      fixture.clock.set(RunFixture.now.adding(seconds: start - 20 * 3600))
      try await eventually("the requests") { try fake.asked().count == 4 }
    }
  }

  @Test(
    "a runner without an acceptance is removed at the start and notified; others stay",
    .tags(.R47, .R49))
  func start() async throws {
    try await with(3600) { fixture, fake, runID in
      try await eventually("the requests") { try fake.asked().count == 3 }
      let requests = Dictionary(
        try fake.asked().map { ($0.account.rawValue, $0.requestID) }, uniquingKeysWith: { $1 })
      let start = RunFixture.now.adding(seconds: 3600)
      fake.publish(
        .answered(try #require(requests[1]), .accepted(DataTypeSet([.position]), endsAt: start)))
      fake.publish(.answered(try #require(requests[2]), .declined))
      let checkedIn: StaticString =
        "SELECT count(*) FROM track4run.enrolments WHERE checked_in_at IS NOT NULL"
      try await eventually("the check-in") { try fixture.number(checkedIn) == 1 }
      fixture.clock.set(start.adding(seconds: 1))
      _ = try await fixture.leave(runID, 3)
      try await eventually("the notice of leaving") { try fake.notified("left") == [3] }
      #expect(try fake.notified("not checked in").isEmpty)
      fixture.clock.set(start.adding(seconds: 3))
      try await eventually("the removal") { try fake.notified("not checked in") == [2] }
      #expect(try fixture.number("SELECT enrolled FROM track4run.runs") == 1)
      let reasons: StaticString = """
        SELECT count(*) FROM track4run.enrolments
         WHERE (number, left_reason) IN ((2, 2), (3, 1)) OR number = 1 AND left_at IS NULL
        """
      #expect(try fixture.number(reasons) == 3)
    }
  }

  @Test(
    "an unreadable event is skipped, and the events after it take effect",
    .tags(.R47))
  func unreadable() async throws {
    try await with(3600) { fixture, fake, runID in
      try await eventually("the requests") { try fake.asked().count == 3 }
      let start = RunFixture.now.adding(seconds: 3600)
      let checkedIn: StaticString =
        "SELECT count(*) FROM track4run.enrolments WHERE checked_in_at IS NOT NULL"
      for (index, request) in try fake.asked().map(\.requestID).enumerated() {
        fake.publish(.answered(request, .declined), isReadable: false)
        fake.publish(.answered(request, .accepted(DataTypeSet([.position]), endsAt: start)))
        try await eventually("the check-in") { try fixture.number(checkedIn) == index + 1 }
      }
    }
  }

  @Test(
    "an acceptance withdrawn before the start removes the runner, even if read after it",
    .tags(.R49))
  func withdrawnInTime() async throws {
    try await with(3600) { fixture, fake, runID in
      try await eventually("the requests") { try fake.asked().count == 3 }
      let request = try #require(try fake.asked().first { $0.account.rawValue == 1 }).requestID
      let start = RunFixture.now.adding(seconds: 3600)
      fake.publish(.answered(request, .accepted(DataTypeSet([.position]), endsAt: start)))
      let checkedIn: StaticString =
        "SELECT count(*) FROM track4run.enrolments WHERE checked_in_at IS NOT NULL"
      try await eventually("the check-in") { try fixture.number(checkedIn) == 1 }
      fixture.clock.set(start.adding(seconds: 1))
      fake.publish(.ended(request, .singleUser), at: start.adding(seconds: -1))
      try await eventually("the end of the check-in") { try fixture.number(checkedIn) == 0 }
    }
  }

  @Test("an acceptance withdrawn during the run ends the enrolment", .tags(.RUN_3))
  func withdrawnLater() async throws {
    try await with(3600) { fixture, fake, runID in
      try await eventually("the requests") { try fake.asked().count == 3 }
      let start = RunFixture.now.adding(seconds: 3600)
      for request in try fake.asked().map(\.requestID) {
        fake.publish(.answered(request, .accepted(DataTypeSet([.position]), endsAt: start)))
      }
      let sharing: StaticString = """
        SELECT count(*) FROM track4run.enrolments
         WHERE checked_in_at IS NOT NULL AND left_at IS NULL
        """
      try await eventually("the check-ins") { try fixture.number(sharing) == 3 }
      fixture.clock.set(start.adding(seconds: 10))
      let requests = try fake.asked()
      let first = try #require(requests.first { $0.account.rawValue == 1 }).requestID
      let second = try #require(requests.first { $0.account.rawValue == 2 }).requestID
      // Only the runner's own end removes the runner; after `periodOver` the shared data stays.
      fake.publish(.ended(second, .periodOver), at: start.adding(seconds: 5))
      fake.publish(.ended(first, .singleUser), at: start.adding(seconds: 5))
      try await eventually("the leaving") { try fixture.number(sharing) == 2 }
      #expect(try fixture.number("SELECT enrolled FROM track4run.runs") == 2)
    }
  }

  @Test(
    "an acceptance withdrawn after the run ends the enrolment and keeps the result", .tags(.RUN_9))
  func withdrawnAfterTheRun() async throws {
    try await with(3600) { fixture, fake, runID in
      try await eventually("the requests") { try fake.asked().count == 3 }
      let request = try #require(try fake.asked().first { $0.account.rawValue == 1 }).requestID
      let start = RunFixture.now.adding(seconds: 3600)
      try fixture.test.run("UPDATE track4run.enrolments SET sealed_name = '\\x00'")
      fake.publish(.answered(request, .accepted(DataTypeSet([.position]), endsAt: start)))
      try await eventually("the check-in") {
        try fixture.number(
          "SELECT count(*) FROM track4run.enrolments WHERE checked_in_at IS NOT NULL") == 1
      }
      // Longer than any run lasts.
      let end = start.adding(seconds: 8 * 86_400)
      fake.publish(.ended(request, .periodOver), at: end)
      fake.publish(.ended(request, .singleUser), at: end.adding(seconds: 5))
      try await eventually("the leaving") {
        try fixture.number("SELECT count(*) FROM track4run.enrolments WHERE left_reason = 5") == 1
      }
      #expect(
        try fixture.number(
          "SELECT count(*) FROM track4run.enrolments WHERE sealed_name IS NULL") == 1)
    }
  }

  @Test("an acceptance that no enrolment names is ended", .tags(.RUN_3))
  func stale() async throws {
    try await with(3600) { fixture, fake, runID in
      try await eventually("the requests") { try fake.asked().count == 3 }
      let request = try #require(try fake.asked().first { $0.account.rawValue == 1 }).requestID
      _ = try await fixture.leave(runID, 1)
      try await eventually("the end") { try fake.withdrawn() == [request] }
      fake.publish(
        .answered(request, .accepted(DataTypeSet([.position]), endsAt: RunFixture.now)))
      try await eventually("another end") { try fake.withdrawn() == [request, request] }
      // A runner who joins again receives another request.
      _ = try await fixture.join(runID, 1)
      try await eventually("another request") {
        let own = try fake.asked().filter { $0.account.rawValue == 1 }
        return Set(own.map(\.requestID)).count == 2
      }
    }
  }

  @Test(
    "inactive runners are asked again, deleted ones removed; a used identifier affects no other",
    .tags(.R39, .ACC_8))
  func outcomes() async throws {
    try await with(Self.dayAfterNext + 10 * 3600, runners: 4) { fixture, fake, _ in
      fake.answer(.deleted, to: 1)
      fake.answer(.inactive, to: 2)
      fake.answer(.taken, to: 3)
      func asked(_ runner: Int64) throws -> Int {
        try fake.asked().count { $0.account.rawValue == runner }
      }
      fixture.clock.set(RunFixture.now.adding(seconds: Self.dayAfterNext))
      try await eventually("the requests") { try fake.asked().count == 4 }
      try await eventually("the departure") {
        try fixture.number("SELECT enrolled FROM track4run.runs") == 3
      }
      // The inactive runner is asked again after a minute.
      let again: StaticString = """
        SELECT count(*) FROM track4run.outbox
         WHERE kind = 1 AND next_attempt_at = added_at + interval '1 minute'
        """
      try await eventually("the order to ask again") { try fixture.number(again) == 1 }
      #expect(try asked(2) == 1)
      fake.answer(.sent, to: 2)
      fixture.clock.set(RunFixture.now.adding(seconds: Self.dayAfterNext + 60))
      try await eventually("another question") { try asked(2) == 2 }
      try await eventually("an empty outbox") {
        try fixture.number("SELECT count(*) FROM track4run.outbox") == 0
      }
      #expect(try [1, 3, 4].map(asked) == [1, 1, 1])
    }
  }

  @Test(
    "a cancelled run ends its check-ins, and enrolled runners are notified", .tags(.RUN_2, .RUN_13))
  func cancelled() async throws {
    try await with(3600) { fixture, fake, runID in
      try await eventually("the requests") { try fake.asked().count == 3 }
      _ = try await fixture.cancel(runID)
      try await eventually("the notices") {
        try fake.notified("cancelled").sorted() == [1, 2, 3, 900]
      }
      try await eventually("the ends") {
        Set(try fake.withdrawn()) == Set(try fake.asked().map(\.requestID))
      }
    }
  }

  @Test(
    "a changed path is reported to enrolled runners, an unchanged one is not",
    .tags(.RUN_2, .RUN_13))
  func anotherPath() async throws {
    try await with(40 * 86_400) { fixture, fake, runID in
      _ = try await fixture.publish(runID, try RunFixture.path())
      _ = try await fixture.coOrganiser(RunFixture.other, of: runID, allowed: true)
      _ = try await fixture.publish(runID, try RunFixture.path(5), by: RunFixture.other)
      try await eventually("the notices") {
        try fake.notified("changed").sorted() == [1, 2, 3, 900, 901]
      }
      try await eventually("an empty outbox") {
        try fixture.number("SELECT count(*) FROM track4run.outbox") == 0
      }
      #expect(try fake.notified("changed").count == 5)
      #expect(try fake.notified("published") == [900])
      let notice = try #require(
        fake.orders.filter { $0.path == InternalPath.notices }
          .map { try $0.read(NoticeOrder.self) }.first { $0.facts["event"] == "changed" })
      #expect(notice.mail?.english.text.contains("- path: another one, of ") == true)
      #expect(notice.mail?.italian.text.contains("- percorso: un altro, di ") == true)
    }
  }

  @Test("creating, publishing, joining and leaving are each confirmed by a notice", .tags(.RUN_13))
  func confirmations() async throws {
    try await with(40 * 86_400) { fixture, fake, runID in
      _ = try await fixture.leave(runID, 2)
      try await eventually("the notice of leaving") { try fake.notified("left") == [2] }
      try await eventually("the notices of joining") {
        try Set(fake.notified("joined")) == [1, 2, 3]
      }
      try await eventually("the notices of making and publishing") {
        try [fake.notified("created"), fake.notified("published")] == [[900], [900]]
      }
      let notice = try #require(fake.orders.first { $0.path == InternalPath.notices })
        .read(NoticeOrder.self)
      #expect(notice.facts["runName"] == "Milano half")
      #expect(notice.mail?.english.text.contains("Milano half") == true)
    }
  }
}

@Suite("Outages of Track4Run's replicas")
struct ReplicaOutageTests {
  @Test(
    "a replica that crashes while opening a check-in skips no runner and asks none twice",
    .tags(.R39, .NFR_4))
  func takenOver() async throws {
    try await RunFixture.with(connections: 8) { fixture in
      let runID = try await fixture.listed(try RunFixture.terms(participants: 2_000))
      for runner in 1_001...2_200 as ClosedRange<Int64> {
        _ = try await fixture.join(runID, runner)
      }
      try await FakeData4Help.with { fake in
        let other = try EventLoop.start(name: "killed")
        await fixture.begin(with: fake, on: other)
        try await eventually("the first requests") { try !fake.asked().isEmpty }
        try fixture.kill(other)
        try await fixture.conversing(with: fake) {
          try await eventually("the others") { Set(try fake.asked().map(\.account)).count == 1_200 }
          try await eventually("an empty outbox") {
            try fixture.number("SELECT count(*) FROM track4run.outbox") == 0
          }
          #expect(Set(try fake.asked().map(\.requestID)).count == 1_200)
        }
      }
    }
  }
}
