import Foundation
import Requirements
import Support
import Testing

@Suite("A process of Track4Run whose clock is wrong", .serialized)
struct RunClockJourney {
  /// The path of the library in Debian's package faketime.
  private static var library: String? {
    let folders = ["x86_64-linux-gnu", "aarch64-linux-gnu"]
    return folders.map { "/usr/lib/\($0)/faketime/libfaketime.so.1" }.first {
      FileManager.default.fileExists(atPath: $0)
    }
  }

  @Test(
    "a clock three hours ahead shows the same runs, asks no runner early, and is reported",
    .tags(.R39, .R49), .timeLimit(.minutes(5)))
  func ahead() async throws {
    let library = try #require(Self.library, "`deploy/setup.sh test` installs faketime.")
    let system = try await TestSystem()
    let organiser = try await system.thirdParty()
    let runner = try await system.singleUser()
    try await runner.upload("position", [(RelativeTimes.after(-60), "45.4781,9.2273")])
    let runID = try await organiser.listedRun([
      "startTime": .text(RelativeTimes.after(3_600)), "endTime": .text(RelativeTimes.after(7_200)),
    ])
    #expect(try await runner.join(runID).outcome == .ok)
    let (port, metrics) = (try FreePorts.take(), try FreePorts.take())
    let file = try #require(try member("data4help-1", of: system))
    let process = try Program(
      command: [TestSystem.programs + "/track4run"],
      environment: [
        "LD_PRELOAD": library, "FAKETIME": "+3h", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "TRACKME_STATE": system.state,
        "TRACKME_PROCESS": "track4run-ahead", "TRACKME_LISTEN": "127.0.0.1:\(port)",
        "TRACKME_METRICS_PORT": "\(metrics)", "TRACKME_DATA4HELP_ADDRESSES": file,
        "TRACKME_PUBLIC_URL": "https://localhost:\(system.httpsPort)",
        "TRACKME_DATABASE_URL_FILE": "\(system.state)/keys/database/track4run.trackme.url",
      ]
    ).start(output: system.directory + "/ahead.log")
    defer { kill(process, SIGTERM) }
    let secret = try await system.lab("bench", "secret").output
      .trimmingCharacters(in: .whitespacesAndNewlines)
    func ask(_ address: String) async throws -> String {
      try await Program(command: [
        "curl", "--silent", "--header", "X-TrackMe-Secret: \(secret)",
        "http://127.0.0.1:\(address)",
      ]).run().output
    }
    _ = try await eventually("the process that is ahead") {
      try await ask("\(port)/health").contains("up") ? true : nil
    }
    // It takes over the work of the frozen process and reports the wrong clock of its machine.
    try await Self.expectTakeOver(in: system)
    let shown = try await ask("\(metrics)/metrics")
    let line = try #require(
      shown.split(separator: "\n").first { $0.hasPrefix("trackme_track4run_clock_ahead_seconds ") })
    let ahead = try #require(line.split(separator: " ").last.flatMap { Double($0) })
    #expect(abs(ahead - 10_800) < 60, "\(line)")
    let list = try JSONValue(Array(try await ask("\(port)/t4r/active/list?state=open").utf8))
    #expect(list.run.items.map(\.runID.int).contains(runID))
    let live = try JSONValue(Array(try await ask("\(port)/t4r/active/list?state=live").utf8))
    #expect(live.run.items.isEmpty)
    // A runner without a check-in is still enrolled: the start is an hour ahead.
    #expect(try await organiser.get("/t4r/org/list").json.runs[0].enrolled == 1)
    let log = try String(contentsOfFile: system.directory + "/ahead.log", encoding: .utf8)
    #expect(log.contains("system clock deviates from database clock"))
    await system.stop()
  }

  /// Freezes the other process until the one that is ahead holds the lease and has renewed it.
  private static func expectTakeOver(in system: TestSystem) async throws {
    func lease() async throws -> [Substring] {
      try await system.superuser(
        "SELECT holder_id, held_until FROM track4run.leases WHERE lease = 1"
      ).split(separator: "|")
    }
    let other = try await eventually("a holder of the lease") { try await lease().first }
    let process = pid_t(try #require(try system.member("track4run-1").process.int))
    kill(process, SIGSTOP)
    defer { kill(process, SIGCONT) }
    var taken = try await eventually("another holder of the lease") {
      let lease = try await lease()
      return lease.isEmpty || lease[0] == other ? nil : lease
    }
    // Its work began when it took the lease, which it renews every second.
    for count in 1...3 {
      taken = try await eventually("renewal \(count) of the lease") {
        let lease = try await lease()
        return lease.isEmpty || lease[1] == taken[1] ? nil : lease
      }
    }
    #expect(taken[0] != other)
  }

  /// The internal address of a process.
  private func member(_ name: String, of system: TestSystem) throws -> String? {
    try system.member(name).addresses[0].text
  }
}
