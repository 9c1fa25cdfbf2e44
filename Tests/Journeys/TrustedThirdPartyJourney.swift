import Requirements
import Support
import Testing

@Suite("Accepting in advance, through the gateway")
struct TrustedThirdPartyJourney {
  @Test(
    "a trusted company receives data without a confirmation, until it is removed from the list",
    .tags(.REQ_3, .REQ_4))
  func inAdvance() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let party = try await system.thirdParty()
    try await user.upload("heartRate", [("2024-03-01T08:00:00Z", 61)])
    let path = "/settings/single/preconfirmed"
    let allowed: JSONValue = ["piva": .text(party.company.vatNumber), "allowed": true]
    #expect(try await user.post(path, allowed).outcome == .ok)
    let listed = try await user.get(path).json.thirdParties
    #expect(listed.items.map(\.company_name.text) == [party.company.name])
    #expect(listed[0].piva.text == party.company.vatNumber)

    let first = try await party.ask(user, for: ["heartRate"], subscribing: 3600)
    #expect(try await party.row(first).status.text == "accepted")
    let data = try await party.get("/req/tp/data?reqID=\(first)")
    #expect(data.json.samples.items.map(\.value.text) == [nil])
    #expect(data.json.samples.count == 1)
    let row = try await user.get("/req/single/list").json.requests[0]
    #expect((row.reqID.text, row.preconfirmed) == (first, true))
    let notified = try await user.get("/notifications").json["items"].items
    let asked = try #require(notified.first { $0.kind.text == "request" })
    #expect((asked.data.reqID.text, asked.data.status.text) == (first, "accepted"))
    let answered = try await party.get("/notifications").json["items"].items
    #expect(answered.contains { $0.kind.text == "answer" && $0.data.reqID.text == first })

    let byEmail: JSONValue = ["email": .text(party.company.email), "allowed": false]
    #expect(try await user.post(path, byEmail).outcome == .ok)
    let second = try await party.ask(user, for: ["heartRate"])
    #expect(try await party.row(second).status.text == "pending")
    #expect(try await party.row(first).status.text == "accepted")
    let unknown: JSONValue = ["email": "nobody@example.com", "allowed": true]
    #expect(try await user.post(path, unknown).outcome == Outcome(404, "Not found"))
  }
}
