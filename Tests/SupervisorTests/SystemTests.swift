import EventLoop
import Foundation
import Installation
import Operations
import OperatorTool
import Support
import Testing
import Time

@Suite("The plan of a system")
struct ServicePlanTests {
  @Test("replicas start before the gateway, and metrics ports count up from the gateway's")
  func members() throws {
    let plan = try ServicePlan(data4help: 2, track4run: 1, metricsPort: 9080, sockets: "/run/t")
    #expect(plan.members.map(\.name) == ["data4help-1", "data4help-2", "track4run-1", "gateway"])
    #expect(plan.members.map(\.metricsPort) == [9081, 9082, 9083, 9080])
    #expect(plan.members[1].address == .unix(path: "/run/t/data4help-2.sock"))
  }

  @Test("each process receives its name, its address, and the addresses of the others")
  func variables() throws {
    let plan = try ServicePlan(data4help: 2, track4run: 1, metricsPort: 9080, sockets: "/run/t")
    #expect(
      plan.variables(for: plan.members[0]) == [
        "TRACKME_PROCESS": "data4help-1", "TRACKME_METRICS_PORT": "9081",
        "TRACKME_LISTEN": "unix:/run/t/data4help-1.sock",
        "TRACKME_TRACK4RUN_ADDRESSES": "unix:/run/t/track4run-1.sock",
      ])
    #expect(
      plan.variables(for: plan.members[3]) == [
        "TRACKME_PROCESS": "gateway", "TRACKME_METRICS_PORT": "9080",
        "TRACKME_DATA4HELP_ADDRESSES":
          "unix:/run/t/data4help-1.sock,unix:/run/t/data4help-2.sock",
        "TRACKME_TRACK4RUN_ADDRESSES": "unix:/run/t/track4run-1.sock",
      ])
  }

  @Test("the settings passed to a process are settings that it reads, with valid values")
  func known() throws {
    let plan = try ServicePlan(data4help: 1, track4run: 1, metricsPort: 9080, sockets: "/run/t")
    for member in plan.members {
      let variables = plan.variables(for: member)
      _ = try Settings.load(arguments: [], environment: variables, readFile: { _ in nil })
      for name in variables.keys {
        let setting = try #require(SettingTable.definition(named: name))
        #expect(setting.readers.contains(member.kind))
      }
    }
  }

  @Test("ports up to the last one are enough, one more is refused")
  func ports() throws {
    _ = try ServicePlan(data4help: 2, track4run: 1, metricsPort: 65_532, sockets: "/s")
    #expect(throws: StartError.self) {
      try ServicePlan(data4help: 2, track4run: 1, metricsPort: 65_533, sockets: "/s")
    }
  }
}

@Suite("Parts of the supervisor")
struct SupervisorPartsTests {
  @Test(
    "a service's role replaces the owner in a database's URL",
    arguments: [
      ("postgres://o:p@h:5/d?x=1", "postgres://u:s@h:5/d?x=1"),
      ("postgres://h/d", "postgres://u:s@h/d"),
      ("postgresql:///d?host=/run/x@y", "postgresql://u:s@/d?host=/run/x@y"),
    ])
  func replacingUser(_ given: String, _ expected: String) {
    #expect(DatabaseURLs.replacingUser(in: given, by: "u:s") == expected)
    #expect(DatabaseURLs.user(in: expected) == "u")
  }

  @Test("the state directory that make passes is the usual one, also with its whole path")
  func usualState() throws {
    let here = FileManager.default.currentDirectoryPath
    for (path, isUsual) in [
      (nil, true), (".trackme", true), ("\(here)/.trackme", true),
      (".trackme-second", false), ("\(here)/second/.trackme", false),
    ] as [(String?, Bool)] {
      let (settings, _) = try Settings.load(
        arguments: [], environment: path.map { ["TRACKME_STATE": $0] } ?? [:],
        readFile: { _ in nil })
      #expect(try Installation(settings, [:]).hasUsualState == isUsual, "\(path ?? "none")")
    }
  }

  @Test("a database's URL of a service's own role is used as it is, without stored passwords")
  func ownURL() async throws {
    try await withTemporaryDirectory { path in
      let own = "postgresql://data4help:p@h/d"
      let keys = "postgresql://trackme_owner:p@h/k"
      let environment = [
        "TRACKME_STATE": path, "TRACKME_DATABASE_URL": own, "TRACKME_KEYS_DATABASE_URL": keys,
      ]
      let (settings, _) = try Settings.load(
        arguments: [], environment: environment, commandFlags: [])
      let urls = try DatabaseURLs(try Installation(settings, environment))
      #expect(try urls.url(.data4help, .trackme).revealed == own)
      #expect(throws: StartError.self) { try urls.url(.data4help, .keys) }
      #expect(throws: StartError.self) { try urls.url(.track4run, .trackme) }
    }
  }

  @Test(
    "a disk with too little space is refused with the required size, one with enough is accepted")
  func room() throws {
    let error = #expect(throws: StartError.self) {
      try FreeSpace.check("/here", megabytesFree: 199)
    }
    #expect(error?.description.contains("/here has room for 199 MB") == true)
    try FreeSpace.check("/here", megabytesFree: 200)
    try FreeSpace.check("/")
  }

  @Test("a status word of the system is split into code and signal")
  func exitStatus() {
    #expect(ExitStatus(word: 0).isSuccess)
    #expect(ExitStatus(word: 3 << 8) == .code(3))
    #expect(ExitStatus(word: 9) == .signal(9))
    #expect(ExitStatus(word: 11 | 0x80) == .signal(11))
  }

  @Test(
    "the status shows each process, and is ready only if all are ready and the start is complete")
  func status() {
    let member = SystemStatus.Member(
      name: "gateway", process: 7, startedMicroseconds: 0, restarts: 2, addresses: ["http://x"],
      isReady: true)
    var status = SystemStatus(members: [member], isStarted: true)
    #expect(status.isReady)
    #expect(
      status.lines(now: Instant(microsecondsSince1970: 125_000_000))
        == ["gateway  ready  process 7  up 2 min  restarts 2  http://x"])
    status.members[0].isReady = false
    #expect(!status.isReady)
    #expect(!SystemStatus(members: [], isStarted: false).isReady)
  }

  @Test("a full log file is rotated, and only a fixed number is kept")
  func rotation() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "log-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appending(path: "a.log").path
    let log = try RotatingLog(path: path, bytesMax: 10)
    for number in 0..<8 { log.append(Array("line-\(number)---".utf8)[...]) }
    log.close()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "line-7---")
    #expect(try String(contentsOfFile: "\(path).4", encoding: .utf8) == "line-3---")
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
    #expect(files.count == 1 + RotatingLog.keptMax)
  }

  @Test("warnings and errors are also in a file of their own, whole and in their order")
  func warnings() async throws {
    let recorder = LogRecorder()
    let log = Log(process: "gateway", level: .debug, sink: recorder.sink)
    for number in 0..<80 {
      log.debug("replica checked", [.number("number", number)])
      log.info("request", [.number("number", number)])
      log.warning("replica is late", [.number("number", number)])
      log.error("request failed", [.number("number", number)])
    }
    let lines = recorder.lines
    // Several chunks of the forwarder, and less than a pipe holds.
    let output = Data(lines.map { "\($0)\na sentence about an error\n" }.joined().utf8)
    try await withTemporaryDirectory { directory in
      let path = "\(directory)/gateway.log"
      let loop = try EventLoop.start(name: "output")
      defer { loop.stop() }
      try await Task(executorPreference: loop) {
        let forwarder = try OutputForwarder(to: path, on: loop)
        try FileHandle(fileDescriptor: forwarder.descriptor, closeOnDealloc: false)
          .write(contentsOf: output)
        forwarder.close()
      }.value
      #expect(FileManager.default.contents(atPath: path) == output)
      let kept = try String(contentsOfFile: "\(path).warnings", encoding: .utf8)
      let expected = lines.filter { $0.contains(#""level":"warning""#) || $0.contains(#""error""#) }
      #expect(kept.split(separator: "\n").map(String.init) == expected)
      #expect(expected.count == 160)
    }
  }

  @Test("a program without warnings has no file for them")
  func noWarnings() async throws {
    try await withTemporaryDirectory { directory in
      let path = "\(directory)/postgres.log"
      let loop = try EventLoop.start(name: "output")
      defer { loop.stop() }
      try await Task(executorPreference: loop) {
        let forwarder = try OutputForwarder(to: path, on: loop)
        try FileHandle(fileDescriptor: forwarder.descriptor, closeOnDealloc: false)
          .write(contentsOf: Data("LOG:  database system is ready\n".utf8))
        forwarder.close()
      }.value
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["postgres.log"])
    }
  }

  @Test("the directory of sockets is short, unique for each state directory, and always the same")
  func runDirectory() {
    let deep = "/" + String(repeating: "deep/", count: 50)
    let first = RunDirectory.choose(forState: deep, environment: [:])
    #expect("\(first.services)/data4help-64.sock".utf8.count <= ServiceAddress.unixPathBytesMax)
    #expect(first == RunDirectory.choose(forState: deep, environment: [:]))
    #expect(first != RunDirectory.choose(forState: deep + "er", environment: [:]))
  }

  @Test("a directory of sockets created by another user, or a link, is refused")
  func symbolicLink() throws {
    let base = FileManager.default.temporaryDirectory.appending(path: "run-\(UUID())")
    let real = base.appending(path: "real")
    try FileManager.default.createDirectory(at: real, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: base) }
    let link = base.appending(path: "link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real.path)
    #expect(throws: StartError.self) {
      try RunDirectory(path: link).prepare(databaseOwner: nil)
    }
    try RunDirectory(path: base.appending(path: "fresh").path).prepare(databaseOwner: nil)
    // Readable by others, unlike a directory created by TrackMe.
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: real.path)
    #expect(throws: StartError.self) {
      try RunDirectory(path: real.path).prepare(databaseOwner: nil)
    }
  }
}
