import Foundation
import Requirements
import Support
import Testing

@Suite("Deleting an account, through the gateway")
struct DeletionJourney {
  @Test(
    "a deleted person is invisible to all, and the third party is notified to erase",
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

  @Test(
    "a deleted company's stream and callbacks end at once, and remain in people's records",
    .tags(.ACC_8, .REQ_5), .timeLimit(.minutes(5)))
  func company() async throws {
    let receiver = try await Receiver(isEncrypted: false)
    defer { receiver.stop() }
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 61)])
    let (gone, other) = (try await system.thirdParty(), try await system.thirdParty())
    var requests: [String] = []
    for (party, path) in [(gone, "/gone-company"), (other, "/other-company")] {
      let url = receiver.url + path
      #expect(try await party.post("/req/tp/callback", ["url": .text(url)]).outcome == .ok)
      let request = try await party.ask(user, for: ["heartRate"], subscribing: 3600)
      requests.append(request)
      let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
      #expect(try await user.post("/req/single/choice", choice).outcome == .ok)
      _ = try await receiver.calls(to: path, count: 2)
    }
    let stream = try EventReader("/req/tp/stream", gone.token, of: system)
    defer { stream.stop() }
    _ = try await eventually("samples on the stream") { stream.samples.first }
    try await Self.listed(user, requests[0], gone.company.name, gone.company.vatNumber)

    let deletion: JSONValue = ["password": .text(People.password), "confirm": "DELETE"]
    #expect(try await gone.post("/auth/delete", deletion).outcome == .ok)
    let answered = Date().timeIntervalSince1970
    _ = try await eventually("the end of the stream") {
      stream.ended > 0 ? true : nil
    }
    try await user.upload("heartRate", [("2024-01-16T10:00:00Z", 62)])
    _ = try await receiver.calls(to: "/other-company", count: 3)
    let late = try receiver.calls(to: "/gone-company").filter { $0.at.number ?? 0 > answered }
    #expect(late.isEmpty)
    #expect(stream.events.allSatisfy { $0.time <= answered })
    #expect(stream.begun == 1)

    let list = try await user.get("/req/single/list").json.requests
    #expect(list.items.map(\.reqID.text) == requests.reversed())
    #expect((list[1].status, list[1].reason) == ("ended", "account deleted"))
    #expect(list[1].dataTypes == ["heartRate"])
    #expect((list[1].company_name, list[1].piva) == ("deleted account", "deleted account"))
    try await Self.listed(user, requests[0], "deleted account", "deleted account")
  }

  /// Checks that the person's record contains the callback's delivery: request, recipient and time.
  private static func listed(
    _ user: SingleUser, _ request: String, _ name: String, _ vatNumber: String
  ) async throws {
    let accesses = try await user.get("/data/accesses").json.accesses.items
    let called = accesses.filter { $0.reqID.text == request && $0.format == "callback" }
    #expect(called.count == 1)
    let access = called.first ?? .null
    #expect((access.company_name.text, access.piva.text) == (name, vatNumber))
    #expect((access.samples, access.dataTypes) == (1, ["heartRate"]))
    #expect(access.time.text?.isEmpty == false)
  }
}
