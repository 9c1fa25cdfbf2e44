import Domain
import Requirements
import Testing
import Time

@Suite("Changes of runs")
struct RunChangesTests {
  private static let now = Instant(millisecondsSince1970: 1_780_315_200_000)

  private func terms(enrol: Int64? = nil) throws -> RunTerms {
    try RunTerms(
      name: RunName("Milano half"), description: RunDescription("Flat"), place: RunName("Milano"),
      startsAt: Self.now.adding(seconds: 3600), endsAt: Self.now.adding(seconds: 7200),
      enrolUntil: enrol.map { Self.now.adding(seconds: $0) }, participantsMax: 10, now: Self.now)
  }

  private func changed(
    _ terms: RunTerms, at seconds: Int64 = 0, _ edit: (inout RunChanges) -> Void
  ) throws(RunTermsError) -> RunTerms {
    var changes = RunChanges()
    edit(&changes)
    return try terms.changed(by: changes, now: Self.now.adding(seconds: seconds))
  }

  @Test("omitted values stay, and removed ones are cleared", .tags(.RUN_2))
  func naming() throws {
    let terms = try terms()
    let same = try changed(terms) { _ in }
    #expect(same == terms)
    let name = try RunName("Lodi half")
    let other = try changed(terms) {
      $0.name = name
      $0.description = .removed
      $0.place = .replaced(name)
      $0.participantsMax = 20
    }
    #expect((other.name, other.description, other.place) == (name, nil, name))
    #expect(other.participantsMax == 20)
    #expect(other.times == terms.times)
  }

  @Test("enrolment up to the start moves with the start, another deadline stays", .tags(.RUN_2))
  func deadlines() throws {
    let later = Self.now.adding(seconds: 5000)
    let moved = try changed(try terms()) { $0.startsAt = later }
    #expect(moved.enrolUntil == later)
    let deadline = Self.now.adding(seconds: 1800)
    #expect(try changed(try terms(enrol: 1800)) { $0.startsAt = later }.enrolUntil == deadline)
    let earlier = Self.now.adding(seconds: 900)
    #expect(try changed(try terms(enrol: 1800)) { $0.startsAt = earlier }.enrolUntil == earlier)
  }

  @Test("a past deadline is kept, but a new one is not in the past", .tags(.RUN_2))
  func passedDeadline() throws {
    let terms = try terms(enrol: 1800)
    let kept = try changed(terms, at: 1801) { $0.participantsMax = 5 }
    #expect(kept.enrolUntil == terms.enrolUntil)
    let named = try changed(terms, at: 1801) { $0.enrolUntil = terms.enrolUntil }
    #expect(named == terms)
    #expect(throws: RunTermsError.enrolmentClosesInThePast) {
      try changed(terms, at: 1801) { $0.enrolUntil = Self.now.adding(seconds: 1801) }
    }
    let reopened = try changed(terms, at: 1801) { $0.enrolUntil = Self.now.adding(seconds: 1802) }
    #expect(reopened.enrolUntil == Self.now.adding(seconds: 1802))
  }

  @Test("a change that no new run could have is rejected", .tags(.RUN_1, .RUN_2))
  func refusals() throws {
    let terms = try terms()
    #expect(throws: RunTermsError.startsInThePast) { try changed(terms) { $0.startsAt = Self.now } }
    #expect(throws: RunTermsError.endsBeforeItStarts) {
      try changed(terms) { $0.startsAt = terms.times.endsAt }
    }
    #expect(throws: RunTermsError.tooFewParticipants) {
      try changed(terms) { $0.participantsMax = 1 }
    }
    #expect(throws: RunTermsError.enrolmentClosesAfterTheStart) {
      try changed(terms) { $0.enrolUntil = terms.times.endsAt }
    }
  }
}
