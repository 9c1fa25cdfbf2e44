import Foundation
import Requirements
import Support
import Testing

@Suite("Duration and releases of subscriptions, through the gateway")
struct GroupSubscriptionJourney {
  private static let question: JSONValue = [
    "dataTypes": ["heartRate"], "searchParams": ["age>=18"], "subscribing": true,
  ]

  private static func make(_ count: Int, in system: TestSystem) async throws {
    let outcome = try await system.lab("generate", "people", "--count", "\(count)")
    try #require(outcome.isSuccess, "\(outcome.output)")
  }

  private func ended(_ request: String, of party: ThirdParty) async throws {
    _ = try await eventually("the end of the subscription") {
      try await party.row(request).status == "ended" ? true : nil
    }
  }

  @Test(
    "a subscription, single or group, ends after its duration", .tags(.R20, .R31))
  func durations() async throws {
    let system = try await TestSystem()
    try await Self.make(1_001, in: system)
    let party = try await system.thirdParty()
    let user = try await system.singleUser()
    try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 61)])
    let single: JSONValue = [
      "email": .text(user.person.email), "dataTypes": ["heartRate"], "subscribing": true,
    ]
    for (path, question) in [("/req/tp/sendSingle", single), ("/req/tp/sendGroup", Self.question)] {
      let reply = try await party.post(path, question)
      #expect((reply.outcome, reply.json.field) == (.malformed, "duration"), "\(path)")
    }
    let asked = try await party.ask(user, for: ["heartRate"], subscribing: 2)
    let choice: JSONValue = ["reqID": .text(asked), "choice": "accept"]
    #expect(try await user.post("/req/single/choice", choice).outcome == .ok)
    let group = try await party.post("/req/tp/sendGroup", Self.question.merging(["duration": 3]))
    #expect(group.json.status == "approved", "\(group.text)")
    let counted = try #require(group.json.reqID.text)
    for (request, seconds) in [(asked, 2), (counted, 3)] as [(String, JSONValue)] {
      let row = try await party.row(request)
      #expect((row.subscribing, row.duration) == (true, seconds))
      try await ended(request, of: party)
      let end = try await party.post("/req/tp/end", ["reqID": .text(request)])
      #expect(end.outcome == Outcome(409, "Wrong state"))
      #expect(try await party.get("/req/tp/data?reqID=\(request)").outcome == .ok)
    }
    // A longer subscription does not end with them.
    let lasting = try await party.post(
      "/req/tp/sendGroup", Self.question.merging(["duration": 86_400]))
    let request = try #require(lasting.json.reqID.text)
    #expect(try await party.row(request).status == "approved")
  }

  /// Resets the release to the days before the last `days` closed ones.
  private func reopen(_ days: Int, of request: String, in system: TestSystem) async throws {
    try await system.superuser(
      """
      UPDATE data4help.group_requests
         SET next_day = looked_day - \(days) + 1, looked_day = looked_day - 1
       WHERE request_id = '\(request)'
      """)
  }

  @Test(
    "closed days are released as a window, and one of too few people with the next",
    .tags(.R28, .R29, .R31, .R32))
  func windows() async throws {
    let system = try await TestSystem()
    try await Self.make(1_100, in: system)
    let party = try await system.thirdParty()
    let reply = try await party.post(
      "/req/tp/sendGroup", Self.question.merging(["duration": 864_000]))
    let request = try #require(reply.json.reqID.text)
    let first = try await party.get("/req/tp/data?reqID=\(request)").json
    #expect(first.dataTypes[0].days.count == 30)
    let cursor = try #require(first.next.text)
    let path = "/req/tp/data?reqID=\(request)&cursor=\(cursor)"
    // On the last closed day at most 800 people have a value.
    try await system.superuser(
      """
      UPDATE data4help.day_columns
         SET vals = CASE block WHEN 0 THEN substring(vals FOR 1600) ELSE '' END
                    || decode(repeat('00', CASE block WHEN 0 THEN 384 ELSE 1984 END), 'hex')
       WHERE day = (SELECT max(looked_day) FROM data4help.group_requests)
      """)
    try await reopen(1, of: request, in: system)
    _ = try await eventually("a look at the window") {
      let looked = try await system.superuser(
        """
        SELECT count(*) FROM data4help.group_requests
         WHERE looked_day >= (SELECT min(closed_day) FROM data4help.closing_slices)
        """)
      return looked == "1" ? true : nil
    }
    #expect(try await party.get(path).json.dataTypes.count == 0)
    try await reopen(2, of: request, in: system)
    let window = try await eventually("the release of the window") {
      let page = try await party.get(path).json
      return page.dataTypes.count > 0 ? page : nil
    }
    #expect(window.to == first.to)
    #expect((window.people.int ?? 0) >= 1000)
    // The day with too few people is not in the series.
    #expect(window.dataTypes[0].days.items.map(\.date) == [first.dataTypes[0].days[28].date])
    #expect(window.next.text != cursor)
  }
}
