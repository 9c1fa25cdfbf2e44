import Foundation
import Operations
import OperatorTool
import Requirements
import Support
import Testing

/// The built tool with its own embedded PostgreSQL; the services are scripts.
@Suite("A whole system", .serialized)
struct WholeSystemTests {
  private func withCopy(_ body: (Copy) async throws -> Void) async throws {
    let copy = try Copy()
    defer { copy.remove() }
    try await body(copy)
  }

  private func query(_ copy: Copy, _ file: String, _ sql: String) throws -> String {
    let url = try String(
      contentsOfFile: "\(copy.state)/keys/database/\(file)", encoding: .utf8)
    let outcome = try Copy.execute(
      URL(filePath: "/usr/bin/psql"),
      ["-XAtq", url.trimmingCharacters(in: .whitespacesAndNewlines), "-c", sql], environment: [:])
    return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test("a system starts with its database, refuses a second instance, stops, and starts again")
  func life() async throws {
    try await withCopy { copy in
      let start = try copy.run("start")
      #expect(start.code == 0, "\(start.output)")
      #expect(start.output.contains("http://localhost:\(copy.ports[0])"))
      #expect(try copy.run("status").code == 0)
      let twin = try copy.run("run")
      #expect(twin.code == 1)
      #expect(twin.output.hasPrefix("TrackMe is already running on \(copy.state)"))
      #expect(twin.output.contains("https://127.0.0.1:\(copy.ports[1])"), "\(twin.output)")
      #expect(twin.output.contains("TRACKME_HTTP_PORT"))
      let repeated = try copy.run("start")
      #expect(repeated.code == 0, "\(repeated.output)")
      #expect(repeated.output.hasPrefix("TrackMe is already running on \(copy.state)"))
      #expect(repeated.output.contains("http://localhost:\(copy.ports[0])"))

      let role = "data4help.trackme.url"
      #expect(try query(copy, role, "SHOW data_checksums") == "on")
      #expect(try query(copy, role, "SHOW jit") == "off")
      #expect(try query(copy, role, "SHOW listen_addresses") == "")
      #expect(try query(copy, role, "SELECT current_user") == "data4help")
      #expect(try query(copy, role, "CREATE ROLE x").contains("permission denied"))

      let processes = try copy.members().values.compactMap(\.process)
      #expect(processes.count == 4)
      let stop = try copy.run("stop")
      #expect(stop.code == 0, "\(stop.output)")
      #expect(!processes.contains(where: Copy.isRunning))
      #expect(try copy.run("status").code == 1)

      try copy.start()
    }
  }

  @Test("a killed process restarts; after the supervisor is killed all end, and it can start again")
  func killed() async throws {
    try await withCopy { copy in
      try copy.start()
      for name in ["data4help-1", "postgres"] {
        let victim = try #require(try copy.members()[name]?.process)
        kill(victim, SIGKILL)
        try await eventually("\(name) again", within: .seconds(120)) {
          let member = try copy.members()[name]
          return member?.restarts ?? 0 >= 1 && member?.isReady == true
        }
      }
      let processes = try copy.members().values.compactMap(\.process)
      let supervisor = try String(contentsOfFile: "\(copy.state)/trackme.pid", encoding: .utf8)
      kill(try #require(Int32(supervisor.dropLast())), SIGKILL)
      try await eventually("the end of all", within: .seconds(120)) {
        !processes.contains(where: Copy.isRunning)
      }
      try copy.start()
    }
  }

  @Test(
    "secrets are readable by their owner only, and a lost master key is not replaced", .tags(.NFR_5)
  )
  func keys() async throws {
    try await withCopy { copy in
      try copy.start()
      for name in [
        "keys/master.key", "keys/root.secret", "keys/push.key", "keys/database/postgres.password",
      ] {
        let attributes = try FileManager.default.attributesOfItem(
          atPath: "\(copy.state)/\(name)")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
      }
      #expect(try copy.run("stop").code == 0)
      try FileManager.default.removeItem(atPath: "\(copy.state)/keys/master.key")
      let start = try copy.run("start")
      #expect(start.code == 1)
      #expect(start.output.contains("master.key is missing"))
    }
  }

  @Test(
    "a start publishes the templates of documents once, and none where the operator wants none",
    .tags(.ACC_2, .NFR_6))
  func templates() async throws {
    try await withCopy { copy in
      let counts = """
        SELECT (SELECT count(*) FROM data4help.documents WHERE version = 'template-1'),
               (SELECT count(*) FROM data4help.documents),
               (SELECT count(*) FROM data4help.document_translations)
        """
      for (setting, expected, isFirst) in [
        ("none", "0|0|0", false), ("templates", "4|4|8", true), ("templates", "4|4|8", false),
      ] {
        let start = try copy.run("start", "--documents", setting)
        #expect(start.code == 0, "\(start.output)")
        #expect(try query(copy, "data4help.trackme.url", counts) == expected)
        let log = try String(contentsOfFile: "\(copy.state)/logs/supervisor.log", encoding: .utf8)
        #expect(log.contains("(privacy, terms, liability, jurisdiction)") == isFirst)
        #expect(try copy.run("stop").code == 0)
      }
    }
  }

  @Test("without the lab a system starts, and says why it has no demo data")
  func withoutLab() async throws {
    try await withCopy { copy in
      let start = try copy.run("start", "--demo", "1")
      #expect(start.code == 0, "\(start.output)")
      #expect(!start.output.contains("simulate run"))
      let log = try String(contentsOfFile: "\(copy.state)/logs/supervisor.log", encoding: .utf8)
      #expect(
        log.contains(
          "No demo data is loaded: \(copy.directory.path)/trackme-lab is missing, which `make "
            + "build` builds. TRACKME_DEMO=0 asks for none.\n"))
      #expect(try copy.run("status").code == 0)
    }
  }

  @Test("a service that cannot start fails the start with its own error, and everything stops")
  func failingService() async throws {
    try await withCopy { copy in
      try copy.install(
        "#!/bin/sh\necho '{\"level\":\"info\"}'\necho 'Port 1 is in use.' >&2\nexit 1\n",
        as: "gateway")
      let start = try copy.run("start")
      #expect(start.code == 1)
      #expect(start.output == "gateway: Port 1 is in use.\n")
      #expect(try copy.run("status").code == 1)
    }
  }

  @Test(
    "a program that cannot start leaves the former process, and the next attempt replaces it",
    .tags(.OPS_4))
  func replacement() async throws {
    try await withCopy { copy in
      try copy.start()
      try copy.install("#!/bin/sh\necho 'Port 1 is in use.' >&2\nexit 1\n", as: "gateway")
      let refused = try copy.run("replace", "gateway")
      #expect(refused.code == 1)
      #expect(
        refused.output.hasSuffix("gateway: Port 1 is in use. The former process stays.\n"),
        "\(refused.output)")
      #expect(try copy.run("status").code == 0)
      try copy.install(Copy.service, as: "gateway")
      let replaced = try copy.run("replace")
      #expect(replaced.code == 0, "\(replaced.output)")
      #expect(try copy.run("status").code == 0)
    }
  }

  @Test("a port in use is reported in one plain line before anything is started")
  func portInUse() async throws {
    try await withCopy { copy in
      let listening = try Listening(port: copy.ports[0])
      defer { listening.close() }
      let outcome = try copy.run("run")
      #expect(outcome.code == 1)
      #expect(outcome.output.contains("TRACKME_STATE = \(copy.state) (environment)\n"))
      #expect(
        outcome.output.hasSuffix(
          "Port \(copy.ports[0]) is in use: choose another with TRACKME_HTTP_PORT.\n"))
      #expect(!FileManager.default.fileExists(atPath: "\(copy.state)/postgres"))
    }
  }

  @Test("all ports in use are reported in one line, with the settings that select others")
  func portsInUse() async throws {
    try await withCopy { copy in
      let listening = try copy.ports.map { try Listening(port: $0) }
      defer { for each in listening { each.close() } }
      let outcome = try copy.run("run")
      #expect(outcome.code == 1)
      #expect(
        outcome.output.hasSuffix(
          "Ports \(copy.ports[0]) (TRACKME_HTTP_PORT), \(copy.ports[1]) (TRACKME_HTTPS_PORT), "
            + "\(copy.ports[2]) (TRACKME_METRICS_PORT) are in use, perhaps by another copy: "
            + "choose others with these settings.\n"))
    }
  }

  @Test("an unknown command and an unknown flag are reported with an exit code other than 0")
  func wrongArguments() async throws {
    try await withCopy { copy in
      #expect(try copy.run("rum").code == 2)
      let outcome = try copy.run("run", "--http-prot", "1")
      #expect(outcome.code == 1)
      #expect(outcome.output.contains("did you mean --http-port?"))
    }
  }
}
