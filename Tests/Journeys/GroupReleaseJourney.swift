import Foundation
import HTTP
import Requirements
import Testing

/// Groups that are large enough, in a system of their own with people made by the operator's tool.
@Suite("Groups that are served, through the gateway")
struct GroupReleaseJourney {
  private static let question: JSONValue = [
    "dataTypes": ["heartRate", "steps"], "searchParams": ["age>=18"], "subscribing": false,
  ]

  private static func make(_ count: Int, in system: TestSystem) async throws {
    let outcome = try await system.trackme("generate", "people", "--count", "\(count)")
    try #require(outcome.isSuccess, "\(outcome.output)")
    try #require(outcome.output.contains("\(count) of \(count) people"), "\(outcome.output)")
  }

  /// What a company asks and gets, without the request's own identifier.
  private static func answer(
    to question: JSONValue, for party: ThirdParty, format: String = "json"
  ) async throws -> (text: String, json: JSONValue) {
    let reply = try await party.post("/req/tp/sendGroup", question)
    try #require(reply.json.status == "approved", "\(reply.text)")
    let identifier = try #require(reply.json.reqID.text)
    let data = try await party.get("/req/tp/data?reqID=\(identifier)&format=\(format)")
    try #require(data.outcome == .ok, "\(data.text)")
    return (data.text.replacingOccurrences(of: identifier, with: ""), data.json)
  }

  @Test(
    "1000 people are refused, 1001 served as JSON and CSV, and 1002 get the earlier answer",
    .tags(.R24, .R25, .R26, .R28, .R29, .R31, .R32, .GRP_1))
  func released() async throws {
    let system = try await TestSystem()
    let party = try await system.thirdParty()
    try await Self.make(1000, in: system)
    let refused = try await party.post("/req/tp/sendGroup", Self.question)
    #expect(refused.json.status == "refused")
    #expect(refused.json.reason == "too few people")
    try await Self.make(1, in: system)
    let first = try await Self.answer(to: Self.question, for: party)
    #expect(first.json.people == 1000)
    let types = first.json.dataTypes
    #expect(types.items.map(\.parameter) == ["heartRate", "steps"])
    let mean = try #require(types[0].mean.number)
    #expect((60...80).contains(mean))
    for type in types.items {
      #expect(type.min.isNull && type.max.isNull)
      #expect(type.days.items.allSatisfy { ($0.people.int ?? 0) > 1000 })
    }
    let csv = try await Self.answer(to: Self.question, for: party, format: "csv")
    #expect(csv.text.hasPrefix("parameter,unit,group,statistic,from,to,people,value\r\n"))
    #expect(csv.text.contains("heartRate,BPM,,mean,,,1000,\(mean)\r\n"))
    // One person more, another company: the difference tells nothing.
    try await Self.make(1, in: system)
    let rival = try await system.thirdParty()
    #expect(try await Self.answer(to: Self.question, for: rival).text == first.text)
    try await subscription(party, after: first.text)
  }

  /// A subscription gives the same first window, and ends when the company says so.
  private func subscription(_ party: ThirdParty, after first: String) async throws {
    let question = Self.question.merging(["subscribing": true, "duration": 86_400])
    let reply = try await party.post("/req/tp/sendGroup", question)
    #expect(reply.json.status == "approved")
    let identifier = try #require(reply.json.reqID.text)
    let window = try await party.get("/req/tp/data?reqID=\(identifier)")
    #expect(window.json.dataTypes[0].mean == (try JSONValue(Array(first.utf8))).dataTypes[0].mean)
    let cursor = try #require(window.json.next.text)
    let later = try await party.get("/req/tp/data?reqID=\(identifier)&cursor=\(cursor)")
    #expect(later.json.dataTypes.count == 0)
    let end: JSONValue = ["reqID": .text(identifier)]
    #expect(try await party.post("/req/tp/end", end).outcome == .ok)
    #expect(try await party.post("/req/tp/end", end).outcome == Outcome(409, "Wrong state"))
    #expect(try await party.row(identifier).status == "ended")
    let kept = try await party.get("/req/tp/data?reqID=\(identifier)")
    #expect(kept.json.dataTypes == window.json.dataTypes)
    #expect(kept.json.next.isNull)
  }

  @Test(
    "of 20,000 people an answer is broken down, narrow and broad, in less than a minute",
    .tags(.R25, .R26, .R28, .NFR_3))
  func many() async throws {
    let system = try await TestSystem()
    let party = try await system.thirdParty()
    try await Self.make(20_000, in: system)
    let broad = Self.question.merging(["groupBy": "ageBand"])
    let clock = ContinuousClock()
    let began = clock.now
    let bands = try await Self.answer(to: broad, for: party).json
    #expect(clock.now - began < .seconds(60))
    #expect((bands.people.int ?? 0) > 19_000)
    #expect(bands.groups.items.allSatisfy { ($0.people.int ?? 0) >= 1000 })
    #expect(Set(bands.groups.items.compactMap(\.group.text)).count >= 5)
    let regions = try await Self.answer(
      to: Self.question.merging(["groupBy": "region"]), for: party
    ).json
    #expect(
      Set(regions.groups.items.compactMap(\.group.text))
        == ["Lombardia", "Lazio", "Campania", "Piemonte", "Sicilia"])
    for search: JSONValue in [
      ["residence.region=Lombardia", "sex=F"], ["birth.country=FR"], ["nationality=RO"],
      ["occupation=student", "heartRate>=60"],
    ] {
      let answer = try await Self.answer(
        to: Self.question.merging(["searchParams": search]), for: party)
      #expect((answer.json.people.int ?? 0) > 1000)
    }
    let narrow = Self.question.merging(["searchParams": ["age=30", "residence.province=MI"]])
    let refused = try await party.post("/req/tp/sendGroup", narrow)
    #expect(refused.json.reason == "too few people")
  }
}
