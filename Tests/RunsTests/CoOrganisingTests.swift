import Domain
import PostgresFixture
import Requirements
import Runs
import Testing
import Track4RunFixture

@Suite("Co-organisers")
struct CoOrganisingTests {
  private func isNew(_ outcome: CoOrganisingOutcome) -> Bool? {
    if case .set(_, let isNew) = outcome { isNew } else { nil }
  }

  @Test("repeated adding or removing of a co-organiser has one effect", .tags(.RUN_2))
  func repeated() async throws {
    try await RunFixture.with { fixture in
      let runID = try await fixture.create(try RunFixture.terms())
      for (allowed, expected) in [(true, true), (true, false), (false, true), (false, false)] {
        let outcome = try await fixture.coOrganiser(RunFixture.other, of: runID, allowed: allowed)
        #expect(isNew(outcome) == expected)
      }
    }
  }

  @Test(
    "the creator decides about co-organisers, and a co-organiser removes only itself", .tags(.RUN_2)
  )
  func decisions() async throws {
    try await RunFixture.with { fixture in
      let runID = try await fixture.create(try RunFixture.terms())
      let third = AccountID(rawValue: 902)
      _ = try await fixture.coOrganiser(RunFixture.other, of: runID, allowed: true)
      _ = try await fixture.coOrganiser(third, of: runID, allowed: true)
      for other in [third, RunFixture.organiser] {
        for allowed in [true, false] {
          let outcome = try await fixture.coOrganiser(
            other, of: runID, allowed: allowed, by: RunFixture.other)
          #expect(isNew(outcome) == nil)
        }
      }
      let off = try await fixture.coOrganiser(
        RunFixture.other, of: runID, allowed: false, by: RunFixture.other)
      #expect(isNew(off) == true)
      #expect(try fixture.number("SELECT count(*) FROM track4run.co_organisers") == 1)
    }
  }

  @Test("a run has at most twenty co-organisers", .tags(.RUN_2))
  func twenty() async throws {
    try await RunFixture.with { fixture in
      let runID = try await fixture.create(try RunFixture.terms())
      for number in 1...20 as ClosedRange<Int64> {
        let outcome = try await fixture.coOrganiser(
          AccountID(rawValue: number), of: runID, allowed: true)
        #expect(isNew(outcome) == true)
      }
      let further = try await fixture.coOrganiser(
        AccountID(rawValue: 21), of: runID, allowed: true)
      guard case .tooMany = further else {
        Issue.record("a twenty-first company was named")
        return
      }
      let again = try await fixture.coOrganiser(
        AccountID(rawValue: 20), of: runID, allowed: true)
      #expect(isNew(again) == false)
    }
  }
}
