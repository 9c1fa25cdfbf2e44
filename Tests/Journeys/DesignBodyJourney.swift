import Foundation
import Requirements
import Testing

@Suite("Bodies as printed in the design document, through the gateway")
struct DesignBodyJourney {
  @Test(
    "sendSingle accepts every field of the document; unused ones are empty, null or 0",
    .tags(.R10, .R11))
  func single() async throws {
    let system = try await TestSystem.shared()
    let (user, party) = (try await system.singleUser(), try await system.thirdParty())
    try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 61)])
    let empties: [(JSONValue, JSONValue)] = [("", 0), (.null, .null), ("", "")]
    for (empty, duration) in empties {
      let body: JSONValue = [
        "reqID": empty, "email": .text(user.person.email), "fc": empty,
        "dataTypes": ["heartRate"], "subscribing": false, "duration": duration,
      ]
      let byEmail = try await party.post("/req/tp/sendSingle", body)
      #expect(byEmail.outcome == .ok, "\(byEmail.text)")
      let byCode = try await party.post(
        "/req/tp/sendSingle",
        body.with("email", empty).with("fc", .text(user.person.fiscalCode)))
      #expect(byCode.outcome == .ok, "\(byCode.text)")
      let nobody = try await party.post("/req/tp/sendSingle", body.with("email", empty))
      #expect((nobody.outcome, nobody.field) == (.malformed, "email"), "\(nobody.text)")
      let subscribing = try await party.post(
        "/req/tp/sendSingle", body.with("subscribing", true))
      #expect((subscribing.outcome, subscribing.field) == (.malformed, "duration"))
    }
    let sent = try await party.get("/req/tp/list").json.requests.items
    let asked = try await user.get("/req/single/list").json.requests.items
    #expect(sent.map(\.duration) == Array(repeating: 0, count: 6))
    #expect(asked.map(\.duration) == sent.map(\.duration))
  }

  @Test("sendGroup accepts every field of the document, too", .tags(.R25))
  func group() async throws {
    let party = try await TestSystem.shared().thirdParty()
    let empties: [(JSONValue, JSONValue)] = [("", 0), (.null, .null), ("", "")]
    for (empty, duration) in empties {
      let body: JSONValue = [
        "reqID": empty, "dataTypes": ["heartRate"], "searchParams": ["age>=18"],
        "subscribing": false, "duration": duration,
      ]
      let reply = try await party.post("/req/tp/sendGroup", body)
      #expect(reply.outcome == .ok, "\(reply.text)")
      let subscribing = try await party.post("/req/tp/sendGroup", body.with("subscribing", true))
      #expect((subscribing.outcome, subscribing.field) == (.malformed, "duration"))
    }
    let rows = try await party.get("/req/tp/list").json.requests.items
    #expect(rows.map(\.duration) == [0, 0, 0])
  }

  @Test("a reqID repeated with a different body is reported in terms of the reqID", .tags(.R10))
  func repeatedIdentifier() async throws {
    let system = try await TestSystem.shared()
    let (user, party) = (try await system.singleUser(), try await system.thirdParty())
    try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 61)])
    let body: JSONValue = [
      "reqID": .text(UUID().uuidString.lowercased()), "email": .text(user.person.email),
      "dataTypes": ["heartRate"], "subscribing": false,
    ]
    #expect(try await party.post("/req/tp/sendSingle", body).outcome == .ok)
    let other = try await party.post("/req/tp/sendSingle", body.with("dataTypes", ["steps"]))
    let group = try await party.post(
      "/req/tp/sendGroup", body.with("searchParams", ["age>=18"]))
    for reply in [other, group] {
      #expect(reply.outcome == Outcome(422, "Key reused"), "\(reply.text)")
      #expect(reply.field == "reqID")
      #expect(reply.json.detail.text?.contains("Idempotency-Key") == false)
    }
    let fresh = body.with("reqID", .null)
    #expect(try await party.post("/req/tp/sendSingle", fresh, key: "once").outcome == .ok)
    let reused = try await party.post(
      "/req/tp/sendSingle", fresh.with("dataTypes", ["steps"]), key: "once")
    #expect(reused.json.detail.text?.contains("Idempotency-Key") == true)
  }
}
