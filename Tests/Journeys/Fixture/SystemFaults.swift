import Foundation
import Support
import Testing

extension TestSystem {
  /// The supervisor's status of a process.
  func member(_ name: String) throws -> JSONValue {
    let status = try JSONValue(
      Array(try Data(contentsOf: URL(filePath: state + "/status.json"))))
    return status.members.items.first { $0.name.text == name } ?? .null
  }

  /// The peak memory of a process of this installation, in bytes.
  func memoryMax(of name: String) throws -> Int {
    let process = try member(name).process.int ?? 0
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    guard let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw FixtureProblem("Process \(process) says nothing of its memory.")
    }
    return kibibytes * 1024
  }

  /// Kills a process of this installation, like a crash.
  func crash(_ name: String) throws {
    let process = try #require(try member(name).process.int, "\(name) does not run")
    kill(pid_t(process), SIGKILL)
  }

  /// Asks a process of this installation to stop, like an update.
  func stop(_ name: String) throws {
    let process = try #require(try member(name).process.int, "\(name) does not run")
    kill(pid_t(process), SIGTERM)
  }

  /// The value of a process's metric; 0 if missing.
  func metric(_ name: String, of member: String) async throws -> Int {
    let names = ["gateway", "data4help-1", "data4help-2", "track4run-1"]
    guard let place = names.firstIndex(of: member) else {
      throw FixtureProblem("\(member) is not a process with metrics.")
    }
    let outcome = try await Program(
      command: ["curl", "--silent", "http://127.0.0.1:\(Int(metricsPort) + place)/metrics"]
    ).run()
    try #require(outcome.isSuccess, "\(outcome.output)")
    let line = outcome.output.split(separator: "\n").first { $0.hasPrefix(name + " ") }
    return line.flatMap { Double($0.dropFirst(name.count + 1)) }.map(Int.init) ?? 0
  }

  /// Waits until a process other than `former` runs and is ready.
  func waitUntilReplaced(_ name: String, _ former: Int?) async throws {
    _ = try await eventually("the restart of \(name)") {
      let member = try member(name)
      return member.isReady == true && member.process.int != former ? true : nil
    }
  }

  /// Crashes the servers of the database and waits until they run again.
  func crashDatabase() async throws {
    let former = citus == nil ? try member("postgres").process.int : nil
    for home in databaseHomes {
      // The embedded server's end is not awaited, because `pg_ctl` cannot distinguish the restarted
      // server from the ending one.
      let waiting = citus == nil ? "-W" : "-w"
      let stop = ["pg_ctl", "-D", home + "/data", "-m", "immediate", waiting, "stop"]
      let outcome = try await postgres(stop)
      guard outcome.isSuccess else { throw FixtureProblem("pg_ctl: \(outcome.output)") }
    }
    guard citus == nil else { return try await startDatabase() }
    try await waitUntilReplaced("postgres", former)
  }

  /// Starts servers of Citus that ended, and waits until all accept connections; a server that
  /// recovers from a crash may end by itself. The supervisor restarts the embedded server.
  func startDatabase() async throws {
    guard let citus else { return }
    _ = try await eventually("the servers of Citus", within: .seconds(180)) { () -> Bool? in
      do { _ = try await citus.start(environment) } catch { return nil }
      for home in citus.homes {
        let outcome = try await postgres(["pg_isready", "-q", "-h", home + "/socket"])
        guard outcome.isSuccess else { return nil }
      }
      return true
    }
  }

  /// Suspends every process of the database, which then neither answers nor refuses, like behind a
  /// network that drops packets; or resumes them.
  func setDatabaseHanging(_ isHanging: Bool) throws {
    for home in databaseHomes { try Self.setHanging(isHanging, home + "/data/postmaster.pid") }
  }

  private static func setHanging(_ isHanging: Bool, _ file: String) throws {
    let server = try String(contentsOfFile: file, encoding: .utf8).prefix { $0 != "\n" }
    guard let postmaster = pid_t(server) else { throw FixtureProblem("No postmaster runs.") }
    // The postmaster first, because it creates the others.
    kill(postmaster, isHanging ? SIGSTOP : SIGCONT)
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
      guard let process = pid_t(name),
        let status = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
        let rest = status.split(separator: ")").last,
        rest.split(separator: " ").dropFirst().first.flatMap({ pid_t($0) }) == postmaster
      else { continue }
      kill(process, isHanging ? SIGSTOP : SIGCONT)
    }
  }

  /// Runs a PostgreSQL program as the user of the database's servers.
  func postgres(
    _ command: [String], environment: [String: String] = [:]
  ) async throws -> Program.Outcome {
    let versions = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")
    guard let newest = versions.compactMap(Int.init).max() else {
      throw FixtureProblem("PostgreSQL is not installed.")
    }
    let program = "/usr/lib/postgresql/\(newest)/bin/\(command[0])"
    let user = getuid() == 0 ? ["/usr/sbin/runuser", "-u", "postgres", "--"] : []
    let inRoot = ["/bin/sh", "-c", "cd / && exec \"$@\"", "sh"]
    return try await Program(
      command: inRoot + user + [program] + command.dropFirst(), environment: environment
    ).run()
  }

  /// The directories of the database's servers, each with a directory "data"; the first one has
  /// everything but the samples that Citus distributed.
  var databaseHomes: [String] { citus?.homes ?? [state + "/postgres"] }

  /// Where the servers write what happens, in the order of `databaseHomes`.
  var databaseLogs: [String] {
    citus?.homes.map { $0 + "/log" } ?? [state + "/logs/postgres.log"]
  }

  /// A PostgreSQL program's arguments and environment with which it connects as a role.
  func connecting(
    as role: String
  ) throws -> (arguments: [String], environment: [String: String]) {
    // The kernel names the user to Citus.
    if let citus { return (["-h", citus.coordinatorSockets, "-U", role], [:]) }
    let sockets = try #require(try member("postgres").addresses[0].text)
    let password = try String(
      contentsOfFile: state + "/keys/database/\(role).password", encoding: .utf8)
    return (["-h", sockets, "-U", role], ["PGPASSWORD": password.filter { !$0.isNewline }])
  }

  /// Runs SQL as the superuser of a database; returns the result.
  @discardableResult
  func superuser(_ sql: String, in database: String = "trackme") async throws -> String {
    let (arguments, environment) = try connecting(as: "postgres")
    let outcome = try await postgres(
      ["psql", "-X", "-q", "-A", "-t"] + arguments + ["-d", database, "-c", sql],
      environment: environment)
    try #require(outcome.isSuccess, "\(outcome.output)")
    return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
