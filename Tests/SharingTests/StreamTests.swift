import Data4HelpFixture
import Domain
import HTTP
import PublicAPI
import Requirements
import Sharing
import Testing

@Suite("Streams of events")
struct StreamTests {
  @Test("a stream receives answers, samples and ends, and resumes where it was cut", .tags(.REQ_2))
  func live() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      let stream = try await stage.open(.thirdPartyStream, by: Known.clinic, .thirdParty)
      let requestID = try await stage.subscribe()
      _ = try await stage.choose("accept", requestID)
      let begun = try await stream.events(2)
      #expect(begun.map(\.name) == ["data", "answer"])
      #expect(begun.map(\.number) == [2, 3])
      stream.close()
      try await stage.store(3, minutesAgo: 1)
      _ = try await stage.workers.relay()
      let next = try await stage.open(
        .thirdPartyStream, by: Known.clinic, .thirdParty, after: 3)
      let samples = try await next.events(1)[0]
      #expect(samples.number == 6)
      #expect((samples.data["samples"] as? [[String: Any]])?.count == 3)
      #expect(samples.data["reqID"] as? String == requestID)
      _ = try await stage.endByCompany(requestID)
      #expect(try await next.events(2)[1].name == "ended")
      next.close()
      let entries = try await stage.accessList().list("accesses")
      #expect(entries.compactMap { $0["format"] as? String } == ["stream", "stream"])
    }
  }

  @Test("after the user's end a stream receives no data stored before it", .tags(.R21))
  func ended() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(2)
      let requestID = try await stage.subscribe()
      _ = try await stage.choose("accept", requestID)
      try await stage.store(1, minutesAgo: 1)
      _ = try await stage.workers.relay()
      _ = try await stage.endByPerson(requestID)
      let stream = try await stage.open(
        .thirdPartyStream, by: Known.clinic, .thirdParty, after: 0)
      #expect(try await stream.events(2).map(\.name) == ["answer", "ended"])
      stream.close()
    }
  }

  @Test("an account has ten streams, and an eleventh is refused", .tags(.REQ_2))
  func limit() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      var streams: [CollectedStream] = []
      for _ in 0..<10 {
        streams.append(
          try await stage.open(.accountStream, by: Known.mario, .singleUser))
      }
      await #expect(throws: Problem.self) {
        _ = try await stage.open(.accountStream, by: Known.mario, .singleUser)
      }
      let other = try await stage.open(.accountStream, by: Known.laura, .singleUser)
      try await stage.here { await stage.events.stop() }
      for stream in streams { try await stream.ended() }
      try await other.ended()
      let wrong = try await stage.call(
        .accountStream, by: Known.mario, .singleUser, fields: [("last-event-id", "x")])
      #expect(wrong.status == 400)
      let late = try await stage.call(.accountStream, by: Known.mario, .singleUser)
      #expect(late.status == 503)
    }
  }

  @Test(
    "the user's stream receives a notice of a request, naming the third party",
    .tags(.NTF_1, .REQ_4))
  func notices() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let stream = try await stage.open(.accountStream, by: Known.mario, .singleUser)
      let requestID = try await stage.subscribe()
      let event = try await stream.events(1)[0]
      stream.close()
      #expect(event.name == "request")
      #expect(event.number == 1)
      #expect(event.data["reqID"] as? String == requestID)
      #expect(event.data["company_name"] as? String == "Clinic")
      #expect(event.data["company_description"] as? String == "We are Clinic.")
      #expect(event.data["dataTypes"] as? [String] == ["heartRate"])
      #expect(event.data["subscribing"] as? Bool == true)
      #expect(event.data["duration"] as? Int == 3600)
    }
  }
}
