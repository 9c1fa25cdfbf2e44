import Cryptography
import Data4HelpSync
import Domain
import EventLoop
import InternalAPI
import Operations
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
      let dependencies = RunDependencies(
        environment: fixture.environment, zone: .utc, database: fixture.database,
        root: RunFixture.root, links: PublicLinks(publicURL: "https://trackme.test"),
        keepInvitations: .seconds(3 * 86_400),
        data4help: Data4HelpClient(
          InternalClient(
            replicas: [], secret: InternalSecret(root: RunFixture.root), on: fixture.loop)),
        wakeUp: fixture.wakeUp, log: .none, metrics: Metrics())
      try await dependencies.deleteExpiredRows()
      #expect(try fixture.number("SELECT count(*) FROM track4run.invitations") == 2)
    }
  }
}
