import Data4Help
import Data4HelpFixture
import Domain
import InternalAPI
import JSON
import Postgres
import PublicAPI
import Requirements
import Sharing
import Testing

@Suite("Names and emails of runners, for their organiser")
struct InternalRunnersTests {
  private static let request = CheckedInRun.requestID(UInt64(Known.mario.rawValue))

  private func runners(
    _ stage: SingleRequestStage, of requestIDs: [DataRequestID] = [request],
    askedBy thirdParty: AccountID = Known.clinic
  ) async throws -> [KnownRunner] {
    let question = RunnersQuestion(requestIDs, askedBy: thirdParty)
    let reply = try await stage.callInternally(InternalPath.runners, stage.json(question))
    #expect(reply.status == 200, "\(reply.text)")
    return try JSONReader.read(KnownRunners.self, from: Array(reply.text.utf8)).runners
  }

  private static func mario() -> [KnownRunner] {
    [KnownRunner(request, name: "A", email: Known.marioEmail)]
  }

  @Test(
    "a runner is known after the accepted check-in, only to the organiser, and on record",
    .tags(.RUN_9, .NFR_6))
  func accepted() async throws {
    try await SingleRequestStage.withCheckIn { stage, requestID async throws in
      #expect(try await runners(stage).isEmpty)
      #expect(try await stage.choose("accept", requestID).status == 200)
      #expect(try await runners(stage, askedBy: Known.studio).isEmpty)
      #expect(try await stage.accessList().list("accesses").isEmpty)
      let unknown = CheckedInRun.requestID(77)
      #expect(try await runners(stage, of: [unknown, Self.request]) == Self.mario())
      let entries = try await stage.accessList().list("accesses")
      #expect(entries.map { $0["format"] as? String } == ["name and email"])
      #expect(entries.map { $0["company_name"] as? String } == ["Clinic"])
      #expect(entries.map { $0["reqID"] as? String } == [requestID])
      #expect(entries.map { $0["samples"] as? Int } == [0])
    }
  }

  @Test("a check-in declined or ended by either side discloses no name", .tags(.RUN_9))
  func ended() async throws {
    try await SingleRequestStage.withCheckIn { stage, requestID async throws in
      #expect(try await stage.checkIn(stage.batch([Known.laura])) == [.sent])
      let other = CheckedInRun.requestID(UInt64(Known.laura.rawValue))
      #expect(
        try await stage.choose("decline", other.description, by: Known.laura).status == 200)
      #expect(try await runners(stage, of: [other]).isEmpty)
      #expect(try await stage.choose("accept", requestID).status == 200)
      #expect(try await runners(stage) == Self.mario())
      let body = "{\"reqID\":\"\(requestID)\"}"
      let end = try await stage.call(.endBySingleUser, body, by: Known.mario, .singleUser)
      #expect(end.status == 200)
      #expect(try await runners(stage).isEmpty)
    }
  }

  @Test(
    "after the run the organiser still knows its runners, until they delete the account",
    .tags(.RUN_9, .ACC_8))
  func afterTheRun() async throws {
    try await SingleRequestStage.withCheckIn { stage, requestID async throws in
      #expect(try await stage.choose("accept", requestID).status == 200)
      try await stage.endRun()
      #expect(try await runners(stage) == Self.mario())
      let parts = stage.parts
      try await stage.here { try await AccountDeletion(parts.sharing).delete(Known.mario) }
      #expect(try await runners(stage).isEmpty)
    }
  }

  @Test(
    "a runner who ends the check-in after the run is not known from then on", .tags(.RUN_9),
    arguments: [true, false])
  func endedAfterTheRun(isNoted: Bool) async throws {
    try await SingleRequestStage.withCheckIn { stage, requestID async throws in
      #expect(try await stage.choose("accept", requestID).status == 200)
      stage.start()
      stage.clock.advance(seconds: CheckedInRun.lastsSeconds)
      // The worker may not have recorded the end yet.
      if isNoted { #expect(try await stage.workers.relay() == 1) }
      #expect(try await runners(stage) == Self.mario())
      #expect(try await stage.endByPerson(requestID).status == 200)
      #expect(try await runners(stage).isEmpty)
      let request = try #require(try await stage.personList().list("requests").first)
      #expect(request["status"] as? String == "ended")
      #expect(request["reason"] as? String == "ended by the user")
      #expect(try await stage.endByPerson(requestID).status == 409)
    }
  }

  @Test("an organiser that withdraws the check-in no longer sees the name", .tags(.RUN_9))
  func withdrawn() async throws {
    try await SingleRequestStage.withCheckIn { stage, requestID async throws in
      #expect(try await stage.choose("accept", requestID).status == 200)
      #expect(try await stage.withdraw([requestID]).status == 200)
      #expect(try await runners(stage).isEmpty)
    }
  }

  @Test("a query for 500 requests is answered, one for 501 is refused")
  func limit() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let many = (1...501).map { CheckedInRun.requestID(UInt64($0)) }
      #expect(try await runners(stage, of: Array(many.prefix(500))).isEmpty)
      let question = RunnersQuestion(many, askedBy: Known.clinic)
      let reply = try await stage.callInternally(InternalPath.runners, stage.json(question))
      #expect(reply.status == 400)
    }
  }
}
