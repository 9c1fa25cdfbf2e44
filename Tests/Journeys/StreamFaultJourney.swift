import Foundation
import HTTP
import Requirements
import Support
import Testing

@Suite("Streams whose clients or servers fail", .serialized)
struct StreamFaultJourney {
  private static let system = Task { try await TestSystem() }

  @Test(
    "stopping replicas end their streams, which continue at the others without a loss",
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
    _ = try await eventually("the streams") { opened.allSatisfy { $0.begun > 0 } ? true : nil }
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
        reader.sampleCount >= total ? true : nil
      }
      #expect(reader.samples.count == total)
      #expect(Set(reader.samples).count == total)
      #expect(reader.samples == reader.samples.sorted())
      #expect(reader.broken == 0)
      reader.stop()
    }
    // Each of the two replicas was stopped, so every stream was reopened at least once.
    #expect(readers.map { $0.begun }.reduce(0, +) >= 2 * readers.count)
  }

  @Test(
    "a stalled client is cut off, delays no others, holds no memory, and resumes where it was",
    .tags(.REQ_2), .timeLimit(.minutes(10)))
  func slowReader() async throws {
    let system = try await Self.system.value
    let user = try await system.singleUser()
    try await user.upload("heartRate", [("2024-01-15T09:00:00Z", 60)])
    let (slow, quick) = (try await system.thirdParty(), try await system.thirdParty())
    for party in [slow, quick] {
      try await Self.accept(try await party.ask(user, for: ["heartRate"], subscribing: 3600), user)
    }
    // Uploads as much as is later left unread, to measure the memory of the uploads themselves.
    let reader = try EventReader("/req/tp/stream", quick.token, of: system)
    try await Self.upload(batches: 0..<10, as: user)
    _ = try await eventually("the first half", within: .seconds(180)) {
      reader.sampleCount > 100_000 ? true : nil
    }
    let before = try Self.memory(of: system)
    let cutBefore = try await Self.cut(system)

    let stalled = try await StalledReader(slow.token, of: system)
    try await Self.upload(second: 300_000, as: user)
    try await stalled.event()
    try await Self.upload(batches: 10..<20, as: user)
    _ = try await eventually("everything, for who reads", within: .seconds(180)) {
      reader.sampleCount > 200_001 ? true : nil
    }
    let growth = try Self.memory(of: system) - before
    #expect(growth < StalledReader.backlogBytesMin / 2, "\(growth) bytes more")
    _ = try await eventually("the end of the slow stream", within: .seconds(120)) {
      try await Self.cut(system) > cutBefore ? true : nil
    }
    let taken = try await stalled.rest()
    let rest = try EventReader("/req/tp/stream", slow.token, of: system, after: taken.last)
    _ = try await eventually("the rest", within: .seconds(180)) {
      rest.sampleCount + taken.samples.count >= 100_001 ? true : nil
    }
    let all = taken.samples + rest.samples
    #expect(all.count == 100_001)
    #expect(Set(all).count == all.count)
    #expect(!taken.samples.isEmpty && !rest.samples.isEmpty)
    for each in [reader, rest] { each.stop() }
  }

  private static func accept(_ request: String, _ user: SingleUser) async throws {
    let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
    try #require(try await user.post("/req/single/choice", choice).outcome == .ok)
  }

  /// Uploads a sample, and retries it under the same key if the replica was about to stop.
  private static func upload(second: Int, as user: SingleUser) async throws {
    let key = UUID().uuidString
    let body: JSONValue = [
      "dataTypes": ["heartRate"], "values": [61], "timestamp": [.text(time(second))],
    ]
    try await eventually("the upload") { () -> Void? in
      let reply = try await user.post("/data/upload", body, key: key)
      if reply.status == 503, reply.fields[.retryAfter] != nil { return nil }
      try #require(reply.outcome == .ok, "\(reply.text)")
      return ()
    }
  }

  /// Uploads batches of 10,000 samples, one per second.
  private static func upload(batches: Range<Int>, as user: SingleUser) async throws {
    for batch in batches {
      let samples = (0..<10_000).map { (time(batch * 10_000 + $0), JSONValue.number(62)) }
      try await user.upload("heartRate", samples)
    }
  }

  private static func time(_ second: Int) -> String {
    let date = Date(timeIntervalSince1970: 1_706_000_000 + Double(second))
    return date.formatted(.iso8601)
  }

  /// The peak memory of the processes between the database and the client.
  private static func memory(of system: TestSystem) throws -> Int {
    try ["gateway", "data4help-1", "data4help-2"].map { try system.memoryMax(of: $0) }
      .reduce(0, +)
  }

  /// The number of streams that ended because of their clients.
  private static func cut(_ system: TestSystem) async throws -> Int {
    var count = 0
    for name in ["data4help-1", "data4help-2"] {
      count += try await system.metric(
        "trackme_data4help_streams_ended_total{reason=\"client\"}", of: name)
    }
    return count
  }
}

extension EventReader {
  /// The count of received samples. It parses none of them: polling `samples` would take a core
  /// from the tested system.
  fileprivate var sampleCount: Int {
    events.reduce(0) { $0 + $1.data["data"].samples.items.count }
  }
}

/// A client that opens a stream and then reads nothing, with a small buffer, until it continues.
private struct StalledReader {
  /// The minimum size of ten batches' samples on a stream.
  static let backlogBytesMin = 10 * 10_000 * 100
  private let path: String
  private let process: pid_t

  init(_ token: String, of system: TestSystem) async throws {
    let path = system.directory + "/stalled-\(UUID().uuidString)"
    self.path = path
    let script =
      URL(filePath: #filePath).deletingLastPathComponent().path + "/stalled.py"
    process = try Program(command: [
      TestSystem.python, script, "\(system.httpPort)", token, path,
    ]).start(output: path + ".log")
    _ = try await eventually("the stream") {
      FileManager.default.fileExists(atPath: path + ".open") ? true : nil
    }
  }

  /// Waits until it has read one event.
  func event() async throws {
    let path = path
    _ = try await eventually("the first event") {
      FileManager.default.fileExists(atPath: path + ".event") ? true : nil
    }
  }

  /// Reads the data that has reached its machine; returns the complete events.
  func rest() async throws -> (last: Int, samples: [Int]) {
    try Data().write(to: URL(filePath: path + ".go"))
    let path = path
    let text = try await eventually("the end of the reading") {
      FileManager.default.fileExists(atPath: path + ".done")
        ? String(decoding: try Data(contentsOf: URL(filePath: path + ".done")), as: UTF8.self)
        : nil
    }
    var last = 0
    var samples: [Int] = []
    for event in text.components(separatedBy: "\n\n").dropLast() {
      for line in event.split(separator: "\n") {
        if line.hasPrefix("id: "), let number = Int(line.dropFirst(4)) { last = number }
        guard line.hasPrefix("data: ") else { continue }
        let document = try JSONValue(Array(line.dropFirst(6).utf8))
        samples += document["data"].samples.items.compactMap(\.seq.int)
      }
    }
    return (last, samples)
  }
}
