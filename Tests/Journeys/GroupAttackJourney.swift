import Foundation
import HTTP
import Requirements
import Support
import Testing

/// Companies that send too many group requests at once, or requests from which one person's data
/// could be computed. Uses its own system, in which people created by the lab have
/// equal values.
@Suite("Attacks by group requests, through the gateway", .serialized)
struct GroupAttackJourney {
  /// The number of common ages. One single person has an age between each two of them.
  private static let ageCount = 14
  private static let youngest = 50
  /// The number of people of each common age: more than a group needs.
  private static let peopleOfAge = 1_010
  /// The number of people in an age band that no other test uses.
  private static let others = 2_400
  private static let people = ageCount * peopleOfAge + ageCount - 1 + others

  /// The data types with the value range counted in groups.
  private static let types: [(name: String, from: Double, width: Double)] = [
    ("heartRate", 40, 80), ("steps", 0, 20_000), ("weight", 0, 160),
  ]
  /// The position of all values in that range: 70 BPM, 7,500 steps, 60 kg.
  private static let place = 0.375
  /// The standard deviation of a person's level, relative to the range (decision 0020).
  private static let levelDeviation = 0.82

  /// One loop in each of the two replicas, so that the number of waiting counts is predictable.
  private static let system = Task {
    let system = try await TestSystem(["TRACKME_LOOPS": "1"])
    let made = try await system.lab(
      "generate", "people", "--count", "\(people)", "--months", "5")
    try #require(made.isSuccess, "\(made.output)")
    // 0x76CB is bin 3 below step 3,801, which is 0.375 of the range.
    try await system.superuser(
      """
      UPDATE data4help.day_columns SET vals = decode(repeat('cb76', 992), 'hex');
      UPDATE data4help.accounts
         SET birth_date = current_date - INTERVAL '100 days' - make_interval(years => age)
        FROM (SELECT account_id AS id,
                     CASE WHEN place < \(ageCount * peopleOfAge)
                          THEN \(youngest) + 2 * (place / \(peopleOfAge))
                          WHEN place < \(people - others)
                          THEN \(youngest) + 1 + 2 * (place - \(ageCount * peopleOfAge))
                          ELSE 45 END::integer AS age
                FROM (SELECT account_id, account_id - 1000000000 AS place
                        FROM data4help.accounts
                       WHERE account_id >= 1000000000) AS made) AS aged
       WHERE account_id = id
      """)
    return system
  }

  /// A company's response for a group over a period.
  private static func answer(
    to search: JSONValue, _ period: JSONValue, for party: ThirdParty
  ) async throws -> JSONValue {
    let question: JSONValue = [
      "dataTypes": .array(types.map { .text($0.name) }), "searchParams": search,
      "subscribing": false,
    ]
    let reply = try await party.post("/req/tp/sendGroup", question.merging(period))
    try #require(reply.json.status == "approved", "\(reply.text)")
    let identifier = try #require(reply.json.reqID.text)
    let data = try await party.get("/req/tp/data?reqID=\(identifier)")
    try #require(data.outcome == .ok, "\(data.text)")
    return data.json.with("reqID", nil)
  }

  /// The search for people between two common ages.
  private static func search(_ ages: ClosedRange<Int>) -> JSONValue {
    [
      .text("age>=\(youngest + 2 * ages.lowerBound)"),
      .text("age<=\(youngest + 2 * ages.upperBound)"),
    ]
  }

  /// The number of people in a search, which the attackers know.
  private static func count(_ ages: ClosedRange<Int>) -> Int {
    ages.count * peopleOfAge + ages.count - 1
  }

  /// The statistics of a type in a response.
  private static func statistics(of type: Int, in answer: JSONValue) throws -> JSONValue {
    try #require(answer.dataTypes.items.first { $0.parameter.text == types[type].name })
  }

  /// The error of a mean, relative to the range of its type.
  private static func error(_ mean: JSONValue, _ type: Int) throws -> Double {
    (try #require(mean.number) - types[type].from) / types[type].width - place
  }

  /// The error of the sum of all people's values in a search: the mean over the days of a period,
  /// each with the noise of its release. One number for each type.
  private static func excess(
    _ ages: ClosedRange<Int>, _ period: JSONValue, for party: ThirdParty
  ) async throws -> [Double] {
    let answer = try await answer(to: search(ages), period, for: party)
    return try types.indices.map { index in
      let days = try statistics(of: index, in: answer).days.items
      try #require(days.count > 40)
      let errors = try days.map { try error($0.mean, index) }
      return errors.reduce(0, +) / Double(days.count) * Double(count(ages))
    }
  }

  /// A company's estimate for each person with a unique age and each type, minus the person's
  /// value. It is the sum of an age range minus the sums below and above that person, for all pairs
  /// of ages.
  private static func solved(_ period: JSONValue, by party: ThirdParty) async throws -> [Double] {
    var sums: [ClosedRange<Int>: [Double]] = [:]
    for first in 0..<ageCount {
      for last in first..<ageCount {
        sums[first...last] = try await excess(first...last, period, for: party)
      }
    }
    var found: [Double] = []
    for person in 0..<ageCount - 1 {
      for type in types.indices {
        var (sum, count) = (0.0, 0.0)
        for first in 0...person {
          for last in person + 1..<ageCount {
            let parts = [first...last, first...person, person + 1...last].compactMap { sums[$0] }
            try #require(parts.count == 3)
            sum += parts[0][type] - parts[1][type] - parts[2][type]
            count += 1
          }
        }
        found.append(sum / count)
      }
    }
    return found
  }

  @Test(
    "two companies that compute one person's value from 210 answers get the same noise",
    .tags(.GRP_1, .R30), .timeLimit(.minutes(15)))
  func reconstruction() async throws {
    let system = try await Self.system.value
    let (clinic, studio) = (try await system.thirdParty(), try await system.thirdParty())
    let day = 86_400.0
    let middle = JSONValue.text(Date(timeIntervalSinceNow: -50 * day).ISO8601Format())
    let start = JSONValue.text(Date(timeIntervalSinceNow: -100 * day).ISO8601Format())
    async let earlier = Self.solved(["from": start, "to": middle], by: clinic)
    async let later = Self.solved(["from": middle], by: studio)
    let (first, second) = (try await earlier, try await later)
    // Noise per answer or per day would differ in the other half, with a product of 0 on average.
    func product(_ some: [Double], _ others: [Double]) -> Double {
      zip(some, others).reduce(0) { $0 + $1.0 * $1.1 } / Double(some.count)
    }
    let common = product(first, second)
    let alike = common / (product(first, first) * product(second, second)).squareRoot()
    print("noise that both companies found: deviation \(common.squareRoot()), alike \(alike)")
    #expect((0.2...1.5).contains(common))
    #expect(alike > 0.5)
    // The same request by the other company draws no new noise.
    let again = try await Self.excess(3...5, ["from": start, "to": middle], for: studio)
    #expect(try await Self.excess(3...5, ["from": start, "to": middle], for: clinic) == again)
  }

  @Test("means of 1,010 people and of 16,553 have the documented error", .tags(.R25))
  func honest() async throws {
    let system = try await Self.system.value
    let party = try await system.thirdParty()
    let all = try await Self.answer(to: ["age>=18"], [:], for: party)
    for type in Self.types.indices {
      let error = try Self.error(Self.statistics(of: type, in: all).mean, type)
      #expect(abs(error) < 4 * Self.levelDeviation / Double(Self.people).squareRoot())
    }
    var squares: [Double] = []
    for age in 0..<Self.ageCount {
      let answer = try await Self.answer(to: Self.search(age...age), [:], for: party)
      for type in Self.types.indices {
        let error = try Self.error(Self.statistics(of: type, in: answer).mean, type)
        squares.append(error * error)
      }
    }
    let error = (squares.reduce(0, +) / Double(squares.count)).squareRoot()
    let documented = Self.levelDeviation / Double(Self.peopleOfAge).squareRoot()
    print("error of a mean of \(Self.peopleOfAge): \(error) of the range, documented \(documented)")
    #expect((documented / 2...documented * 1.5).contains(error))
  }

  @Test(
    "a company that requests sixty groups at once must wait, and other accounts are served")
  func greedy() async throws {
    let system = try await Self.system.value
    let greedy = try await system.thirdParty(.http2)
    let company = try await system.thirdParty()
    let (mario, laura) = (try await system.singleUser(), try await system.singleUser())
    let question: JSONValue = [
      "dataTypes": ["heartRate"], "searchParams": ["age>=18"], "subscribing": false,
    ]
    // No count ends before all requests are sent.
    try await HeldTable.with("data4help.day_columns", of: system) { columns in
      try await withThrowingTaskGroup(of: Reply.self) { requests in
        for _ in 0..<60 {
          requests.addTask { try await greedy.post("/req/tp/sendGroup", question) }
        }
        // Each replica executes one count and queues at most two.
        for _ in 0..<60 - 2 * 3 {
          let refused = try #require(try await requests.next())
          #expect(refused.status == 429, "\(refused.text)")
          #expect(refused.fields["retry-after"] == "5")
        }
        let forwarded = try await system.forwardedRequests()
        async let other = company.post("/req/tp/sendGroup", question)
        async let first = mario.get("/data/compare?type=heartRate")
        async let second = laura.get("/data/compare?type=heartRate")
        _ = try await eventually("the three requests at their replicas") {
          try await system.forwardedRequests() >= forwarded + 3 ? true : nil
        }
        try await columns.release()
        var served = 0
        for try await reply in requests {
          #expect([200, 429].contains(reply.status), "\(reply.text)")
          if reply.status == 200 { served += 1 }
        }
        #expect((3...6).contains(served))
        #expect(try await other.json.status == "approved")
        for reply in [try await first, try await second] {
          #expect(reply.outcome == .ok, "\(reply.text)")
          #expect(!reply.json.others.isNull, "\(reply.text)")
        }
      }
    }
  }
}

extension TestSystem {
  /// How many requests the gateway has sent to replicas.
  fileprivate func forwardedRequests() async throws -> Int {
    try await metric("trackme_gateway_forwarded_total", of: "gateway")
  }
}
