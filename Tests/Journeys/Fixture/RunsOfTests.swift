import Foundation
import Synchronization
import Testing

/// What runs of these tests are made of: each on a road of its own.
enum RunOfTest {
  static let name = "Journey"
  static let wrongRunID = Outcome(401, "Wrong runID")

  static func terms(participants: Int = 10) -> JSONValue {
    [
      "runName": .text("\(name) run"), "startTime": .text(Moments.day(40)),
      "endTime": .text(Moments.day(41)), "participants": .number(Double(participants)),
    ]
  }

  static func points(_ points: [String]) -> JSONValue {
    .array(points.map { ["coordinate": .text($0)] })
  }

  /// Two kilometres eastwards, a kilometre north of those before.
  static func path() -> JSONValue {
    let north = 45 + Double(roads.next()) / 100
    return points(["\(north),9.19", "\(north),9.2156"])
  }

  private static let roads = Roads()
}

/// Counts the roads that were given away.
private final class Roads: Sendable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock {
      $0 += 1
      return $0
    }
  }
}

/// Times by today, as the API writes them.
enum Moments {
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

  /// A new run that everybody finds.
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

  /// What refuses this user in the end, who leaves again where joining still goes.
  func refusal(ofJoining runID: Int) async throws -> Reply {
    try await eventually("that joining is refused") {
      let reply = try await join(runID)
      guard reply.outcome == .ok else { return reply }
      _ = try await leave(runID)
      return nil
    }
  }
}
