import Data4HelpFixture
import Domain
import Operations
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Sharing
import Support
import Testing
import Time

@Suite("The sequence of a third party")
struct ThirdPartyEventTests {
  @Test("answers, samples and ends share one sequence, read in pages", .tags(.REQ_2, .REQ_4))
  func oneSequence() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(3)
      let requestID = try await stage.subscribe()
      _ = try await stage.choose("accept", requestID)
      try await stage.store(2, minutesAgo: 1)
      #expect(try await stage.workers.relay() == 1)
      let declined = try await stage.ask()
      _ = try await stage.choose("decline", declined)
      #expect(try await stage.endByPerson(requestID).status == 200)
      let reply = try await stage.eventPage()
      let events = reply.list("events")
      // Data ended by the person is no longer delivered; its answer and end are.
      #expect(
        events.compactMap { $0["type"] as? String } == [
          "request.answered", "request.answered", "request.ended",
        ])
      #expect(events.compactMap { $0["seq"] as? Int } == [4, 7, 8])
      #expect(reply.object["next"] as? Int == 8)
      let answer = events[0]["data"] as? [String: Any]
      #expect(answer?["status"] as? String == "accepted")
      #expect(answer?["acceptedTypes"] as? [String] == ["heartRate"])
      #expect((events[1]["data"] as? [String: Any])?["status"] as? String == "declined")
      #expect((events[2]["data"] as? [String: Any])?["reason"] as? String == "ended by the user")
      #expect(try await stage.eventPage(since: 8).list("events").isEmpty)
      #expect(try await stage.eventPage(by: Known.studio).list("events").isEmpty)
    }
  }

  @Test(
    "samples have the same numbers in the sequence and in pages of their request", .tags(.REQ_2))
  func sameNumbers() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(5)
      let requestID = try await stage.subscribe()
      _ = try await stage.choose("accept", requestID)
      try await stage.store(2, minutesAgo: 1)
      _ = try await stage.workers.relay()
      let events = try await stage.eventPage().list("events")
      let samples = events.filter { $0["type"] as? String == "data.created" }
        .compactMap { $0["data"] as? [String: Any] }
        .flatMap { $0["samples"] as? [[String: Any]] ?? [] }
      let numbers = samples.compactMap { $0["seq"] as? Int }
      #expect(numbers == (try await stage.data(requestID).numbers))
      #expect(numbers.count == 7)
      let entries = try await stage.accessList().list("accesses")
      #expect(Set(entries.compactMap { $0["format"] as? String }) == ["json", "events"])
      #expect(entries.count == 3)
    }
  }

  @Test("a read whose commit is lost and repeated counts its events once", .tags(.REQ_2))
  func counting() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      let requestID = try await stage.subscribe()
      _ = try await stage.choose("accept", requestID)
      try stage.run(
        """
        CREATE SEQUENCE data4help.commits;
        CREATE FUNCTION data4help.lose_commit() RETURNS trigger
        LANGUAGE plpgsql SECURITY DEFINER AS $$
        BEGIN
          IF nextval('data4help.commits') <= 2 THEN
            RAISE EXCEPTION 'lost' USING ERRCODE = '40001';
          END IF;
          RETURN NULL;
        END $$;
        CREATE CONSTRAINT TRIGGER lose_commit AFTER INSERT ON data4help.accesses
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION data4help.lose_commit();
        """)
      let delivered = stage.parts.metrics.counter(
        "trackme_data4help_events_delivered_total", "")
      let before = delivered.value
      let events = try await stage.eventPage().list("events")
      #expect(events.count == 2)
      #expect(delivered.value - before == 2)
      #expect(try stage.cell("SELECT last_value FROM data4help.commits") == "3")
    }
  }

  @Test("an unanswered request is reported to its third party", .tags(.REQ_1, .REQ_4))
  func expiry() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      _ = try await stage.ask()
      stage.clock.advance(seconds: 259_200)
      #expect(try await stage.workers.expire() == 1)
      let events = try await stage.eventPage().list("events")
      #expect((events[0]["data"] as? [String: Any])?["status"] as? String == "expired")
      let notices = try await stage.notices(of: Known.clinic, .thirdParty).list("items")
      #expect(notices.compactMap { $0["kind"] as? String } == ["answer"])
    }
  }

  @Test("the end of a period is reported to both sides", .tags(.REQ_9))
  func periodOver() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let requestID = try await stage.subscribe(seconds: 600)
      _ = try await stage.choose("accept", requestID)
      stage.clock.advance(seconds: 600)
      #expect(try await stage.workers.relay() == 1)
      #expect(try await stage.workers.relay() == 0)
      let events = try await stage.eventPage().list("events")
      #expect(events.last?["type"] as? String == "request.ended")
      #expect((events.last?["data"] as? [String: Any])?["reason"] as? String == "period over")
      let person = try await stage.notices(of: Known.mario, .singleUser).list("items")
      #expect(person.compactMap { $0["kind"] as? String } == ["ended", "request"])
      let company = try await stage.notices(of: Known.clinic, .thirdParty).list("items")
      #expect(company.compactMap { $0["kind"] as? String } == ["ended", "answer"])
    }
  }

  @Test("subscribers are reminded three days and one day before the end, once", .tags(.REQ_9))
  func reminders() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let day: Int64 = 86_400
      _ = try await stage.choose("accept", try await stage.subscribe(seconds: Int(10 * day)))
      let short = try await stage.subscribe(seconds: 3600, by: Known.studio)
      _ = try await stage.choose("accept", short)
      #expect(try await stage.workers.remind() == 0)
      stage.clock.advance(seconds: 7 * day - 1)
      #expect(try await stage.workers.remind() == 0)
      stage.clock.advance(seconds: 1)
      #expect(try await stage.workers.remind() == 1)
      #expect(try await stage.workers.remind() == 0)
      stage.clock.advance(seconds: 2 * day)
      #expect(try await stage.workers.remind() == 1)
      #expect(try await stage.workers.remind() == 0)
      let company = try await stage.notices(of: Known.clinic, .thirdParty).list("items")
      #expect(company.compactMap { $0["kind"] as? String } == ["ended", "ended", "answer"])
    }
  }

  @Test(
    "a pause is reported to subscribers, with its end, in the sequence and by a notice",
    .tags(.REQ_9))
  func paused() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let requestID = try await stage.subscribe()
      _ = try await stage.choose("accept", requestID)
      let until = stage.clock.now.adding(seconds: 3_600).description
      let reply = try await stage.call(
        .pauseCollection, "{\"until\":\"\(until)\"}", by: Known.mario, .singleUser)
      #expect(reply.status == 200)
      let event = try #require(try await stage.eventPage().list("events").last)
      #expect(event["type"] as? String == "data.unavailable")
      let data = event["data"] as? [String: Any]
      #expect(data?["reason"] as? String == "collection paused")
      #expect(data?["until"] as? String == until)
      #expect(data?["dataTypes"] as? [String] == ["heartRate"])
      let notices = try await stage.call(.notices, by: Known.clinic, .thirdParty).list("items")
      let notice = notices.first?["data"] as? [String: Any]
      #expect(notice?["reason"] as? String == "collection paused")
      #expect(notice?["reqID"] as? String == requestID)
      let resumed = try await stage.call(
        .pauseCollection, "{\"until\":null}", by: Known.mario, .singleUser)
      #expect(resumed.status == 200)
      #expect(try await stage.eventPage().list("events").count == 3)
    }
  }

  @Test(
    "samples of an inactive account count as relayed without an entry, also at the end",
    .tags(.REQ_9))
  func inactive() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let hour = try await stage.subscribe()
      _ = try await stage.choose("accept", hour)
      let minutes = try await stage.subscribe(seconds: 600, by: Known.studio)
      _ = try await stage.choose("accept", minutes)
      try await stage.store(1, minutesAgo: 5, value: 70)
      #expect(try await stage.choose(isActive: false).status == 200)
      try await stage.store(1, minutesAgo: 4, value: 80)
      // No subscription is left behind, which every later turn would find again.
      #expect(try await stage.workers.relay() == 2)
      #expect(try await stage.workers.relay() == 0)
      try await stage.store(1, minutesAgo: 3, value: 90)
      stage.clock.advance(seconds: 600)
      _ = try await stage.workers.relay()
      #expect(try await stage.choose(isActive: true).status == 200)
      try await stage.store(1, minutesAgo: 2, value: 100)
      _ = try await stage.workers.relay()
      let followed = try await stage.data(hour).list("samples")
      #expect(followed.map { $0["value"] as? Int } == [60, 70, 100])
      let ended = try await stage.data(minutes, by: Known.studio).list("samples")
      #expect(ended.map { $0["value"] as? Int } == [60, 70])
      let types = try await stage.eventPage(by: Known.studio).list("events")
        .compactMap { $0["type"] as? String }
      #expect(
        types == [
          "data.created", "request.answered", "data.created", "data.unavailable", "request.ended",
        ])
    }
  }

  @Test("erased samples are reported to third parties that received some", .tags(.NFR_6))
  func erasure() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      _ = try await stage.choose("accept", try await stage.ask())
      _ = try await stage.choose("decline", try await stage.ask(by: Known.studio))
      let erasing = try await stage.call(
        .eraseSamples, query: "to=2026-11-18T12:00:00Z", by: Known.mario, .singleUser)
      #expect(erasing.object["deleted"] as? Int == 1)
      _ = try await stage.call(.eraseSamples, by: Known.mario, .singleUser)
      let event = try await stage.eventPage().list("events").last
      #expect(event?["type"] as? String == "data.erased")
      let data = event?["data"] as? [String: Any]
      #expect(data?["dataTypes"] as? [String] == ["heartRate"])
      #expect(data?["to"] as? String == "2026-11-18T12:00:00Z")
      #expect(try await stage.eventPage(by: Known.studio).list("events").count == 1)
    }
  }
}
