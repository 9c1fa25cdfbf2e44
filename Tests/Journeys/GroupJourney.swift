import Requirements
import Support
import Testing

@Suite("Group requests, through the gateway")
struct GroupJourney {
  private static let question: JSONValue = [
    "dataTypes": ["heartRate"], "searchParams": ["age>=18", "sex=F"], "subscribing": false,
  ]

  @Test("a group that is too small is refused without a number, and listed", .tags(.R25, .R28))
  func tooSmall() async throws {
    let system = try await TestSystem.shared()
    let party = try await system.thirdParty()
    let reply = try await party.post("/req/tp/sendGroup", Self.question)
    #expect(reply.status == 200, "\(reply.text)")
    #expect(reply.json.status == "refused")
    let words: [JSONValue] = ["too few people", "no data"]
    #expect(words.contains(reply.json.reason))
    let rows = try await party.get("/req/tp/list").json.requests
    #expect((rows[0].kind, rows[0].status) == ("group", "refused"))
    #expect(rows[0].searchParams == ["age>=18", "sex=F"])
    let identifier = reply.json.reqID.text ?? ""
    let data = try await party.get("/req/tp/data?reqID=\(identifier)")
    #expect(data.outcome == Outcome(409, "Wrong state"))
    let rival = try await system.thirdParty()
    let theft = try await rival.get("/req/tp/data?reqID=\(identifier)")
    #expect(theft.outcome == Outcome(404, "Not found"))
  }

  @Test("an invalid search parameter is 400 and named", .tags(.R26))
  func senseless() async throws {
    let system = try await TestSystem.shared()
    let party = try await system.thirdParty()
    for text in ["age>=ten", "shoe=44", "sex>F", "area=45,9,100", "heartRate<1000"] {
      let question = Self.question.merging(["searchParams": ["age>=18", .text(text)]])
      let reply = try await party.post("/req/tp/sendGroup", question)
      #expect(reply.outcome == .malformed)
      #expect(reply.json.field == "searchParams[1]", "\(reply.text)")
    }
    let user = try await system.singleUser()
    let wrong = try await user.post("/req/tp/sendGroup", Self.question)
    #expect(wrong.outcome == Outcome(403, "Wrong parameters"))
  }
}
