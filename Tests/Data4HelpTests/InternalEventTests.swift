import Accounts
import Data4Help
import Data4HelpFixture
import Domain
import HealthRecords
import InternalAPI
import JSON
import Postgres
import PublicAPI
import Requirements
import ServiceKit
import Sharing
import Support
import Testing
import Time

@Suite("The sequence of Track4Run")
struct InternalEventTests {
  @Test(
    "answers, positions and ends of several organisers' runners share one sequence",
    .tags(.R41, .RUN_8))
  func oneSequence() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let mario = try await stage.checkInMario()
      try await stage.storePosition(of: Known.laura)
      let ofStudio = stage.batch([Known.laura], organiser: Known.studio)
      #expect(try await stage.checkIn(ofStudio) == [.sent])
      let laura = CheckedInRun.requestID(12).description
      _ = try await stage.choose("accept", mario)
      _ = try await stage.choose("accept", laura, by: Known.laura)
      stage.start()
      try await stage.storePosition(of: Known.laura, latitude: 45.5)
      _ = try await stage.workers.relay()
      try await stage.storePosition(of: Known.mario, latitude: 45.6)
      _ = try await stage.workers.relay()
      stage.clock.advance(seconds: CheckedInRun.lastsSeconds)
      _ = try await stage.workers.relay()
      let page = try await stage.internalPage()
      #expect(page.events.map(\.number) == Array(1...6))
      #expect(page.next == 6)
      let end = stage.batch().endsAt
      let types = DataTypeSet([.position])
      #expect(
        page.events.prefix(2).map(\.content) == [
          .answered(CheckedInRun.requestID(11), .accepted(types, endsAt: end)),
          .answered(CheckedInRun.requestID(12), .accepted(types, endsAt: end)),
        ])
      #expect(try page.positions(of: laura) == [GeoPoint(latitude: 45.5, longitude: 9.2273)])
      #expect(try page.positions(of: mario) == [GeoPoint(latitude: 45.6, longitude: 9.2273)])
      #expect(
        Set(page.events.suffix(2).map(\.content)) == [
          .ended(CheckedInRun.requestID(11), .periodOver),
          .ended(CheckedInRun.requestID(12), .periodOver),
        ])
      #expect(try await stage.internalPage(since: 3).events == Array(page.events.dropFirst(3)))
    }
  }

  @Test("nothing from before the start of a run is delivered", .tags(.R41))
  func beforeTheStart() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(3)
      let requestID = try await stage.checkInMario()
      _ = try await stage.choose("accept", requestID)
      try await stage.storePosition(of: Known.mario, latitude: 45.1)
      _ = try await stage.workers.relay()
      #expect(try await stage.internalPage().positions(of: requestID).isEmpty)
      stage.start()
      try await stage.storePosition(of: Known.mario, latitude: 45.2)
      _ = try await stage.workers.relay()
      let page = try await stage.internalPage()
      #expect(try page.positions(of: requestID) == [GeoPoint(latitude: 45.2, longitude: 9.2273)])
    }
  }

  @Test("positions reach the run of a runner whose account became inactive", .tags(.R41))
  func inactive() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let requestID = try await stage.runningMario()
      #expect(try await stage.choose(isActive: false).status == 200)
      try await stage.storePosition(of: Known.mario)
      _ = try await stage.workers.relay()
      #expect(try await stage.internalPage().samples(of: requestID).count == 1)
    }
  }

  @Test("an inactive account accepts a check-in", .tags(.ACC_9, .R41))
  func acceptedWhileInactive() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let requestID = try await stage.checkInMario()
      #expect(try await stage.choose(isActive: false).status == 200)
      #expect(try await stage.choose("accept", requestID).status == 200)
      stage.start()
      try await stage.storePosition(of: Known.mario)
      _ = try await stage.workers.relay()
      #expect(try await stage.internalPage().samples(of: requestID).count == 1)
    }
  }

  @Test("only the types that a runner accepted are delivered", .tags(.R14, .RUN_8))
  func acceptedTypes() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let requestID = try await stage.checkInMario()
      _ = try await stage.choose("accept", requestID, ",\"dataTypes\":[\"position\"]")
      stage.start()
      try await stage.store(1, minutesAgo: 0)
      try await stage.storePosition(of: Known.mario)
      _ = try await stage.workers.relay()
      let samples = try await stage.internalPage().samples(of: requestID)
      #expect(samples.map(\.type) == [.position])
    }
  }

  @Test(
    "every delivery is in the runner's record, with the organiser as recipient", .tags(.NFR_6))
  func recorded() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let requestID = try await stage.runningMario()
      try await stage.storePosition(of: Known.mario)
      _ = try await stage.workers.relay()
      _ = try await stage.internalPage()
      let accesses = try await stage.accessList().list("accesses")
      #expect(accesses.count == 1)
      #expect(accesses[0]["piva"] as? String == "12345670157")
      #expect(accesses[0]["reqID"] as? String == requestID)
      #expect(accesses[0]["format"] as? String == "events")
      #expect(accesses[0]["dataTypes"] as? [String] == ["position"])
    }
  }

  @Test("data of a request ended by the runner is not delivered, but its end is", .tags(.R21))
  func endedByRunner() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let requestID = try await stage.runningMario()
      try await stage.storePosition(of: Known.mario)
      _ = try await stage.workers.relay()
      #expect(try await stage.endByPerson(requestID).status == 200)
      let page = try await stage.internalPage()
      #expect(try page.samples(of: requestID).isEmpty)
      #expect(page.events.last?.content == .ended(CheckedInRun.requestID(11), .singleUser))
      #expect(try await stage.accessList().list("accesses").isEmpty)
    }
  }

  @Test("declined, unanswered and withdrawn requests are distinguished", .tags(.R47, .R49))
  func answers() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPerson(AccountID(rawValue: 13), "c@example.org", "VRDGPP75C15F205S")
      let runners = [Known.mario, Known.laura, AccountID(rawValue: 13)]
      #expect(try await stage.checkIn(stage.batch(runners)) == [.sent, .sent, .sent])
      let requestIDs = [11, 12, 13].map { CheckedInRun.requestID($0) }
      _ = try await stage.choose("decline", requestIDs[0].description)
      _ = try await stage.withdraw([requestIDs[1].description])
      stage.start()
      _ = try await stage.workers.expire()
      #expect(
        try await stage.internalPage().events.map(\.content) == [
          .answered(requestIDs[0], .declined), .answered(requestIDs[1], .expired),
          .answered(requestIDs[2], .expired),
        ])
    }
  }

  @Test("a check-in withdrawn during the run ends, and earlier data stays readable", .tags(.R21))
  func withdrawn() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let requestID = try await stage.runningMario()
      try await stage.storePosition(of: Known.mario)
      _ = try await stage.workers.relay()
      _ = try await stage.withdraw([requestID])
      try await stage.storePosition(of: Known.mario, latitude: 45.9)
      _ = try await stage.workers.relay()
      let page = try await stage.internalPage()
      #expect(try page.samples(of: requestID).count == 1)
      #expect(page.events.last?.content == .ended(CheckedInRun.requestID(11), .thirdParty))
    }
  }

  @Test("an erasure and a pause are reported", .tags(.RUN_12))
  func erased() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      _ = try await stage.runningMario()
      let from = stage.clock.now
      let to = from.adding(seconds: 60)
      let (parts, clock) = (stage.parts, stage.clock)
      try await stage.here {
        try await parts.database.transaction { (transaction) throws(ApplicationError) in
          try await parts.events.erased(
            of: Known.mario, DataTypeSet([.position]), from: from, to: to, in: transaction)
          try await parts.events.unavailable(
            of: Known.mario, DataTypeSet([.position]), .paused, until: clock.now,
            in: transaction)
        }
      }
      let requestID = CheckedInRun.requestID(11)
      let types = DataTypeSet([.position])
      #expect(
        try await stage.internalPage().events.dropFirst().map(\.content) == [
          .erased(requestID, types, from: from, to: to),
          .unavailable(requestID, types, .paused, until: from),
        ])
    }
  }

  @Test("the deletion of a runner and of an organiser is the last event about them", .tags(.ACC_8))
  func deletion() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      _ = try await stage.runningMario()
      try await stage.storePosition(of: Known.mario)
      _ = try await stage.workers.relay()
      #expect(try await stage.internalPage().events.count == 2)
      let parts = stage.parts
      for account in [Known.mario, Known.studio] {
        try await stage.here { try await AccountDeletion(parts.sharing).delete(account) }
      }
      let events = try await stage.internalPage().events.map(\.content)
      #expect(
        events.suffix(3) == [
          .ended(CheckedInRun.requestID(11), .accountDeleted), .accountDeleted(Known.mario),
          .accountDeleted(Known.studio),
        ])
      #expect(!events.contains { if case .samples = $0 { true } else { false } })
      #expect(try await stage.noticeData(Known.clinic, .thirdParty).isEmpty)
    }
  }

  @Test("the deletion of an organiser ends its check-ins and notifies the runners", .tags(.ACC_8))
  func organiserDeleted() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      _ = try await stage.runningMario()
      let parts = stage.parts
      try await stage.here { try await AccountDeletion(parts.sharing).delete(Known.clinic) }
      let events = try await stage.internalPage().events.map(\.content)
      #expect(
        events.suffix(2) == [
          .ended(CheckedInRun.requestID(11), .accountDeleted), .accountDeleted(Known.clinic),
        ])
      let notified = try await stage.notices(of: Known.mario, .singleUser).list("items")
      #expect(notified.first?["kind"] as? String == "ended")
    }
  }

  @Test("the stream has the same events as reading, and resumes after a number", .tags(.RUN_8))
  func stream() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let stream = try await stage.openInternally(after: 0)
      _ = try await stage.runningMario()
      try await stage.storePosition(of: Known.mario)
      _ = try await stage.workers.relay()
      let begun = try await stream.events(2)
      #expect(begun.map(\.name) == ["answer", "data"])
      #expect(begun.map(\.number) == [1, 2])
      stream.close()
      try await stage.storePosition(of: Known.mario, latitude: 45.9)
      _ = try await stage.workers.relay()
      let next = try await stage.openInternally(after: 2)
      let event = try await next.events(1)[0]
      next.close()
      #expect(event.number == 3)
      let samples = event.object["samples"] as? [[String: Any]]
      #expect(samples?.first?["value"] as? String == "45.9,9.2273")
    }
  }

  @Test("events are deleted after a week, and numbers continue")
  func forgotten() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      _ = try await stage.runningMario()
      stage.clock.advance(seconds: 7 * 86_400 - CheckedInRun.startsAfterSeconds)
      let parts = stage.parts
      #expect(
        try await stage.here {
          try await Track4RunForgetting.forget(in: parts.database, environment: parts.environment)
        } == 0)
      stage.clock.advance(seconds: 1)
      _ = try await stage.workers.relay()
      #expect(
        try await stage.here {
          try await Track4RunForgetting.forget(in: parts.database, environment: parts.environment)
        } == 1)
      #expect(try await stage.internalPage().events.map(\.number) == [2])
    }
  }

  @Test("an invalid number is refused")
  func wrongNumber() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      for path in [InternalPath.events, InternalPath.stream] {
        #expect(try await stage.callInternally(path, query: "since=-1").status == 400)
        #expect(try await stage.callInternally(path, query: "since=x").status == 400)
      }
      for query in ["upTo=-1", "upTo=x"] {
        #expect(try await stage.callInternally(InternalPath.events, query: query).status == 400)
      }
    }
  }

  @Test("a disconnected reader catches up in pages, and misses no event", .tags(.NFR_4))
  func pages() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      _ = try await stage.runningMario()
      let start = stage.clock.now
      let point = try GeoPoint(latitude: 45.4781, longitude: 9.2273)
      stage.clock.advance(seconds: 3600)
      let many = (0..<2_500).map { index in
        NewSample(
          type: .position, time: start.adding(seconds: Int64(index)), value: .position(point))
      }
      _ = try await stage.samples.append(many, to: Known.mario)
      _ = try await stage.workers.relay()
      var count = 0
      var since: Int64 = 0
      var pages = 0
      while true {
        let page = try await stage.internalPage(since: since)
        count += try page.samples(of: CheckedInRun.requestID(11).description).count
        since = page.next
        pages += 1
        guard page.hasMore else { break }
      }
      #expect(count == 2_500)
      #expect(pages > 1)
    }
  }
}

extension SingleRequestStage {
  /// A page of Track4Run's sequence.
  func internalPage(since: Int64 = 0, upTo: Int64 = .max) async throws -> InternalEventPage {
    let reply = try await callInternally(
      InternalPath.events, query: "since=\(since)&upTo=\(upTo)")
    #expect(reply.status == 200)
    return try JSONReader.read(InternalEventPage.self, from: Array(reply.text.utf8))
  }

  /// Checks Mario in with only his position, and begins the run.
  func runningMario() async throws -> String {
    let requestID = try await checkInMario()
    #expect(try await choose("accept", requestID).status == 200)
    start()
    return requestID
  }
}

extension InternalEventPage {
  /// The samples of a request, in their order.
  func samples(of requestID: String) throws -> [Sample] {
    let wanted = try #require(DataRequestID(requestID))
    return events.flatMap { event -> [Sample] in
      guard case .samples(wanted, let samples) = event.content else { return [] }
      return samples
    }
  }

  /// The positions of a request, in their order.
  func positions(of requestID: String) throws -> [GeoPoint] {
    try samples(of: requestID).compactMap { sample in
      if case .position(let point) = sample.value { point } else { nil }
    }
  }
}
