import Foundation
import HTTP
import Requirements
import Support
import Testing

@Suite("Many downloads of one company, through the gateway", .serialized, .tags(.GW_5))
struct DownloadLoadJourney {
  /// One loop for each process, so that the number of admitted downloads is known.
  private static let system = Task { try await TestSystem(["TRACKME_LOOPS": "1"]) }

  private static let downloadCount = 40
  /// The most downloads that two replicas admit at a time: on each one runs and eight wait.
  private static let admittedMax = 18

  private static func accept(_ request: String, by user: SingleUser) async throws {
    let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
    try #require(try await user.post("/req/single/choice", choice).outcome == .ok)
  }

  private static func end(_ request: String, by user: SingleUser) async throws -> Outcome {
    try await user.post("/req/single/end", ["reqID": .text(request)]).outcome
  }

  @Test(
    "while a company's downloads hang, others log in, upload and end their requests",
    .tags(.R21), .timeLimit(.minutes(3)))
  func hanging() async throws {
    let system = try await Self.system.value
    let (user, other) = (try await system.singleUser(), try await system.singleUser())
    let party = try await system.thirdParty(.http2)
    let samples: [(String, JSONValue)] = [("2024-01-15T10:00:00Z", 61)]
    for person in [user, other] { try await person.upload("heartRate", samples) }
    let request = try await party.ask(user, for: ["heartRate"])
    let ended = try await party.ask(other, for: ["heartRate"])
    try await Self.accept(request, by: user)
    try await Self.accept(ended, by: other)
    // No batch can record its access, so that none ends.
    try await HeldTable.with("data4help.access_heads", of: system) { held in
      try await withThrowingTaskGroup(of: Reply.self) { downloads in
        for _ in 0..<Self.downloadCount {
          downloads.addTask { try await party.get("/req/tp/data?reqID=\(request)&format=csv") }
        }
        for _ in 0..<(Self.downloadCount - Self.admittedMax) {
          let refused = try #require(try await downloads.next())
          #expect(refused.outcome == Outcome(429, "Too many requests"))
          #expect(refused.fields[.retryAfter] != nil)
        }
        try await other.upload("heartRate", [("2024-01-15T11:00:00Z", 62)])
        #expect(try await Self.end(ended, by: other) == .ok)
        let login: JSONValue = [
          "email": .text(user.person.email), "password": .text(People.password), "replace": true,
        ]
        #expect(try await user.client.post("/auth/login", login).outcome == .ok)
        try await held.release()
        for try await reply in downloads {
          // A batch that hung for its time limit fails.
          #expect([200, 429, 503].contains(reply.status), "\(reply.text)")
        }
      }
    }
    #expect(try await party.get("/req/tp/data?reqID=\(request)").outcome == .ok)
  }

  @Test(
    "while a company downloads without a pause, another one downloads, and the person ends it",
    .tags(.R21), .timeLimit(.minutes(5)))
  func unceasing() async throws {
    let system = try await Self.system.value
    let (user, other) = (try await system.singleUser(), try await system.singleUser())
    let party = try await system.thirdParty(.http2)
    let rival = try await system.thirdParty()
    try await Self.fill(user)
    let request = try await party.ask(user, for: ["heartRate"])
    let further = try await rival.ask(user, for: ["heartRate"])
    for request in [request, further] { try await Self.accept(request, by: user) }
    try await withThrowingTaskGroup(of: Void.self) { downloads in
      for index in 0..<(Self.admittedMax + 2) {
        let format = index.isMultiple(of: 2) ? "csv" : "fhir"
        downloads.addTask { await Self.downloadUntilEnd(request, format, by: party) }
      }
      _ = try await eventually("several large batches") {
        let count = try await system.superuser(
          "SELECT count(*) FROM data4help.accesses WHERE n = \(Self.batchSize)")
        return Int(count) ?? 0 >= Self.admittedMax ? true : nil
      }
      let file = try await rival.get("/req/tp/data?reqID=\(further)&format=csv")
      #expect(file.outcome == .ok)
      #expect(file.text.split(separator: "\r\n").count == 1 + 2 * Self.batchSize)
      try await other.upload("heartRate", [("2024-01-15T11:00:00Z", 62)])
      #expect(try await Self.end(request, by: user) == .ok)
      try await downloads.waitForAll()
    }
    #expect(try await rival.get("/req/tp/data?reqID=\(further)").outcome == .ok)
  }

  private static let batchSize = 10_000

  private static func fill(_ user: SingleUser) async throws {
    for batch in 0..<2 {
      let samples = (0..<batchSize).map { index -> (String, JSONValue) in
        let second = Double(1_706_000_000 + batch * batchSize + index)
        let time = Date(timeIntervalSince1970: second).formatted(.iso8601)
        return (time, .number(Double(60 + index % 40)))
      }
      try await user.upload("heartRate", samples)
    }
  }

  /// Downloads again and again until the request has ended.
  private static func downloadUntilEnd(
    _ request: String, _ format: String, by party: ThirdParty
  ) async {
    while true {
      do {
        let reply = try await party.get("/req/tp/data?reqID=\(request)&format=\(format)")
        if reply.status == 409 { return }
        if reply.status != 200 { try await pause(.milliseconds(100)) }
      } catch {
        // The end cuts a response; the next one is a refusal.
      }
    }
  }
}
