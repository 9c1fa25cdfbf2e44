import Foundation
import Requirements
import Support
import Testing

/// Groups of sufficient size, in their own system with people created by the lab.
@Suite("Released groups, through the gateway")
struct GroupReleaseJourney {
  private static let question: JSONValue = [
    "dataTypes": ["heartRate", "steps"], "searchParams": ["age>=18"], "subscribing": false,
  ]

  private static func make(_ count: Int, in system: TestSystem) async throws {
    let outcome = try await system.lab("generate", "people", "--count", "\(count)")
    try #require(outcome.isSuccess, "\(outcome.output)")
    try #require(outcome.output.contains("\(count) of \(count) people"), "\(outcome.output)")
  }

  /// A company's request and its response, without the request's identifier.
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

  // One group of 1,001 people serves all checks, because creating the group takes most of the time.
  @Test(
    "1000 people are refused, 1001 served as JSON and CSV, and 1002 receive the earlier answer",
    .tags(.R24, .R25, .R28, .R31, .R32, .GRP_1))
  func released() async throws {
    let system = try await TestSystem()
    let party = try await system.thirdParty()
    try await Self.make(1000, in: system)
    let refused = try await party.post("/req/tp/sendGroup", Self.question)
    #expect(refused.json.status == "refused")
    #expect(refused.json.reason == "too few people")
    try await Self.make(1, in: system)
    let first = try await Self.answer(to: Self.question, for: party)
    let people = try #require(first.json.people.int)
    #expect((1_000...1_101).contains(people) && people % 10 == 0)
    let types = first.json.dataTypes
    #expect(types.items.map(\.parameter) == ["heartRate", "steps"])
    let mean = try #require(types[0].mean.number)
    #expect((60...80).contains(mean))
    for type in types.items {
      #expect(type.min.isNull && type.max.isNull)
      #expect(type.days.items.allSatisfy { ($0.people.int ?? 0) >= 1000 })
    }
    let notified = try #require(types[0].people.int)
    let csv = try await Self.answer(to: Self.question, for: party, format: "csv")
    #expect(csv.text.hasPrefix("parameter,unit,group,statistic,from,to,people,value\r\n"))
    #expect(csv.text.contains("heartRate,BPM,,mean,,,\(notified),\(mean)\r\n"))
    // One more person and another company: the difference reveals nothing.
    try await Self.make(1, in: system)
    let rival = try await system.thirdParty()
    #expect(try await Self.answer(to: Self.question, for: rival).text == first.text)
    try await subscription(party, after: first.text)
  }

  /// For a shorter period the response has the same number of people and the same daily values.
  private func otherPeriod(_ party: ThirdParty, than first: JSONValue) async throws {
    let days = first.dataTypes[0].days
    let from = try #require(days[5].date.text)
    let question = Self.question.merging(["from": .text(from + "T00:00:00+01:00")])
    let later = try await Self.answer(to: question, for: party).json
    #expect(later.people == first.people)
    #expect(later.dataTypes[0].people == first.dataTypes[0].people)
    #expect(days.items.suffix(3) == later.dataTypes[0].days.items.suffix(3))
    #expect(later.dataTypes[0].days.count < days.count)
  }

  /// A subscription returns the same first window, and ends at the company's request.
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
    "for 20,000 people, narrow and broad requests are broken down",
    .tags(.R25, .R26, .R28))
  func many() async throws {
    let system = try await TestSystem()
    let party = try await system.thirdParty()
    try await Self.make(20_000, in: system)
    func answer(_ more: JSONValue) async throws -> JSONValue {
      try await Self.answer(to: Self.question.merging(more), for: party).json
    }
    let bands = try await answer(["groupBy": "ageBand"])
    #expect((bands.people.int ?? 0) > 19_000)
    #expect(bands.groups.items.allSatisfy { ($0.people.int ?? 0) >= 1000 })
    #expect(Set(bands.groups.items.compactMap(\.group.text)).count >= 5)
    try await otherPeriod(party, than: bands)
    let regions = try await answer(["groupBy": "region"])
    #expect(
      Set(regions.groups.items.compactMap(\.group.text))
        == ["Lombardia", "Lazio", "Campania", "Piemonte", "Sicilia"])
    for search: JSONValue in [
      ["residence.region=Lombardia", "sex=F"], ["birth.country=FR"], ["nationality=RO"],
      ["occupation=student", "heartRate>=60"],
    ] {
      #expect((try await answer(["searchParams": search]).people.int ?? 0) > 1000)
    }
    // At first all people live in Italy, later some abroad.
    let abroad = Self.question.merging(["searchParams": ["residence.country=DE"]])
    let nobody = try await party.post("/req/tp/sendGroup", abroad)
    #expect(nobody.json.reason == "too few people", "\(nobody.text)")
    try await system.superuser(
      "UPDATE data4help.accounts SET residence_place = 'DE' WHERE residence_place = 'L219'")
    let moved = try await Self.answer(to: abroad, for: party).json
    #expect((moved.people.int ?? 0) > 3000, "\(moved)")
    let narrow = Self.question.merging(["searchParams": ["age=30", "residence.province=MI"]])
    let refused = try await party.post("/req/tp/sendGroup", narrow)
    #expect(refused.json.reason == "too few people")
  }

  @Test(
    "a part of 1000 people is left out, with another where it would follow by subtraction",
    .tags(.R28, .R30))
  func parts() async throws {
    let system = try await TestSystem()
    let party = try await system.thirdParty()
    // Four of five regions have 1001 people and one 1000, computable as the total minus the others.
    try await Self.make(5_004, in: system)
    let question = Self.question.merging(["groupBy": "region"])
    let cut = try await Self.answer(to: question, for: party).json
    #expect((4_900...5_110).contains(cut.people.int ?? 0))
    for type in ["heartRate", "steps"] {
      let groups = cut.groups.items.filter { $0.parameter.text == type }
      #expect(groups.count == 3, "\(type)")
      #expect(groups.allSatisfy { (1_000...1_101).contains($0.people.int ?? 0) }, "\(type)")
    }
    let shown = Set(cut.groups.items.compactMap(\.group.text))
    let csv = try await Self.answer(to: question, for: party, format: "csv").text
    for region in ["Lombardia", "Lazio", "Campania", "Piemonte", "Sicilia"] {
      #expect(csv.contains("heartRate,BPM,\(region),mean,") == shown.contains(region))
    }
    #expect(!csv.contains("@"))
    // Half of the people have each sex; of 1000 there are too few of either sex.
    let sexes = try await Self.answer(to: question.merging(["groupBy": "sex"]), for: party).json
    #expect(sexes.groups.items.filter { $0.parameter == "steps" }.map(\.group) == ["F", "M"])
    // 101 more people make it another group, and every region exceeds the threshold.
    try await Self.make(101, in: system)
    let whole = try await Self.answer(to: question, for: party).json
    #expect(whole.groups.items.filter { $0.parameter == "steps" }.count == 5)
  }
}
