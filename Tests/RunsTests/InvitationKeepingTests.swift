import PostgresFixture
import Requirements
import Runs
import ServiceKit
import Testing
import Track4RunFixture

@Suite("Stored invitations")
struct InvitationKeepingTests {
  @Test(
    "the hash of an invited address is kept for the period that the operator set",
    .tags(.NFR_6, .RUN_10))
  func kept() async throws {
    try await RunFixture.with { fixture in
      let runID = try await fixture.create(try RunFixture.terms())
      try fixture.test.run(
        """
        INSERT INTO track4run.invitations (run_id, address_blind, invited_at)
        SELECT \(runID), decode(lpad(to_hex(days), 64, '0'), 'hex'),
               '2026-06-01T12:00:00Z'::timestamptz - days * interval '1 day'
          FROM generate_series(1, 4) AS days
        """)
      let dependencies = fixture.dependencies([], keepInvitations: .seconds(3 * 86_400))
      try await dependencies.deleteExpiredRows()
      #expect(try fixture.number("SELECT count(*) FROM track4run.invitations") == 2)
    }
  }
}
