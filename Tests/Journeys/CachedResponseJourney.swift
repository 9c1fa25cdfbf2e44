import Foundation
import HTTP
import Requirements
import Synchronization
import Testing

/// A flag for parallel tasks.
private final class Flag: Sendable {
  private let state = Atomic(false)
  var isRaised: Bool { state.load(ordering: .relaxed) }
  func raise() { state.store(true, ordering: .relaxed) }
}

@Suite("Cached responses, through the gateway", .tags(.R43))
struct CachedResponseJourney {
  /// Runs `body` while parallel clients request these paths continuously, so that a response is
  /// always cached or being produced.
  private static func amongMany(
    whoAsk ask: [String], at system: TestSystem, _ body: () async throws -> Void
  ) async throws {
    let isOver = Flag()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for way in PublicClient.Way.allCases {
        let client = try PublicClient(system, way)
        group.addTask {
          defer { client.close() }
          var count = 0
          while !isOver.isRaised {
            let reply = try await client.get(ask[count % ask.count])
            #expect(reply.outcome == .ok, "\(reply.text)")
            count += 1
          }
          return count
        }
      }
      try await body()
      isOver.raise()
      for try await count in group { #expect(count > 0) }
    }
  }

  /// The number of requests answered from the cache.
  private static func keptCount(_ system: TestSystem) async throws -> Int {
    try await system.metric("trackme_gateway_kept_total", of: "gateway")
  }

  @Test(
    "while many request the list, a company finds its run there right after publishing",
    .timeLimit(.minutes(5)))
  func published() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let name = UUID().uuidString
    let list = "/t4r/active/list?name=\(name)"
    let kept = try await Self.keptCount(system)
    let readers = try PublicClient.Way.allCases.map { try PublicClient(system, $0) }
    func isListed(_ runID: Int) async throws -> [Bool] {
      var answers: [Bool] = []
      for reader in readers {
        let runs = try await reader.get(list).json.run.items
        answers.append(runs.contains { $0.runID.int == runID })
      }
      return answers
    }
    try await Self.amongMany(whoAsk: [list], at: system) {
      for day in 0..<12 {
        let start = Double(50 + 2 * day)
        let runID = try await organiser.createRun(
          RunOfTest.terms().merging([
            "runName": .text(name), "startTime": .text(RelativeTimes.day(start)),
            "endTime": .text(RelativeTimes.day(start + 1)),
          ]))
        #expect(try await isListed(runID) == [false, false, false])
        _ = try await organiser.draw(RunOfTest.path(), for: runID)
        #expect(try await isListed(runID) == [true, true, true])
        let cancelled = try await organiser.post(
          "/t4r/org/cancel", ["runID": .number(Double(runID))])
        #expect(cancelled.outcome == .ok)
        #expect(try await isListed(runID) == [false, false, false])
      }
    }
    for reader in readers { reader.close() }
    #expect(try await Self.keptCount(system) > kept)
  }

  @Test(
    "while many view a run, joining and leaving it are counted at once", .timeLimit(.minutes(5)))
  func joined() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let runID = try await organiser.createRun(RunOfTest.terms())
    let code = try await organiser.draw(RunOfTest.path(), for: runID)
    let list = "/t4r/active/list?code=\(code)"
    let run = "/t4r/run/\(code)"
    let runner = try await system.singleUser()
    func enrolled() async throws -> [Int?] {
      let anyone = runner.client
      return [
        try await anyone.get(list).json.run[0].enrolled.int,
        try await anyone.get(run).json.enrolled.int,
      ]
    }
    try await Self.amongMany(whoAsk: [list, run], at: system) {
      for _ in 0..<10 {
        let joined = try await runner.join(runID)
        #expect(joined.outcome == .ok, "\(joined.text)")
        #expect(try await enrolled() == [1, 1])
        let left = try await runner.leave(runID)
        #expect(left.outcome == .ok, "\(left.text)")
        #expect(try await enrolled() == [0, 0])
      }
    }
  }

  @Test(
    "an organiser sees organisers' data, right after the public requested the same run",
    .tags(.RUN_8), .timeLimit(.minutes(5)))
  func organisers() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let runID = try await organiser.listedRun()
    let unpublished = try await organiser.createRun(RunOfTest.terms())
    let named: JSONValue = ["runID": .number(Double(runID))]
    for _ in 0..<10 {
      let polled = try await organiser.client.post("/t4r/active/specUpdate", named)
      #expect((polled.outcome, polled.json.runID.int) == (.ok, runID))
      #expect(polled.fields[.cacheControl] == "no-store")
      let own = try await organiser.get("/t4r/org/live?runID=\(runID)")
      #expect((own.outcome, own.json.runID.int) == (.ok, runID))
      let foreign = try await organiser.client.get("/t4r/org/live?runID=\(runID)")
      #expect(foreign.outcome == Outcome(401, "Wrong token"))
      let listed = try await organiser.client.get("/t4r/active/list?limit=500").json.run
      #expect(listed.items.contains { $0.runID.int == runID })
      #expect(listed.items.allSatisfy { $0.runID.int != unpublished })
      let runs = try await organiser.get("/t4r/org/list").json.runs
      #expect(runs.items.contains { $0.runID.int == unpublished })
    }
  }
}
