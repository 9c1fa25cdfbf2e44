import Data4HelpFixture
import Domain
import InternalAPI
import PostgresFixture
import Requirements
import Sharing
import Testing

@Suite("Failing entries of Track4Run's sequence")
struct InternalEventFaultTests {
  @Test("unreadable samples are reported as such, and delivered once readable", .tags(.RUN_8))
  func unreadableSamples() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let mario = try await stage.checkInMario()
      try await stage.storePosition(of: Known.laura)
      #expect(try await stage.checkIn(stage.batch([Known.laura])) == [.sent])
      let laura = CheckedInRun.requestID(12).description
      _ = try await stage.choose("accept", mario)
      _ = try await stage.choose("accept", laura, by: Known.laura)
      stage.start()
      try await stage.storePosition(of: Known.mario)
      _ = try await stage.workers.relay()
      try await stage.storePosition(of: Known.laura)
      _ = try await stage.workers.relay()
      // A second run restores the row.
      let damage = """
        UPDATE data4help.chunks SET data = set_byte(data, 20, get_byte(data, 20) # 1)
         WHERE account_id = \(Known.mario)
        """
      try stage.installation.data.run(damage)
      let page = try await stage.internalPage(since: 2)
      #expect(page.events.map(\.number) == [3, 4])
      #expect(page.events.first?.content == .unreadable)
      #expect(try page.samples(of: laura).count == 1)
      // Without a delivery there is no record of access.
      #expect(try await stage.accessList().list("accesses").isEmpty)
      #expect(try await stage.internalPage(since: 2, upTo: 3).events == [page.events[0]])
      try stage.installation.data.run(damage)
      let again = try await stage.internalPage(since: 2, upTo: 3)
      #expect(again.events.map(\.number) == [3])
      #expect(again.next == 3)
      #expect(try again.samples(of: mario).count == 1)
    }
  }

  @Test(
    "an entry that fails for another reason is reported as such, and delays no other",
    .tags(.RUN_8))
  func failingEntry() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let mario = try await stage.checkInMario()
      try await stage.storePosition(of: Known.laura)
      #expect(try await stage.checkIn(stage.batch([Known.laura])) == [.sent])
      let laura = CheckedInRun.requestID(12).description
      _ = try await stage.choose("accept", mario)
      _ = try await stage.choose("accept", laura, by: Known.laura)
      stage.start()
      for runner in [Known.laura, Known.mario, Known.laura] {
        try await stage.storePosition(of: runner)
        _ = try await stage.workers.relay()
        stage.clock.advance(seconds: 1)
      }
      // Data whose access can't be recorded is not delivered.
      try stage.installation.data.run(
        """
        CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql
          AS 'BEGIN RAISE EXCEPTION ''damaged''; END';
        CREATE TRIGGER fail BEFORE INSERT ON data4help.accesses
          FOR EACH ROW WHEN (NEW.account_id = \(Known.mario)) EXECUTE FUNCTION public.fail()
        """)
      var events: [InternalEvent] = []
      var since: Int64 = 0
      while since < 5 {
        let page = try await stage.internalPage(since: since)
        try #require(page.next > since && page.hasMore == (page.next < 5))
        events += page.events
        since = page.next
      }
      #expect(events.map(\.number) == [1, 2, 3, 4, 5])
      #expect(events[3].content == .unreadable)
      #expect(events[2].requestID == CheckedInRun.requestID(12))
      #expect(events[4].requestID == CheckedInRun.requestID(12))
    }
  }

  @Test(
    "an unreadable deletion is reported as such, and delays no other entry", .tags(.ACC_8))
  func unreadableDeletion() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      _ = try await stage.runningMario()
      try stage.installation.data.run(
        """
        INSERT INTO data4help.third_party_log (
               third_party_id, first_seq, last_seq, request_id, types, first_account_seq,
               entered_at, kind, sealed_account)
        SELECT 0, next_seq, next_seq, gen_random_uuid(), 0, 0, now(), 6, '\\x00'
          FROM data4help.third_party_sequences WHERE third_party_id = 0;
        UPDATE data4help.third_party_sequences SET next_seq = next_seq + 1
         WHERE third_party_id = 0
        """)
      try await stage.storePosition(of: Known.mario)
      _ = try await stage.workers.relay()
      let page = try await stage.internalPage(since: 1)
      #expect(page.events.map(\.number) == [2, 3])
      #expect(page.events.first?.content == .unreadable)
    }
  }
}
