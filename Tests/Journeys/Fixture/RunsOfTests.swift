import Foundation
import Support
import Synchronization
import Testing

/// The data for runs of these tests, each on its own road.
enum RunOfTest {
  static let name = "Journey"
  static let wrongRunID = Outcome(401, "Wrong runID")

  static func terms(participants: Int = 10) -> JSONValue {
    [
      "runName": .text("\(name) run"), "startTime": .text(RelativeTimes.day(40)),
      "endTime": .text(RelativeTimes.day(41)), "participants": .number(Double(participants)),
    ]
  }

  static func points(_ points: [String]) -> JSONValue {
    .array(points.map { ["coordinate": .text($0)] })
  }

  /// A path of two kilometres eastwards, one kilometre north of the previous one.
  static func path() -> JSONValue {
    let north = 45 + Double(roads.next()) / 100
    return points(["\(north),9.19", "\(north),9.2156"])
  }

  private static let roads = Roads()
}

/// Counts the assigned roads.
private final class Roads: Sendable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock {
      $0 += 1
      return $0
    }
  }
}

/// Times relative to now in the API's format.
enum RelativeTimes {
  static func day(_ days: Double) -> String { after(days * 86_400) }

  static func after(_ seconds: Double) -> String {
    Date(timeIntervalSinceNow: seconds).ISO8601Format()
  }
}

extension ThirdParty {
  func createRun(_ terms: JSONValue) async throws -> Int {
    let reply = try await post("/t4r/org/create", terms)
    try #require(reply.outcome == .ok, "\(reply.text)")
    #expect(reply.json.message == "Info set successfully")
    return try #require(reply.json.runID.int)
  }

  func draw(_ path: JSONValue, for runID: Int) async throws -> String {
    let reply = try await post(
      "/t4r/org/path", ["runID": .number(Double(runID)), "path": path])
    try #require(reply.outcome == .ok, "\(reply.text)")
    #expect(reply.json.message == "Run created successfully")
    return try #require(reply.json.code.text)
  }

  /// Moves the start of a later run near to now, which opens its check-in, and has the runners
  /// check in; returns the start.
  ///
  /// The runners have 20 s, and as long as the preparation since `began` took: it had more steps,
  /// and a busy machine delays both.
  @discardableResult
  func startSoon(
    _ runID: Int, lasting seconds: Double = 3_600, with runners: [SingleUser],
    preparedSince began: ContinuousClock.Instant
  ) async throws -> Date {
    let preparation = (ContinuousClock.now - began) / .seconds(1)
    let start = Date(timeIntervalSinceNow: 20 + preparation)
    let moved = try await post(
      "/t4r/org/update",
      [
        "runID": .number(Double(runID)), "startTime": .text(start.ISO8601Format()),
        "endTime": .text(start.addingTimeInterval(seconds).ISO8601Format()),
      ])
    try #require(moved.outcome == .ok, "\(moved.text)")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for runner in runners { group.addTask { try await runner.checkIn() } }
      try await group.waitForAll()
    }
    return start
  }

  /// Creates a new listed run.
  func listedRun(_ more: JSONValue = [:]) async throws -> Int {
    let runID = try await createRun(RunOfTest.terms().merging(more))
    _ = try await draw(RunOfTest.path(), for: runID)
    return runID
  }
}

extension SingleUser {
  func join(_ runID: Int, _ choice: JSONValue = [:]) async throws -> Reply {
    let named: JSONValue = ["runID": .number(Double(runID))]
    return try await post("/t4r/active/join", named.merging(choice))
  }

  func leave(_ runID: Int) async throws -> Reply {
    try await post("/t4r/active/leave", ["runID": .number(Double(runID))])
  }

  /// The final refusal of joining; this person leaves the run again as long as joining still
  /// succeeds.
  func refusal(ofJoining runID: Int, within limit: Duration) async throws -> Reply {
    try await eventually("that joining is refused", within: limit) {
      let reply = try await join(runID)
      guard reply.outcome == .ok else { return reply }
      _ = try await leave(runID)
      return nil
    }
  }
}
