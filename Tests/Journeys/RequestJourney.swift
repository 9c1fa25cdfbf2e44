import HTTP
import Requirements
import Support
import Testing

@Suite("Single requests, through the gateway")
struct RequestJourney {
  private static let wrong = Outcome(403, "Wrong parameters")

  /// A single user with two heart rates and a weight.
  private func userWithData(_ system: TestSystem) async throws -> SingleUser {
    let user = try await system.singleUser()
    try await user.upload(
      "heartRate", [("2024-01-15T10:00:00Z", 61), ("2024-01-15T11:00:00Z", 62)])
    try await user.upload("weight", [("2024-01-15T12:00:00Z", 70)])
    return user
  }

  private func accept(_ request: String, by user: SingleUser, more: JSONValue = [:]) async throws {
    let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
    let reply = try await user.post("/req/single/choice", choice.merging(more))
    try #require(reply.json == ["message": "Action successful"], "\(reply.text)")
  }

  // One request from its sending to its list: each field is a requirement of its own.
  @Test(
    "a request identifies the user by email or fiscal code, and only that user sees it",
    .tags(.R10, .R11, .R12, .R18, .R19, .R20))
  func send() async throws {
    let system = try await TestSystem.shared()
    let user = try await userWithData(system)
    let party = try await system.thirdParty()
    let byEmail = try await party.ask(user, for: ["heartRate"], subscribing: 3600)
    let byCode = try await party.post(
      "/req/tp/sendSingle",
      ["fc": .text(user.person.fiscalCode), "dataTypes": ["weight"], "subscribing": false])
    #expect((byCode.json.status, byCode.status) == ("pending", 200))
    let rows = try await user.get("/req/single/list").json.requests
    #expect(rows.count == 2)
    #expect(rows[1].reqID.text == byEmail)
    #expect(rows[1].company_name.text == party.company.name)
    #expect(rows[1].company_description.text == party.company.purpose)
    #expect(rows[1].piva.text == party.company.vatNumber)
    #expect((rows[1].subscribing, rows[1].duration) == (true, 3600))
    #expect(rows[1].dataTypes == ["heartRate"])
    let sent = try await party.get("/req/tp/list").json.requests
    #expect((sent[0].fc.text, sent[0].email) == (user.person.fiscalCode, .null))
    #expect((sent[1].email.text, sent[1].fc) == (user.person.email, .null))
    let stranger = try await system.singleUser()
    #expect(try await stranger.get("/req/single/list").json.requests.count == 0)
    let choice: JSONValue = ["reqID": .text(byEmail), "choice": "accept"]
    #expect(try await stranger.post("/req/single/choice", choice).outcome == Self.wrong)
    let rival = try await system.thirdParty()
    #expect(try await rival.get("/req/tp/list").json.requests.count == 0)
    let theft = try await rival.get("/req/tp/data?reqID=\(byEmail)")
    #expect(theft.outcome == Outcome(404, "Not found"))
  }

  @Test(
    "the person's list is filtered by status, and counts pending requests and subscriptions",
    .tags(.REQ_5))
  func statuses() async throws {
    let system = try await TestSystem.shared()
    let user = try await userWithData(system)
    let party = try await system.thirdParty()
    let once = try await party.ask(user, for: ["heartRate"])
    let followed = try await party.ask(user, for: ["heartRate"], subscribing: 3600)
    func listed(_ query: String) async throws -> JSONValue {
      try await user.get("/req/single/list\(query)").json
    }
    let before = try await listed("")
    #expect((before.pending, before.followers, before.requests.count) == (2, 0, 2))
    try await accept(followed, by: user)
    let accepted = try await listed("?status=accepted")
    #expect((accepted.pending, accepted.followers) == (1, 1))
    #expect(accepted.requests.items.map(\.reqID.text) == [followed])
    let others = try await listed("?status=pending,declined")
    #expect(others.requests.items.map(\.reqID.text) == [once])
    let wrong = try await user.get("/req/single/list?status=waiting")
    #expect((wrong.outcome, wrong.field) == (.malformed, "status"))
  }

  @Test("the record of accesses is aggregated by recipient and day on request", .tags(.REQ_5))
  func accessesByDay() async throws {
    let system = try await TestSystem.shared()
    let user = try await userWithData(system)
    let party = try await system.thirdParty()
    let request = try await party.ask(user, for: ["heartRate", "weight"])
    try await accept(request, by: user)
    for format in ["csv", "json", "ndjson"] {
      let data = try await party.get("/req/tp/data?reqID=\(request)&format=\(format)")
      #expect(data.outcome == .ok)
    }
    let entries = try await user.get("/data/accesses").json.accesses
    #expect(entries.count == 3)
    let days = try await user.get("/data/accesses?by=day").json.days.items
    // One day, or two if midnight came between the deliveries.
    #expect((1...2).contains(days.count), "\(days)")
    #expect(days.compactMap(\.deliveries.int).reduce(0, +) == 3)
    #expect(days.compactMap(\.samples.int).reduce(0, +) == 9)
    for day in days {
      #expect(day.company_name.text == party.company.name)
      #expect(day.piva.text == party.company.vatNumber)
      #expect(day.dataTypes == ["heartRate", "weight"])
    }
    let wrong = try await user.get("/data/accesses?by=week")
    #expect((wrong.outcome, wrong.field) == (.malformed, "by"))
  }

  @Test("exactly one of email and fiscal code must be given", .tags(.R11))
  func addressee() async throws {
    let system = try await TestSystem.shared()
    let user = try await userWithData(system)
    let party = try await system.thirdParty()
    let request: JSONValue = ["dataTypes": ["heartRate"], "subscribing": false]
    #expect(try await party.post("/req/tp/sendSingle", request).outcome == .malformed)
    let both = request.merging(
      ["email": .text(user.person.email), "fc": .text(user.person.fiscalCode)])
    #expect(try await party.post("/req/tp/sendSingle", both).outcome == .malformed)
  }

  @Test("an unknown user and one without such data are refused in the same way", .tags(.R22))
  func unavailable() async throws {
    let system = try await TestSystem.shared()
    let user = try await userWithData(system)
    let party = try await system.thirdParty()
    let emails = [user.person.email, People.person().email, party.company.email]
    var answers: [JSONValue] = []
    for email in emails {
      let reply = try await party.post(
        "/req/tp/sendSingle",
        ["email": .text(email), "dataTypes": ["steps"], "subscribing": false])
      #expect(reply.outcome == Outcome(401, "Wrong parameters"))
      #expect(reply.fields["www-authenticate"] != nil)
      answers.append(reply.json.with("requestID", nil))
    }
    #expect(answers.allSatisfy { $0 == answers[0] })
    #expect(try await party.get("/req/tp/list").json.requests.count == 0)
  }

  @Test(
    "data is available only after the user accepted, and a request is answered only once",
    .tags(.R13, .R14))
  func accept() async throws {
    let system = try await TestSystem.shared()
    let user = try await userWithData(system)
    let party = try await system.thirdParty()
    let request = try await party.ask(user, for: ["heartRate", "weight", "steps"])
    let early = try await party.get("/req/tp/data?reqID=\(request)")
    #expect(early.outcome == Outcome(409, "Wrong state"))
    try await accept(request, by: user)
    let again = try await user.post(
      "/req/single/choice", ["reqID": .text(request), "choice": "decline"])
    #expect(again.outcome == Self.wrong)
    let data = try await party.get("/req/tp/data?reqID=\(request)").json
    #expect(data.samples.items.map(\.dataType.text).filter { $0 == "heartRate" }.count == 2)
    #expect(data.samples.count == 3)
    // Without a subscription the set of samples is fixed.
    try await user.upload("heartRate", [("2024-01-15T13:00:00Z", 63)])
    #expect(try await party.get("/req/tp/data?reqID=\(request)").json.samples.count == 3)
  }

  @Test("a declined request delivers nothing", .tags(.R13, .R14))
  func decline() async throws {
    let system = try await TestSystem.shared()
    let user = try await userWithData(system)
    let party = try await system.thirdParty()
    let request = try await party.ask(user, for: ["heartRate"])
    let reply = try await user.post(
      "/req/single/choice", ["reqID": .text(request), "choice": "decline"])
    #expect(reply.outcome == .ok)
    #expect(try await party.row(request).status == "declined")
    let data = try await party.get("/req/tp/data?reqID=\(request)")
    #expect(data.outcome == Outcome(409, "Wrong state"))
  }

  @Test("a request is accepted in part: fewer types, a shorter time", .tags(.R13, .R23))
  func partly() async throws {
    let system = try await TestSystem.shared()
    let user = try await userWithData(system)
    let party = try await system.thirdParty()
    let request = try await party.ask(user, for: ["heartRate", "weight"], subscribing: 3600)
    let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
    for more: JSONValue in [["dataTypes": ["steps"]], ["duration": 3601]] {
      let reply = try await user.post("/req/single/choice", choice.merging(more))
      #expect(reply.status == 400, "\(reply.text)")
    }
    try await accept(request, by: user, more: ["dataTypes": ["weight"], "duration": 60])
    let row = try await party.row(request)
    #expect((row.status, row.acceptedTypes) == ("accepted", ["weight"]))
    let samples = try await party.get("/req/tp/data?reqID=\(request)").json.samples
    #expect(samples.items.map(\.dataType) == ["weight"])
  }

  @Test("data is delivered as JSON and as CSV with the same columns", .tags(.R24))
  func formats() async throws {
    let system = try await TestSystem.shared()
    let user = try await userWithData(system)
    let party = try await system.thirdParty()
    let request = try await party.ask(user, for: ["heartRate"])
    try await accept(request, by: user)
    let json = try await party.get("/req/tp/data?reqID=\(request)&format=json").json
    let rows = json.samples.items.map { sample in
      "\(sample.seq),heartRate,\(sample.value),BPM,\(sample.timestamp.text ?? ""),"
    }
    let csv = try await party.get("/req/tp/data?reqID=\(request)&format=csv")
    #expect(csv.fields["content-type"]?.hasPrefix("text/csv") == true)
    let lines = csv.text.split(whereSeparator: \.isNewline).map(String.init)
    #expect(lines == ["seq,dataType,value,unit,timestamp,device"] + rows)
  }

  @Test("a subscription is read by cursor until it is ended", .tags(.R21, .REQ_2))
  func subscription() async throws {
    let system = try await TestSystem.shared()
    let user = try await userWithData(system)
    let party = try await system.thirdParty()
    let request = try await party.ask(user, for: ["heartRate"], subscribing: 3600)
    try await accept(request, by: user)
    let first = try await party.get("/req/tp/data?reqID=\(request)").json
    #expect(first.samples.count == 2)
    let cursor = try #require(first.next.text)
    try await user.upload("heartRate", [("2024-01-16T10:00:00Z", 63)])
    try await user.upload("heartRate", [("2024-01-14T10:00:00Z", 64)])
    let more = try await eventually("the delivery of new samples") {
      let page = try await party.get("/req/tp/data?reqID=\(request)&cursor=\(cursor)").json
      return page.samples.count >= 2 ? page : nil
    }
    #expect(more.samples.items.map(\.value) == [63, 64])
    let numbers = (first.samples.items + more.samples.items).compactMap(\.seq.number)
    #expect(numbers == numbers.sorted())
    #expect(Set(numbers).count == 4)
    // After ending the request, the third party keeps the data delivered before.
    let end = try await party.post("/req/tp/end", ["reqID": .text(request)])
    #expect(end.outcome == .ok)
    #expect(try await party.row(request).status == "ended")
    #expect(try await party.get("/req/tp/data?reqID=\(request)").json.samples.count == 4)
    let again = try await party.post("/req/tp/end", ["reqID": .text(request)])
    #expect(again.outcome == Outcome(409, "Wrong state"))
  }

  @Test("nothing is delivered after the user's end", .tags(.R21))
  func endedByUser() async throws {
    let system = try await TestSystem.shared()
    let user = try await userWithData(system)
    let party = try await system.thirdParty()
    let request = try await party.ask(user, for: ["heartRate"], subscribing: 3600)
    try await accept(request, by: user)
    #expect(try await party.get("/req/tp/data?reqID=\(request)").outcome == .ok)
    #expect(try await user.post("/req/single/end", ["reqID": .text(request)]).outcome == .ok)
    let data = try await party.get("/req/tp/data?reqID=\(request)")
    #expect(data.outcome == Outcome(409, "Wrong state"))
  }

  @Test("every delivery is in the user's record of accesses", .tags(.REQ_5, .NFR_6))
  func accesses() async throws {
    let system = try await TestSystem.shared()
    let user = try await userWithData(system)
    let party = try await system.thirdParty()
    let request = try await party.ask(user, for: ["heartRate", "weight"])
    try await accept(request, by: user)
    #expect(try await user.get("/data/accesses").json.accesses.count == 0)
    for format in ["json", "csv"] {
      _ = try await party.get("/req/tp/data?reqID=\(request)&format=\(format)")
    }
    let accesses = try await user.get("/data/accesses").json.accesses.items
    #expect(accesses.map(\.format) == ["csv", "json"])
    #expect(accesses.map(\.samples) == [3, 3])
    #expect(accesses.allSatisfy { $0.company_name.text == party.company.name })
    #expect(accesses.allSatisfy { $0.reqID.text == request })
    #expect(accesses.allSatisfy { Set($0.dataTypes.texts) == ["heartRate", "weight"] })
  }

  @Test("a request with a client's identifier is created once", .tags(.R10))
  func ownIdentifier() async throws {
    let system = try await TestSystem.shared()
    let user = try await userWithData(system)
    let party = try await system.thirdParty()
    let identifier = "5ae3f803-bc11-4004-b55f-2ae5e7a0\(party.company.vatNumber.suffix(4))"
    let more: JSONValue = ["reqID": .text(identifier)]
    #expect(try await party.ask(user, for: ["heartRate"], more: more) == identifier)
    #expect(try await party.ask(user, for: ["heartRate"], more: more) == identifier)
    #expect(try await party.get("/req/tp/list").json.requests.count == 1)
    let rival = try await system.thirdParty()
    let stolen = try await rival.post(
      "/req/tp/sendSingle",
      [
        "reqID": .text(identifier), "email": .text(user.person.email),
        "dataTypes": ["heartRate"], "subscribing": false,
      ])
    #expect(stolen.outcome == .malformed)
    #expect(stolen.field == "reqID")
  }

  @Test("an unanswered request expires", .tags(.REQ_1))
  func expiry() async throws {
    let system = try await TestSystem(["TRACKME_ANSWER_WITHIN": "1"])
    let user = try await userWithData(system)
    let party = try await system.thirdParty()
    let request = try await party.ask(user, for: ["heartRate"])
    let row = try await eventually("the expiry") {
      let row = try await party.row(request)
      return row.status == "pending" ? nil : row
    }
    #expect(row.status == "expired")
    let late = try await user.post(
      "/req/single/choice", ["reqID": .text(request), "choice": "accept"])
    #expect(late.outcome == Self.wrong)
    await system.stop()
  }
}
