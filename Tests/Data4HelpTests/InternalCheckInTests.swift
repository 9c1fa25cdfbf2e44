import Data4Help
import Data4HelpFixture
import Domain
import InternalAPI
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Sharing
import Testing

@Suite("Check-in requests of runs")
struct InternalCheckInTests {
  @Test(
    "runners are asked once on behalf of the organiser, with its email and P.IVA",
    .tags(.R39, .R40))
  func sent() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let batch = stage.batch([Known.mario, Known.laura])
      #expect(try await stage.checkIn(batch) == [.sent, .sent])
      #expect(try await stage.checkIn(batch) == [.sent, .sent])
      for person in [Known.mario, Known.laura] {
        let requests = try await stage.personList(of: person).list("requests")
        #expect(requests.count == 1)
        #expect(requests[0]["kind"] as? String == "check-in")
        #expect(requests[0]["email"] as? String == "clinic@example.com")
        #expect(requests[0]["piva"] as? String == "12345670157")
        #expect(requests[0]["status"] as? String == "pending")
        let notified = try await stage.noticeData(person, .singleUser)
        #expect(notified.count == 1)
        #expect(notified[0]["company_name"] as? String == "Clinic")
        for fields in [requests[0], notified[0]] {
          #expect(fields["runName"] as? String == "Giro del lago")
          #expect(fields["runID"] as? Int == 7)
          #expect(fields["code"] as? String == "ABCDEFGH")
          #expect(fields["startTime"] as? String == "2026-11-18T16:00:00Z")
          #expect(fields["expiresAt"] as? String == "2026-11-18T16:00:00Z")
          #expect(fields["organiserSees"] as? [String] == ["full_name", "email"])
        }
      }
    }
  }

  @Test("a request shows the newest name of its run, and others show no run", .tags(.R47))
  func renamed() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      _ = try await stage.ask()
      stage.clock.advance(seconds: 1)
      #expect(try await stage.checkIn(stage.batch()) == [.sent])
      #expect(try await stage.checkIn(stage.batch([], named: "Giro grande")) == [])
      let requests = try await stage.personList().list("requests")
      #expect(requests.map { $0["runName"] as? String } == ["Giro grande", nil])
      #expect(requests[1]["runID"] == nil && requests[1]["organiserSees"] == nil)
    }
  }

  @Test("a run is deleted once no request refers to it")
  func forgottenRun() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      #expect(try await stage.checkIn(stage.batch([Known.mario])) == [.sent])
      let parts = stage.parts
      func forget() async throws -> Int {
        try await stage.here { try await Track4RunForgetting.forgetRuns(in: parts.database) }
      }
      #expect(try await forget() == 0)
      #expect(try await stage.personList().list("requests")[0]["runID"] as? Int == 7)
      try await stage.here { try await AccountDeletion(parts.sharing).delete(Known.mario) }
      #expect(try await forget() == 1)
      #expect(try stage.cell("SELECT count(*) FROM data4help.check_in_runs") == "0")
      // The run may be stored again.
      #expect(try await stage.checkIn(stage.batch([Known.laura])) == [.sent])
      #expect(try await forget() == 0)
    }
  }

  @Test(
    "a check-in asks for the position and every available type, from the start to the end",
    .tags(.R41, .R42))
  func terms() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      try await stage.store(1, of: .weight)
      try await stage.store(1, of: .steps)
      try stage.run("UPDATE data4help.sample_accounts SET disabled_types = \(1 << 11)")
      #expect(try await stage.checkIn(stage.batch()) == [.sent])
      let request = try await stage.personList().list("requests")[0]
      #expect(
        Set(request["dataTypes"] as? [String] ?? []) == ["position", "heartRate", "weight"])
      #expect(request["subscribing"] as? Bool == true)
      #expect(request["from"] as? String == "2026-11-18T16:00:00Z")
      #expect(request["to"] as? String == "2026-11-18T18:00:00Z")
      #expect(request["expiresAt"] as? String == "2026-11-18T16:00:00Z")
    }
  }

  @Test("an accepted check-in subscribes until the end of the run", .tags(.R41))
  func subscribes() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let requestID = try await stage.checkInMario()
      #expect(try await stage.choose("accept", requestID).status == 200)
      let accepted = try await stage.personList().list("requests")[0]
      #expect(accepted["endsAt"] as? String == "2026-11-18T18:00:00Z")
      stage.start()
      stage.clock.advance(seconds: CheckedInRun.lastsSeconds - 1)
      #expect(try await stage.workers.relay() == 0)
      stage.clock.advance(seconds: 1)
      #expect(try await stage.workers.relay() == 1)
      let ended = try await stage.personList().list("requests")[0]
      #expect(ended["status"] as? String == "ended")
      #expect(ended["reason"] as? String == "period over")
    }
  }

  @Test("the list of trusted third parties does not accept check-ins", .tags(.R47))
  func preconfirmed() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let listed = try await stage.call(
        .choosePreconfirmed, "{\"piva\":\"12345670157\",\"allowed\":true}", by: Known.mario,
        .singleUser)
      #expect(listed.status == 200)
      _ = try await stage.checkInMario()
      let request = try await stage.personList().list("requests")[0]
      #expect(request["status"] as? String == "pending")
      #expect(request["preconfirmed"] as? Bool == false)
    }
  }

  @Test("a check-in can't be accepted without the position", .tags(.R48))
  func positionLeftOut() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let requestID = try await stage.checkInMario()
      let partly = try await stage.choose("accept", requestID, ",\"dataTypes\":[\"heartRate\"]")
      #expect(partly.status == 400)
      #expect(
        partly["detail"] == "Checking in to a run needs the position: it can't be left out.")
      #expect(partly["field"] == "dataTypes")
      let fewer = try await stage.choose("accept", requestID, ",\"dataTypes\":[\"position\"]")
      #expect(fewer.status == 200)
      let request = try await stage.personList().list("requests")[0]
      #expect(request["acceptedTypes"] as? [String] == ["position"])
    }
  }

  @Test(
    "a check-in can be accepted only once the runner has a position", .tags(.R48))
  func noPosition() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      #expect(try await stage.checkIn(stage.batch()) == [.sent])
      let requestID = CheckedInRun.requestID(11).description
      let refused = try await stage.choose("accept", requestID)
      #expect(refused.status == 400)
      #expect(
        refused["detail"]
          == "Checking in to a run needs the position, and none of yours is available: "
          + "send one first.")
      try await stage.storePosition(of: Known.mario)
      try stage.run("UPDATE data4help.sample_accounts SET disabled_types = 2")
      #expect(try await stage.choose("accept", requestID).status == 400)
      try stage.run("UPDATE data4help.sample_accounts SET disabled_types = 0")
      #expect(try await stage.choose("accept", requestID).status == 200)
    }
  }

  @Test("after the start runners can neither answer nor be asked", .tags(.R49))
  func begun() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let requestID = try await stage.checkInMario()
      stage.start()
      #expect(try await stage.choose("accept", requestID).status == 403)
      #expect(try await stage.workers.expire() == 1)
      #expect(try await stage.checkIn(stage.batch([Known.laura])) == [.begun])
      #expect(try await stage.personList(of: Known.laura).list("requests").isEmpty)
    }
  }

  @Test("runners who can't be asked are reported, and the others are asked", .tags(.R39))
  func refusals() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try stage.run("UPDATE data4help.accounts SET state = 3 WHERE account_id = 12")
      let nobody = AccountID(rawValue: 99)
      let runners = [Known.laura, nobody, Known.studio, Known.mario]
      #expect(
        try await stage.checkIn(stage.batch(runners)) == [.inactive, .deleted, .deleted, .sent])
      for organiser in [nobody, Known.mario] {
        let refused = try await stage.checkIn(stage.batch(organiser: organiser))
        #expect(refused == [.organiserDeleted])
      }
      // The identifier belongs to another organiser's request to the same person.
      #expect(try await stage.checkIn(stage.batch(organiser: Known.studio)) == [.taken])
      #expect(try await stage.personList().list("requests").count == 1)
    }
  }

  @Test("more than 500 runners at once are refused")
  func limit() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let many = (0..<500).map { AccountID(rawValue: 1_000 + Int64($0)) }
      #expect(try await stage.checkIn(stage.batch(many)).count == 500)
      let tooMany = stage.json(stage.batch(many + [Known.mario]))
      #expect(try await stage.callInternally(InternalPath.requests, tooMany).status == 400)
    }
  }

  @Test("an organiser can't list, read or end a check-in, and receives no notice of it")
  func organisersOwn() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let requestID = try await stage.checkInMario()
      #expect(try await stage.choose("accept", requestID).status == 200)
      try await stage.storePosition(of: Known.mario)
      _ = try await stage.workers.relay()
      #expect(try await stage.companyList().list("requests").isEmpty)
      #expect(try await stage.data(requestID).status == 404)
      #expect(try await stage.endByCompany(requestID).status == 404)
      #expect(try await stage.eventPage().list("events").isEmpty)
      #expect(try await stage.endByPerson(requestID).status == 200)
      #expect(try await stage.noticeData(Known.clinic, .thirdParty).isEmpty)
    }
  }

  @Test(
    "a withdrawn check-in can't be answered, or is ended with a notice to the runner", .tags(.R21))
  func withdrawn() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let accepted = try await stage.checkInMario()
      #expect(try await stage.choose("accept", accepted).status == 200)
      #expect(try await stage.checkIn(stage.batch([Known.laura])) == [.sent])
      let pending = CheckedInRun.requestID(12).description
      for _ in 1...2 {
        #expect(try await stage.withdraw([accepted, pending]).status == 200)
      }
      let mario = try await stage.personList().list("requests")[0]
      #expect(mario["status"] as? String == "ended")
      #expect(mario["reason"] as? String == "ended by the third party")
      let laura = try await stage.personList(of: Known.laura).list("requests")[0]
      #expect(laura["status"] as? String == "expired")
      #expect(try await stage.choose("accept", pending, by: Known.laura).status == 403)
      let notified = try await stage.notices(of: Known.mario, .singleUser).list("items")
      #expect(notified.compactMap { $0["kind"] as? String } == ["ended", "request"])
      #expect(try await stage.notices(of: Known.laura, .singleUser).list("items").count == 1)
    }
  }

  @Test("only check-ins can be withdrawn")
  func onlyCheckIns() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let requestID = try await stage.ask()
      #expect(try await stage.withdraw([requestID]).status == 200)
      #expect(try await stage.status(requestID) == "pending")
    }
  }
}
