import Foundation
import HTTP
import Requirements
import Testing

@Suite("Streams whose servers go away", .serialized)
struct StreamFaultJourney {
  private static let system = Task { try await TestSystem() }

  @Test(
    "replicas that stop end their streams, which go on at the others without a loss",
    .tags(.REQ_2, .NFR_4), .timeLimit(.minutes(5)))
  func gracefulStop() async throws {
    let system = try await Self.system.value
    let user = try await system.singleUser()
    try await user.upload("heartRate", [("2024-01-15T09:00:00Z", 60)])
    var readers: [EventReader] = []
    for _ in 0..<4 {
      let party = try await system.thirdParty()
      try await Self.accept(try await party.ask(user, for: ["heartRate"], subscribing: 3600), user)
      readers.append(try EventReader("/req/tp/stream", party.token, of: system))
    }
    let opened = readers
    _ = try await eventually("the streams") { opened.allSatisfy { $0.begun == 1 } ? true : nil }
    let writing = Writers()
    let total = try await withThrowingTaskGroup(of: Int.self) { group in
      group.addTask {
        var second = 1
        while !writing.areDone {
          try await Self.upload(second: second, as: user)
          second += 1
        }
        return second
      }
      for name in ["data4help-1", "data4help-2"] {
        let former = try system.member(name).process.int
        try system.stop(name)
        try await system.waitUntilReplaced(name, former)
      }
      writing.end()
      return try await group.next() ?? 0
    }
    for reader in readers {
      _ = try await eventually("all samples on the stream") {
        reader.samples.count >= total ? true : nil
      }
      #expect(reader.samples.count == total)
      #expect(Set(reader.samples).count == total)
      #expect(reader.samples == reader.samples.sorted())
      #expect(reader.broken == 0)
      reader.stop()
    }
    // Whichever replicas they were at, each of the two stopped.
    #expect(readers.map { $0.begun }.reduce(0, +) >= 2 * readers.count)
  }

  private static func accept(_ request: String, _ user: SingleUser) async throws {
    let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
    try #require(try await user.post("/req/single/choice", choice).outcome == .ok)
  }

  /// Uploads a sample, again under the same key where a replica was about to stop.
  private static func upload(second: Int, as user: SingleUser) async throws {
    let key = UUID().uuidString
    let body: JSONValue = [
      "dataTypes": ["heartRate"], "values": [61], "timestamp": [.text(time(second))],
    ]
    _ = try await eventually("the upload") {
      try await user.post("/data/upload", body, key: key).status == 200 ? true : nil
    }
  }

  private static func time(_ second: Int) -> String {
    let date = Date(timeIntervalSince1970: 1_706_000_000 + Double(second))
    return date.formatted(.iso8601)
  }
}
