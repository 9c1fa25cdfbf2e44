import Foundation
import HTTP
import Requirements
import Support
import Synchronization
import Testing

@Suite("Faults of a running system", .serialized)
struct FaultJourney {
  /// The number of GETs that no crash may lose; smaller in an unoptimised build.
  #if DEBUG
    private static let getCount = 10_000
  #else
    private static let getCount = 50_000
  #endif
  private static let clientCount = 8
  private static let crashEvery = Duration.seconds(2)

  /// The system that these tests damage; each test leaves it working.
  private static let system = Task { try await TestSystem() }

  @Test("a replica killed every two seconds loses no GET", .tags(.GW_1, .NFR_4))
  func replicas() async throws {
    let system = try await Self.system.value
    let user = try await system.singleUser()
    try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 60)])
    let left = Counter(Self.getCount)
    let isOver = Counter(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<Self.clientCount {
        group.addTask { try await Self.get(as: user, system, left, isOver) }
      }
      group.addTask {
        defer { isOver.add(1) }
        // Kills each replica at least once, alternately, and never the second one while the first
        // is down.
        var crashes = 0
        while left.value > 0 || crashes < 2 {
          crashes += 1
          let name = "data4help-\(crashes % 2 + 1)"
          let former = try system.member(name).process.int
          try system.crash(name)
          // The gateway finds the new process within a second of its start.
          try await system.waitUntilReplaced(name, former)
          try await pause(Self.crashEvery)
        }
      }
      try await group.waitForAll()
    }
  }

  /// Requests one document repeatedly, until no GET is left and the crashes are over.
  private static func get(
    as user: SingleUser, _ system: TestSystem, _ left: Counter, _ isOver: Counter
  ) async throws {
    let client = try PublicClient(system, .http2)
    defer { client.close() }
    while left.add(-1) >= 0 || isOver.value == 0 {
      let reply = try await client.get("/data/stats?types=heartRate", token: user.token)
      try #require(reply.status == 200, "\(reply.text)")
    }
  }

  @Test("the database crashes under uploads, and nothing acknowledged is lost", .tags(.NFR_4))
  func database() async throws {
    let system = try await Self.system.value
    let users = try await withThrowingTaskGroup(of: SingleUser.self) { group in
      for _ in 0..<Self.clientCount { group.addTask { try await system.singleUser() } }
      return try await group.reduce(into: [SingleUser]()) { $0.append($1) }
    }
    let isOver = Counter(0)
    let begun = Counter(0)
    let acknowledged = try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
      for (index, user) in users.enumerated() {
        group.addTask { (index, try await Self.upload(as: user, begun, isOver)) }
      }
      try await eventually("an upload of each client") { begun.value >= Self.clientCount }
      try await system.crashDatabase()
      try await pause(.seconds(1))
      isOver.add(1)
      return try await group.reduce(into: [Int: [String]]()) { $0[$1.0] = $1.1 }
    }
    for (index, times) in acknowledged {
      #expect(!times.isEmpty)
      let points = try await eventually("an answer of the database") {
        let reply = try await users[index].get("/data/series?type=heartRate")
        return reply.status == 200 ? reply.json.points : nil
      }
      let stored = Set(points.items.compactMap(\.time.text))
      let lost = times.filter { !stored.contains($0) }
      #expect(lost.isEmpty, "\(lost.count) of \(times.count) are lost")
    }
  }

  /// Uploads one sample per second of 2024 in sequence; returns the times of the acknowledged ones.
  /// The first one is counted in `begun`.
  private static func upload(
    as user: SingleUser, _ begun: Counter, _ isOver: Counter
  ) async throws -> [String] {
    var acknowledged: [String] = []
    var second = 0
    while isOver.value == 0, second < 9000 {
      let clock = [second / 3600, second / 60 % 60, second % 60].map {
        String(String(100 + $0).dropFirst())
      }
      let time = "2024-01-15T" + clock.joined(separator: ":") + "Z"
      let reply = try await user.post(
        "/data/upload",
        ["dataTypes": ["heartRate"], "values": [60], "timestamp": [.text(time)]])
      try #require([200, 503].contains(reply.status), "\(reply.text)")
      if reply.status == 200 {
        if acknowledged.isEmpty { begun.add(1) }
        acknowledged.append(time)
      } else {
        #expect(reply.fields["retry-after"] != nil)
        try await pause(.milliseconds(50))
      }
      second += 1
    }
    return acknowledged
  }

  @Test("the gateway is killed and restarted, and tokens still work", .tags(.GW_3, .NFR_4))
  func gateway() async throws {
    let system = try await Self.system.value
    let user = try await system.singleUser()
    let former = try system.member("gateway").process.int
    try system.crash("gateway")
    try await system.waitUntilReplaced("gateway", former)
    let client = try PublicClient(system)
    defer { client.close() }
    // On a busy machine connecting may exceed the client's timeout.
    let reply = try await eventually("a connection") { () -> Reply? in
      do {
        return try await client.get("/auth/me", token: user.token)
      } catch HTTPClientError.failed(let failure)
        where [.connectFailed, .connectTimedOut].contains(failure.cause)
      {
        return nil
      }
    }
    #expect(reply.outcome == .ok)
  }
}

/// A counter shared by many tasks.
private final class Counter: Sendable {
  private let number: Atomic<Int>

  init(_ value: Int) { number = Atomic(value) }

  var value: Int { number.load(ordering: .relaxed) }

  /// Returns the new value.
  @discardableResult
  func add(_ step: Int) -> Int { number.wrappingAdd(step, ordering: .relaxed).newValue }
}
