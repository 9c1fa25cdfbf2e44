import Foundation
import Requirements
import Support
import Testing

/// A running `trackme-lab simulate device` whose output and input the test controls.
private final class RunningPhone {
  let file: String
  private let system: TestSystem
  private var starts = 0
  private var output = ""
  private var input: FileHandle?
  private var process: pid_t = 0

  init(_ system: TestSystem) {
    self.system = system
    file = system.directory + "/phone-\(UUID().uuidString)"
  }

  /// Starts it with these arguments in addition to its file.
  func start(_ arguments: String..., port: UInt16? = nil) throws {
    starts += 1
    output = "\(file)-\(starts).log"
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0, fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0 else {
      throw FixtureProblem("No pipe can be created.")
    }
    process = try Program(
      command: [TestSystem.programs + "/trackme-lab", "simulate", "device", "--file", file]
        + arguments,
      environment: [
        "TRACKME_STATE": system.state, "TRACKME_HTTPS_PORT": "\(port ?? system.httpsPort)",
      ]
    ).start(input: ends[0], output: output)
    close(ends[0])
    input = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
  }

  var said: String {
    String(decoding: (try? Data(contentsOf: URL(filePath: output))) ?? Data(), as: UTF8.self)
  }

  func type(_ line: String) throws { try input?.write(contentsOf: Data((line + "\n").utf8)) }

  /// Waits for this output.
  func expect(_ words: String) async throws {
    _ = try await eventually("the phone's \"\(words)\"") { said.contains(words) ? true : nil }
  }

  /// Waits for its end; returns whether it succeeded.
  func end() async throws -> Bool {
    let process = process
    let status: Int32 = try await eventually("the phone's end") {
      var status: Int32 = 0
      return unsafe waitpid(process, &status, WNOHANG) == process ? status : nil
    }
    return status == 0
  }

  /// Kills it, like switching off a phone.
  func kill() {
    Foundation.kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }

  /// Pairs it: the person enters the code that it shows.
  func pair(_ user: SingleUser) async throws {
    try start("--count", "1", "--profile", "rest")
    let code = try await eventually("the phone's code") {
      said.firstMatch(of: /code (\d{6})/).map { String($0.1) }
    }
    let accepted = try await user.post(
      "/devices/pair/confirm", ["code": .text(code), "accept": true])
    try #require(accepted.outcome == .ok, "\(accepted.text)")
    #expect(try await end(), "\(said)")
  }

  /// A recording with tachycardia of this duration, three readings a second, after some seconds of
  /// rest.
  func recording(seconds: Double, afterRest rest: Int = 1) throws -> String {
    let name = file + ".csv"
    let began = Date()
    var lines = ["timestamp,dataType,value", "\(TestTimes.text(began)),heartRate,70"]
    for place in 0..<Int(seconds * 3) {
      let time = TestTimes.text(after: .milliseconds(rest * 1000 + place * 1000 / 3), began)
      lines.append("\(time),heartRate,\(131 + place % 9)")
    }
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: name))
    return name
  }
}

@Suite("The simulated phone in an emergency, through the gateway", .serialized)
struct PhoneJourney {
  /// Seconds in which a started phone receives the account's settings. A warning before that has a
  /// window of five seconds, whatever the setting of the service.
  private static let untilSettings = 5

  @Test(
    "the phone warns and counts down, and a typed line aborts: no call is made",
    .tags(.SOS_10, .SOS_4), .timeLimit(.minutes(5)))
  func typed() async throws {
    let system = try await TestSystem.withMinuteToAbort()
    let user = try await system.monitoredUser()
    let phone = RunningPhone(system)
    try await phone.pair(user)
    let recording = try phone.recording(seconds: 8, afterRest: Self.untilSettings)
    try phone.start("--recording", recording, "--every", "1")
    try await phone.expect("evaluating with the account's thresholds")
    try await phone.expect("WARNING, heartRateHigh: press Enter to abort")
    try await phone.expect("TrackMe knows of it")
    try phone.type("")
    try await phone.expect("aborted: no call is made")
    try await phone.expect("TrackMe has aborted it")
    #expect(try await phone.end(), "\(phone.said)")
    let history = try await user.json("/sos/history").episodes
    #expect(history.count == 1)
    #expect((history[0].stage, history[0].calls.count) == ("aborted", 0))
    try await expectQuiet(phone, user)
  }

  @Test(
    "after a cardiac arrest the phone warns, TrackMe knows the emergency, and it can be aborted",
    .tags(.SOS_13, .SOS_10, .SOS_4), .timeLimit(.minutes(3)))
  func cardiacArrest() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.monitoredUser()
    let phone = RunningPhone(system)
    try await phone.pair(user)
    try phone.start("--profile", "cardiac-arrest", "--every", "1", "--count", "60")
    try await phone.expect("WARNING, lossOfPulse: press Enter to abort")
    try await phone.expect("TrackMe knows of it")
    try phone.type("")
    try await phone.expect("TrackMe has aborted it")
    #expect(try await phone.end(), "\(phone.said)")
    let history = try await user.json("/sos/history").episodes
    #expect(history.count == 1)
    #expect((history[0].rule, history[0].stage) == ("lossOfPulse", "aborted"))
  }

  /// For ten minutes the same readings belong to the aborted emergency: the phone only shows that
  /// no call is made.
  private func expectQuiet(_ phone: RunningPhone, _ user: SingleUser) async throws {
    let recording = try phone.recording(seconds: 8, afterRest: Self.untilSettings)
    try phone.start("--recording", recording, "--every", "1", "--abort-after", "30")
    try await phone.expect("WARNING, heartRateHigh")
    #expect(try await phone.end(), "\(phone.said)")
    let said = phone.said
    #expect(said.contains("TrackMe is quiet after your abort until "), "\(said)")
    #expect(said.contains("no call is made. If you need help call 112."), "\(said)")
    for untrue in ["help is called", "TrackMe knows of it", "aborted: no call", "too late"] {
      #expect(!said.contains(untrue), "\(said)")
    }
    let history = try await user.json("/sos/history").episodes
    #expect((history.count, history[0].calls.count) == (1, 0))
  }

  @Test(
    "the phone raises the alert, readings confirm it, one call is made after the window",
    .tags(.SOS_10, .SOS_7, .DAT_9), .timeLimit(.minutes(3)))
  func called() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.monitoredUser()
    #expect(try await user.post("/sos/thresholds", ["heartRateHigh": 110]).outcome == .ok)
    let phone = RunningPhone(system)
    try await phone.pair(user)
    try phone.start(
      "--recording", try phone.recording(seconds: 7), "--every", "1", "--at", "45.4642,9.19")
    try await phone.expect("heartRateHigh 110")
    try await phone.expect("confirmed: help is called at the end of the window")
    // A busy machine may skip some of the five seconds.
    try await phone.expect(" s to abort")
    try await phone.expect("help is called")
    let emergency = try await eventually("the call") {
      let history = try await user.json("/sos/history").episodes
      return history[0].calls.count > 0 ? history : nil
    }
    #expect(emergency.count == 1)
    #expect(emergency[0].position.coordinate == "45.4642,9.19")
    #expect(emergency[0].readings.count >= 2)
    #expect(try await phone.end(), "\(phone.said)")
    // The phone samples once a second, and three times a second during the warning.
    let points = try await user.json("/data/series?type=heartRate").points
    let times = points.items.compactMap { $0.time.text.flatMap(TestTimes.seconds) }.sorted()
    let shortGaps = zip(times, times.dropFirst()).count { $0.1 - $0.0 < 0.5 }
    #expect(shortGaps >= 3, "\(times)")
    let document: JSONValue = ["episodeID": emergency[0].episodeID]
    #expect(try await user.post("/sos/falseAlarm", document).outcome == .ok)
  }

  @Test(
    "an emergency raised by the service is shown on the phone, and aborted there",
    .tags(.SOS_4), .timeLimit(.minutes(3)))
  func drill() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.monitoredUser()
    let phone = RunningPhone(system)
    try await phone.pair(user)
    try phone.start("--every", "1", "--abort-after", "1")
    defer { phone.kill() }
    try await phone.expect("sent 1")
    // The stream may open after the first upload: drills are repeated until one is received.
    _ = try await eventually("a drill on the phone", within: .seconds(60)) {
      _ = try await user.post("/sos/drill", nil)
      try await pause(.milliseconds(500))
      return phone.said.contains("DRILL of TrackMe") ? true : nil
    }
    try await phone.expect("TrackMe has aborted it")
    _ = try await eventually("the end in the history") {
      try await user.json("/sos/history").episodes[0].stage == "aborted" ? true : nil
    }
  }

  @Test(
    "without the gateway the phone still warns and keeps its samples, also through a restart",
    .tags(.SOS_10, .DAT_9), .timeLimit(.minutes(3)))
  func unavailable() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let phone = RunningPhone(system)
    try await phone.pair(user)
    // Nothing listens on the port of the discard service.
    try phone.start("--recording", try phone.recording(seconds: 7), "--every", "1", port: 9)
    try await phone.expect("the gateway is unreachable")
    try await phone.expect("WARNING, heartRateHigh")
    try await phone.expect("help is needed and TrackMe is unreachable: call 112")
    phone.kill()
    try phone.start("--count", "1")
    #expect(try await phone.end(), "\(phone.said)")
    let points = try await user.get("/data/series?type=heartRate").json.points
    #expect(points.count >= 2 + 10, "\(points)")
  }
}
