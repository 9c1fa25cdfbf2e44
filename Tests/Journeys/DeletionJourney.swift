import HTTP
import Requirements
import Testing

@Suite("Deleting an account, through the gateway")
struct DeletionJourney {
  @Test(
    "a deleted person is gone for everybody, and the third party is told to erase",
    .tags(.ACC_8, .NFR_6))
  func person() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 61)])
    let party = try await system.thirdParty()
    let request = try await party.ask(user, for: ["heartRate"], subscribing: 3600)
    let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
    #expect(try await user.post("/req/single/choice", choice).outcome == .ok)
    #expect(try await party.get("/req/tp/data?reqID=\(request)").outcome == .ok)

    let wrong: JSONValue = ["password": "not the password", "confirm": "DELETE"]
    #expect(
      try await user.post("/auth/delete", wrong).outcome == Outcome(403, "Wrong authentication"))
    let deletion: JSONValue = ["password": .text(People.password), "confirm": "DELETE"]
    #expect(try await user.post("/auth/delete", deletion).outcome == .ok)
    try await user.waitUntilRefused(user.token)
    let login: JSONValue = ["email": .text(user.person.email), "password": .text(People.password)]
    #expect(try await user.client.post("/auth/login", login).status == 401)

    let data = try await party.get("/req/tp/data?reqID=\(request)")
    #expect(data.outcome == Outcome(409, "Wrong state"))
    let sent = try await party.get("/req/tp/list").json.requests
    #expect(sent[0].status == "ended")
    #expect(sent[0].email == "deleted account")
    let events = try await party.get("/req/tp/events?since=0").json.events.items
    let types = Set(events.compactMap(\.type.text))
    #expect(types.isSuperset(of: ["data.erased", "request.ended"]))
  }
}
