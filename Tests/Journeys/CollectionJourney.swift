import HTTP
import Requirements
import Testing

@Suite("Control over collected data, through the gateway")
struct CollectionJourney {
  @Test("a person deletes samples, which are then no longer delivered", .tags(.DAT_7, .R14))
  func erase() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let party = try await system.thirdParty()
    try await user.upload(
      "heartRate",
      [("2024-01-15T10:00:00Z", 71), ("2024-01-16T10:00:00Z", 72), ("2024-01-17T10:00:00Z", 73)])
    try await user.upload("steps", [("2024-01-15T10:00:00Z", 900)])
    let request = try await party.ask(user, for: ["heartRate", "steps"])
    let choice = try await user.post(
      "/req/single/choice", ["reqID": .text(request), "choice": "accept"])
    #expect(choice.outcome == .ok)
    #expect(try await party.get("/req/tp/data?reqID=\(request)").json.samples.count == 4)
    let before = try #require(try await user.get("/data/quota").json.bytesUsed.number)

    let period = "from=2024-01-16T00:00:00Z&to=2024-01-17T00:00:00Z"
    let day = try await user.delete("/data?type=heartRate&\(period)")
    #expect(day.json.message == "Action successful")
    #expect(day.json.deleted == 1)
    #expect(try await user.delete("/data?type=heartRate&\(period)").json.deleted == 0)
    let left = try await party.get("/req/tp/data?reqID=\(request)").json.samples
    #expect(left.items.map(\.value) == [71, 73, 900])
    #expect(try #require(try await user.get("/data/quota").json.bytesUsed.number) < before)
    #expect(try await user.delete("/data").json.deleted == 3)
    #expect(try await party.get("/req/tp/data?reqID=\(request)").json.samples.count == 0)
    #expect(try await user.get("/data/quota").json.bytesUsed == 0)
    #expect(try await user.get("/data/stats").json.dataTypes.count == 0)
  }

  @Test("a deletion with unknown or forbidden parameters is refused", .tags(.DAT_7))
  func eraseRefused() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let party = try await system.thirdParty()
    for (query, field) in [("type=mood", "type"), ("from=0", "from"), ("to=x", "to")] {
      let reply = try await user.delete("/data?\(query)")
      #expect(reply.outcome == .malformed)
      #expect(reply.field == field)
    }
    for token in [nil, "x", party.token] {
      let reply = try await user.client.send(
        .delete, "/data", token: token, body: [], mediaType: nil)
      #expect(reply.outcome == Outcome(401, "Wrong token"))
    }
    let get = try await user.get("/data")
    #expect(get.outcome == Outcome(405, "Method not allowed"))
  }

  @Test("collection pauses and resumes, and responses report what was not stored", .tags(.DAT_8))
  func pause() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 60)])
    let paused = try await user.post("/data/pause", ["until": "2024-01-01T00:00:00Z"])
    #expect(paused.field == "until")
    let year = try await user.post("/data/pause", ["until": "2999-01-01T00:00:00Z"])
    #expect(year.field == "until")
    // A time some days ahead: the deadline of a request's answer.
    let party = try await system.thirdParty()
    let request = try await party.ask(user, for: ["heartRate"])
    let soon = try #require(try await party.row(request).expiresAt.text)
    let begun = try await user.post("/data/pause", ["until": .text(soon)])
    #expect(begun.outcome == .ok, "\(begun.text)")
    #expect(try await user.get("/settings/single/data").json.pausedUntil == .text(soon))
    let reply = try await user.upload("weight", [("2024-01-15T10:00:00Z", 70)])
    #expect((reply.json.stored, reply.json.paused) == (0, 1))
    #expect(try await user.post("/data/pause", ["until": .null]).json.pausedUntil == .null)
    let after = try await user.upload("weight", [("2024-01-15T10:00:00Z", 70)])
    #expect((after.json.stored, after.json.paused) == (1, 0))
  }
}

extension SingleUser {
  /// Sends a DELETE with this person's token.
  func delete(_ target: String) async throws -> Reply {
    try await client.send(.delete, target, token: token, body: [], mediaType: nil)
  }
}
