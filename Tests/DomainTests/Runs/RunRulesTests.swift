import Domain
import Requirements
import Support
import Testing
import Time

@Suite("the rules of runs and of joining them")
struct RunRulesTests {
  private static let now = Instant(millisecondsSince1970: 1_780_315_200_000)

  private func terms(
    starts: Int64 = 3600, ends: Int64 = 7200, enrol: Int64? = nil, participants: Int64 = 10
  ) throws(RunTermsError) -> RunTerms {
    guard let name = try? RunName("Milano half") else { preconditionFailure("that is a name") }
    return try RunTerms(
      name: name, startsAt: Self.now.adding(seconds: starts),
      endsAt: Self.now.adding(seconds: ends),
      enrolUntil: enrol.map { Self.now.adding(seconds: $0) }, participantsMax: participants,
      now: Self.now)
  }

  @Test("a run starts in the future and ends after it starts", .tags(.RUN_1))
  func times() throws {
    #expect(try terms(starts: 1).times.startsAt == Self.now.adding(seconds: 1))
    #expect(throws: RunTermsError.startsInThePast) { try terms(starts: 0) }
    #expect(throws: RunTermsError.startsInThePast) { try terms(starts: -1) }
    #expect(try terms(starts: 10, ends: 11).times.endsAt == Self.now.adding(seconds: 11))
    #expect(throws: RunTermsError.endsBeforeItStarts) { try terms(starts: 10, ends: 10) }
    #expect(throws: RunTermsError.endsBeforeItStarts) { try terms(starts: 10, ends: 9) }
  }

  @Test("a run starts within two years and lasts seven days at most", .tags(.RUN_1))
  func bounds() throws {
    let (day, farthest) = (86_400 as Int64, 731 * 86_400 as Int64)
    #expect(try terms(starts: farthest, ends: farthest + 7 * day).enrolUntil > Self.now)
    #expect(throws: RunTermsError.startsTooLate) {
      try terms(starts: farthest + 1, ends: farthest + 2)
    }
    #expect(throws: RunTermsError.lastsTooLong) { try terms(starts: 1, ends: 7 * day + 2) }
  }

  @Test("a run is for two participants to a million", .tags(.RUN_1, .R38))
  func participants() throws {
    #expect(throws: RunTermsError.tooFewParticipants) { try terms(participants: 1) }
    #expect(throws: RunTermsError.tooFewParticipants) { try terms(participants: .min) }
    #expect(try terms(participants: 2).participantsMax == 2)
    #expect(try terms(participants: 1_000_000).participantsMax == 1_000_000)
    #expect(throws: RunTermsError.tooManyParticipants) { try terms(participants: 1_000_001) }
  }

  @Test("enrolment closes in the future, at the start at the latest", .tags(.RUN_1, .R38))
  func enrolment() throws {
    #expect(try terms().enrolUntil == Self.now.adding(seconds: 3600))
    #expect(try terms(enrol: 3600).enrolUntil == Self.now.adding(seconds: 3600))
    #expect(try terms(enrol: 1).enrolUntil == Self.now.adding(seconds: 1))
    #expect(throws: RunTermsError.enrolmentClosesInThePast) { try terms(enrol: 0) }
    #expect(throws: RunTermsError.enrolmentClosesAfterTheStart) { try terms(enrol: 3601) }
  }

  @Test(
    "names are one line without direction marks", .tags(.R38),
    arguments: [
      "", "  ", "…", "a\nb", "\u{202E}nur", "a\u{0}b", String(repeating: "a", count: 201),
    ])
  func badNames(text: String) {
    #expect(throws: NameError.self) { try RunName(text) }
    #expect(throws: NameError.self) { try RunnerName(text) }
  }

  @Test("names keep their characters, markup included", .tags(.R38))
  func goodNames() throws {
    #expect(try RunName("  <b>5 km</b> & \"co\" ").description == "<b>5 km</b> & \"co\"")
    #expect(try RunName(String(repeating: "à", count: 200)).description.count == 200)
    #expect(try RunnerName("Nicolò 🏃").text == "Nicolò 🏃")
    #expect("\(try RunnerName("Nicolò"))" == "<RunnerName>")
  }

  @Test("clauses may have several lines, and 10,000 characters", .tags(.RUN_16))
  func clauses() throws {
    #expect(
      try RunClauses(" At your risk.\n\tNo dogs.\r\n ").description == "At your risk.\n\tNo dogs.")
    let long = String(repeating: "a", count: 10_000)
    #expect(try RunClauses(long).description == long)
    for text in ["", "\n", "a\u{0}", "a\u{202E}b", long + "a"] {
      #expect(throws: RunClausesError.self) { try RunClauses(text) }
    }
  }

  @Test("a run with clauses is joined by accepting the version in force", .tags(.RUN_16))
  func acceptance() throws {
    func run(_ version: Int32?) throws -> Run {
      Run(
        id: 1, organiser: AccountID(rawValue: 1), times: try terms().times,
        enrolUntil: try terms().enrolUntil, participantsMax: 10, enrolled: 0, isPublished: true,
        isCancelled: false, clausesVersion: version)
    }
    func refusal(_ version: Int32?, accepting accepted: Int32?) throws -> JoinRefusal? {
      try run(version).refusal(
        ofJoiningBy: AccountID(rawValue: 2), whoIsEnrolled: false, in: [], accepting: accepted,
        now: Self.now)
    }
    #expect(try refusal(nil, accepting: nil) == nil)
    #expect(try refusal(nil, accepting: 3) == nil)
    #expect(try refusal(2, accepting: nil) == .clausesNotAccepted)
    #expect(try refusal(2, accepting: 1) == .clausesChanged)
    #expect(try refusal(2, accepting: 2) == nil)
    #expect(try refusal(2, accepting: 3) == .clausesChanged)
  }

  @Test("a description may have several lines, and 500 characters", .tags(.R38))
  func descriptions() throws {
    #expect(try RunDescription(" First line\n\tsecond\r\n ").description == "First line\n\tsecond")
    #expect(try RunDescription(String(repeating: "a", count: 500)).description.count == 500)
    for text in ["", "\n", "a\u{0}", "a\u{202E}b", String(repeating: "a", count: 501)] {
      #expect(throws: RunDescriptionError.self) { try RunDescription(text) }
    }
  }

  @Test("check-in opens at midnight of the day of the start, or earlier if configured", .tags(.R39))
  func checkIn() throws {
    let zone = TimeZoneRules.utc
    func opens(_ start: String, before: Int64) throws -> String {
      CheckIn.opensAt(startsAt: try Instant(start), in: zone, secondsBefore: before).description
    }
    #expect(try opens("2026-06-01T08:30:00Z", before: 0) == "2026-06-01T00:00:00Z")
    #expect(try opens("2026-06-01T08:30:00Z", before: 3600) == "2026-06-01T00:00:00Z")
    #expect(try opens("2026-06-01T00:30:00Z", before: 3600) == "2026-05-31T23:30:00Z")
    #expect(try opens("2026-06-01T00:00:00Z", before: 0) == "2026-06-01T00:00:00Z")
    #expect(try opens("2026-06-01T08:30:00Z", before: -5) == "2026-06-01T00:00:00Z")
  }

  // MARK: Joining

  private static let times = RunTimes(
    startsAt: now.adding(seconds: 3600), endsAt: now.adding(seconds: 7200))
  private static let runner = AccountID(rawValue: 5)

  private func run(
    enrolUntil: Int64 = 1800, enrolled: Int32 = 0, isPublished: Bool = true,
    isCancelled: Bool = false
  ) throws -> Run {
    Run(
      id: 1, organiser: AccountID(rawValue: 9), times: try #require(Self.times),
      enrolUntil: Self.now.adding(seconds: enrolUntil), participantsMax: 10, enrolled: enrolled,
      isPublished: isPublished, isCancelled: isCancelled)
  }

  private func refusal(
    _ run: Run, by runner: AccountID = runner, isEnrolled: Bool = false, in others: [RunTimes] = [],
    after seconds: Int64 = 0
  ) -> JoinRefusal? {
    run.refusal(
      ofJoiningBy: runner, whoIsEnrolled: isEnrolled, in: others,
      now: Self.now.adding(seconds: seconds))
  }

  @Test("only listed runs are joined: not full, started, closed, or joined already", .tags(.R46))
  func joining() throws {
    #expect(refusal(try run()) == nil)
    #expect(refusal(try run(isPublished: false)) == .notListed)
    #expect(refusal(try run(isCancelled: true)) == .notListed)
    #expect(refusal(try run(enrolled: 9)) == nil)
    #expect(refusal(try run(enrolled: 10)) == .full)
    #expect(refusal(try run(), isEnrolled: true) == .joinedAlready)
    #expect(refusal(try run(enrolled: 10), isEnrolled: true) == .joinedAlready)
    #expect(refusal(try run(), by: AccountID(rawValue: 9)) == .ownRun)
    #expect(refusal(try run(), after: 1799) == nil)
    #expect(refusal(try run(), after: 1800) == .enrolmentClosed)
    #expect(refusal(try run(enrolUntil: 3600), after: 3599) == nil)
    #expect(refusal(try run(enrolUntil: 3600), after: 3600) == .begun)
  }

  @Test("overlapping runs cannot both be joined; one may begin when the other ends", .tags(.RUN_3))
  func overlaps() throws {
    func other(_ starts: Int64, _ ends: Int64) throws -> RunTimes {
      try #require(
        RunTimes(startsAt: Self.now.adding(seconds: starts), endsAt: Self.now.adding(seconds: ends))
      )
    }
    #expect(refusal(try run(), in: [try other(7200, 9000), try other(0, 3600)]) == nil)
    for (starts, ends) in [(7199, 9000), (0, 3601), (4000, 5000), (0, 9000), (3600, 7200)] {
      let others = [try other(9000, 9001), try other(Int64(starts), Int64(ends))]
      #expect(refusal(try run(), in: others) == .overlapsAnother)
    }
  }

  @Test("each refusal is explained in one sentence")
  func sentences() {
    for refusal in JoinRefusal.allCases { #expect(refusal.description.hasSuffix(".")) }
    for refusal in RunChangeRefusal.allCases { #expect(refusal.description.hasSuffix(".")) }
    #expect(Set(JoinRefusal.allCases.map(\.description)).count == JoinRefusal.allCases.count)
  }

  @Test("a run is changed until it starts, and cancelled until it is over", .tags(.RUN_2))
  func changes() throws {
    let run = try run()
    func at(_ seconds: Int64) -> Instant { Self.now.adding(seconds: seconds) }
    #expect(run.refusalOfChange(now: at(3599)) == nil)
    #expect(run.refusalOfChange(now: at(3600)) == .begun)
    #expect(run.refusalOfChange(now: at(7200)) == .over)
    #expect(run.refusalOfCancelling(now: at(7199)) == nil)
    #expect(run.refusalOfCancelling(now: at(7200)) == .over)
    let cancelled = try self.run(isCancelled: true)
    #expect(cancelled.refusalOfChange(now: at(0)) == .cancelled)
    #expect(cancelled.refusalOfCancelling(now: at(0)) == .cancelled)
    func state(_ seconds: Int64) -> RunState {
      RunState(startsAt: run.times.startsAt, endsAt: run.times.endsAt, now: at(seconds))
    }
    #expect(state(3599) == .open && state(3600) == .live)
    #expect(state(7199) == .live && state(7200) == .ended)
  }

  @Test("a code has eight characters that cannot be confused", .tags(.RUN_4))
  func codes() {
    var random = SeededRandom()
    var codes: Set<String> = []
    for _ in 0..<2000 {
      let code = RunCode(random: (0..<8).map { _ in .random(in: 0...255, using: &random) })
      #expect(code.description.count == 8)
      #expect(code.description.allSatisfy { "23456789ABCDEFGHJKLMNPQRSTUVWXYZ".contains($0) })
      #expect(RunCode.normalised(code.description.lowercased()) == code.description)
      codes.insert(code.description)
    }
    #expect(codes.count > 1990)
    #expect(RunCode.normalised(" abcd-2345 ") == "ABCD2345")
  }
}
