import CLinux
import EventLoop
import Installation
import Operations

/// The embedded PostgreSQL cluster: created at the first start, reachable only through a private
/// socket, with a generated password for each role.
struct Cluster: Sendable {
  let directory: ClusterDirectory
  let programs: PostgresPrograms
  let passwords: DatabasePasswords
  let sockets: String

  init(_ installation: Installation) throws(StartError) {
    directory = try ClusterDirectory.choose(installation)
    programs = try PostgresPrograms.find(data: directory.data)
    passwords = DatabasePasswords(installation)
    sockets = installation.runDirectory.database
  }

  /// Creates a missing cluster, sets new passwords, and removes the remains of a killed server.
  /// Blocks, for seconds at the first start.
  func prepare(_ report: (String) -> Void) throws(StartError) {
    try directory.prepare()
    let hadPasswords = try passwords.prepare()
    if !directory.exists {
      try FreeSpace.check(directory.path)
      report("Creating the database in \(directory.path).")
      try ClusterBootstrap(cluster: self).make()
    } else {
      try StaleServer(cluster: self).clear(report)
      if !hadPasswords { try ClusterBootstrap(cluster: self).setPasswords(data: directory.data) }
    }
  }

  /// The server program; it shuts down by itself (fast mode, cleanly) when this process ends. A
  /// library preloaded into this process is also loaded into the server (ld.so(8)), which a test
  /// uses to fill its disk.
  var server: ProgramOrder {
    var order = order(
      "postgres", ["-D", directory.data] + ClusterSettings.arguments(sockets: sockets))
    order.environment["LD_PRELOAD"] = processEnvironment()["LD_PRELOAD"]
    return order.dying(with: SIGINT)
  }

  /// Whether the server accepts connections. Blocks for some milliseconds.
  func answers() -> Bool {
    do throws(SystemError) {
      let ask = order("pg_isready", ["--quiet", "--host", sockets, "--timeout", "2"])
      return try Tool.run(ask).status.isSuccess
    } catch {
      return false
    }
  }

  /// One of PostgreSQL's programs, run as the database user, outside the current directory.
  func order(_ program: String, _ arguments: [String]) -> ProgramOrder {
    ProgramOrder(
      executable: programs.program(program), arguments: arguments,
      environment: ["PATH": "\(programs.directory):/usr/bin:/bin", "LC_ALL": "C.UTF-8"],
      directory: "/", owner: directory.owner)
  }
}

extension ProgramOrder {
  /// The same program, which receives `signal` when this process ends.
  func dying(with signal: Int32) -> ProgramOrder {
    var order = self
    order.deathSignal = signal
    return order
  }
}
