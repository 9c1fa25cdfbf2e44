import Requirements
import Support
import Testing

@Suite("Checking in to a run, through the gateway")
struct CheckInJourney {
  // One check-in from its request to the start: each step depends on the previous one.
  @Test(
    "runners check in with their position at the organiser's request, others are removed",
    .tags(.R39, .R40, .R41, .R42, .R47, .R48, .R49, .R52, .RUN_9, .NTF_1), .timeLimit(.minutes(5)))
  func untilTheStart() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let (runner, unwilling) = (try await system.singleUser(), try await system.singleUser())
    let listing = try await system.singleUser()
    for user in [runner, unwilling, listing] {
      try await user.upload("position", [(RelativeTimes.after(-60), "45.4781,9.2273")])
      try await user.upload("heartRate", [(RelativeTimes.after(-60), 61)])
    }
    let allowed: JSONValue = ["piva": .text(organiser.company.vatNumber), "allowed": true]
    #expect(
      try await listing.post("/settings/single/preconfirmed", allowed).outcome == .ok)
    // Leaves enough time for all steps before the start, even on a busy machine.
    let (start, end) = (RelativeTimes.after(60), RelativeTimes.after(3_600))
    let runID = try await organiser.listedRun([
      "startTime": .text(start), "endTime": .text(end),
    ])
    for user in [runner, unwilling, listing] {
      #expect(try await user.join(runID).outcome == .ok)
    }
    let request = try await runner.checkInRequest()
    #expect(
      (request.email, request.piva.text) == (
        .text(organiser.company.email), organiser.company.vatNumber
      ))
    #expect((request.subscribing, request.status) == (true, "pending"))
    #expect((request.from.text, request.to.text) == (start, end))
    #expect((request.runID.int, request.runName) == (runID, "Journey run"))
    #expect((request.startTime.text, request.expiresAt.text) == (start, start))
    #expect(request.organiserSees.texts == ["full_name", "email"])
    let found = try await runner.client.get("/t4r/active/list?code=\(request.code.text ?? "")")
    #expect(found.json.run.items.map(\.runID.int) == [runID])
    #expect(Set(request.dataTypes.items.compactMap(\.text)) == ["position", "heartRate"])

    let partly = try await runner.choose("accept", request, ["dataTypes": ["heartRate"]])
    #expect(partly.outcome == .malformed)
    #expect(partly.field == "dataTypes")
    #expect(try await runner.choose("accept", request).outcome == .ok)
    let declined = try await unwilling.checkInRequest()
    #expect(try await unwilling.choose("decline", declined).outcome == .ok)
    #expect(try await listing.checkInRequest().status == "pending")
    _ = try await eventually("the check-in") {
      try await runner.get("/t4r/my/list").json.runs[0].checkedIn == true ? true : nil
    }
    let participants = try await organiser.get("/t4r/org/participants?runID=\(runID)").json
    #expect(participants.participants.items.map(\.checkedIn) == [false, false, true])

    for user in [unwilling, listing] {
      _ = try await eventually("the removal at the start", within: .seconds(150)) {
        try await user.get("/t4r/my/list").json.runs.count == 0 ? true : nil
      }
      _ = try await eventually("the notice of it") {
        let notices = try await user.get("/notifications").json["items"].items
        return notices.first { $0["data"].event == "not checked in" }
      }
      _ = try await system.mailbox.mail(
        to: user.person.email, with: "Non avevi confermato la presenza")
    }
    #expect(try await runner.get("/t4r/my/list").json.runs.items.map(\.runID.int) == [runID])
    #expect(try await organiser.get("/t4r/org/list").json.runs[0].enrolled == 1)

    try await runner.upload("position", [(RelativeTimes.after(-1), "45.4781,9.2273")])
    let shown = try await eventually("the position that everybody sees") {
      let named: JSONValue = ["runID": .number(Double(runID))]
      let runners = try await runner.client.post("/t4r/active/specUpdate", named).json.runners
      return runners[0].coordinate.isNull ? nil : runners
    }
    #expect(shown.items.map(\.coordinate) == ["45.4781,9.2273"])
  }

  @Test(
    "creating, publishing, joining, leaving and cancelling send mails, also to all enrolled",
    .tags(.RUN_2, .RUN_13, .NTF_1), .timeLimit(.minutes(5)))
  func mails() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let (runner, leaving) = (try await system.singleUser(), try await system.singleUser())
    let runID = try await organiser.listedRun()
    let mailbox = system.mailbox
    _ = try await mailbox.mail(to: organiser.company.email, with: "Hai creato la corsa")
    _ = try await mailbox.mail(to: organiser.company.email, with: "Il percorso è salvato")
    for user in [runner, leaving] {
      #expect(try await user.join(runID).outcome == .ok)
      _ = try await mailbox.mail(to: user.person.email, with: "Ora partecipi")
    }
    #expect(try await leaving.leave(runID).outcome == .ok)
    _ = try await mailbox.mail(to: leaving.person.email, with: "Non partecipi più")
    let cancel: JSONValue = ["runID": .number(Double(runID))]
    #expect(try await organiser.post("/t4r/org/cancel", cancel).outcome == .ok)
    for email in [runner.person.email, organiser.company.email] {
      _ = try await mailbox.mail(to: email, with: "È stata annullata la corsa")
    }
    let notified = try await runner.get("/notifications").json["items"].items
    let cancelled = notified.filter { $0["data"].event == "cancelled" }
    #expect(cancelled.map(\.["data"].runID.text) == ["\(runID)"])
    #expect(
      try !mailbox.mails(to: leaving.person.email).contains {
        $0.contains("È stata annullata la corsa")
      })
  }

  @Test(
    "a deleted account leaves its runs; runs of a deleted company are cancelled with notice",
    .tags(.ACC_8), .timeLimit(.minutes(5)))
  func deletions() async throws {
    let system = try await TestSystem.shared()
    let (organiser, other) = (try await system.thirdParty(), try await system.thirdParty())
    let (gone, runner) = (try await system.singleUser(), try await system.singleUser())
    let (cancelled, kept) = (
      try await organiser.listedRun(),
      try await other.listedRun([
        "startTime": .text(RelativeTimes.day(42)), "endTime": .text(RelativeTimes.day(43)),
      ])
    )
    for user in [gone, runner] { #expect(try await user.join(kept).outcome == .ok) }
    #expect(try await runner.join(cancelled).outcome == .ok)
    let deletion: JSONValue = ["password": .text(People.password), "confirm": "DELETE"]
    #expect(try await gone.post("/auth/delete", deletion).outcome == .ok)
    #expect(try await organiser.post("/auth/delete", deletion).outcome == .ok)
    let left = try await eventually("the end of the enrolment") {
      let list = try await other.get("/t4r/org/participants?runID=\(kept)").json.participants
      return list.count == 1 ? list : nil
    }
    #expect(left[0]["number"] == 2)
    #expect(try await other.get("/t4r/org/list").json.runs[0].enrolled == 1)
    _ = try await system.mailbox.mail(to: runner.person.email, with: "È stata annullata la corsa")
    let own = try await runner.get("/t4r/my/list").json.runs.items
    #expect(own.first { $0.runID.int == cancelled }?.cancelled == true)
    #expect(own.first { $0.runID.int == cancelled }?.organiser == "deleted account")
  }
}

@Suite("Checking in while services are down", .serialized)
struct CheckInFaultJourney {
  @Test(
    "orders survive the crash of both services: each runner is asked once and mailed once",
    .tags(.R39, .NFR_4), .timeLimit(.minutes(5)))
  func crashes() async throws {
    // Check-in is open for runs of the next months, so a runner is asked directly after joining.
    let system = try await TestSystem(["TRACKME_CHECKIN_OPENS": "31622400"])
    let organiser = try await system.thirdParty()
    var runners: [SingleUser] = []
    for _ in 0..<4 { runners.append(try await system.singleUser()) }
    let runID = try await organiser.listedRun()
    for name in ["data4help-1", "data4help-2"] { try system.crash(name) }
    for user in runners { try await user.joinUntilDone(runID) }
    try system.crash("track4run-1")
    for user in runners {
      _ = try await user.checkInRequest()
      _ = try await system.mailbox.mail(to: user.person.email, with: "Ora partecipi")
    }
    _ = try await eventually("an empty outbox") {
      try await system.superuser("SELECT count(*) FROM track4run.outbox") == "0" ? true : nil
    }
    for user in runners {
      #expect(try await user.get("/req/single/list").json.requests.count == 1)
      let mails = try system.mailbox.mails(to: user.person.email)
      #expect(mails.count { $0.contains("Ora partecipi") } == 1)
    }
    await system.stop()
  }
}

extension SingleUser {
  /// Accepts the only pending check-in request with the current position.
  func checkIn() async throws {
    try await upload("position", [(RelativeTimes.after(-60), "45.4781,9.2273")])
    let request = try await checkInRequest()
    let reply = try await choose("accept", request)
    try #require(reply.outcome == .ok, "\(reply.text)")
  }

  /// Waits for the check-in request.
  func checkInRequest() async throws -> JSONValue {
    try await eventually("the request to check in") {
      let reply = try await get("/req/single/list")
      guard reply.outcome == .ok else { return nil }
      return reply.json.requests.items.first { $0.kind == "check-in" }
    }
  }

  func choose(
    _ choice: String, _ request: JSONValue, _ more: JSONValue = [:]
  ) async throws -> Reply {
    let document: JSONValue = ["reqID": request.reqID, "choice": .text(choice)]
    return try await post("/req/single/choice", document.merging(more))
  }

  /// Joins a run; repeats the request while a service asks for it.
  func joinUntilDone(_ runID: Int) async throws {
    let reply = try await postUntilServed(
      "/t4r/active/join", ["runID": .number(Double(runID))], key: "join-\(runID)")
    try #require(reply.outcome == .ok, "\(reply.text)")
  }
}
