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
    // It takes over the work of the stopped process and reports the wrong clock of its machine.
    let former = try system.member("track4run-1").process.int
    try system.stop("track4run-1")
    try await system.waitUntilReplaced("track4run-1", former)
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

  /// The internal address of a process.
  private func member(_ name: String, of system: TestSystem) throws -> String? {
    try system.member(name).addresses[0].text
  }
}
