import CLinux
import EventLoop
import Operations

/// The embedded PostgreSQL: made on first start, reached through one private socket, with a
/// generated password for every role.
struct Cluster: Sendable {
  let place: ClusterPlace
  let programs: PostgresPrograms
  let passwords: DatabasePasswords
  let sockets: String

  init(_ installation: Installation) throws(StartError) {
    place = try ClusterPlace.choose(installation)
    programs = try PostgresPrograms.find(data: place.data)
    passwords = DatabasePasswords(directory: installation.state.file("keys/database"))
    sockets = installation.runDirectory.database
  }

  /// The URL by which `role` reaches a database, with its password.
  func url(_ role: DatabaseRole, _ database: DatabaseName) throws(StartError) -> Secret {
    let password = try passwords.password(of: role).text
    return Secret(
      "postgresql://\(role.rawValue):\(password)@/\(database.rawValue)?host=\(sockets)")
  }

  /// Makes the cluster when there is none, sets passwords that are new, and clears what a killed
  /// server left. It blocks for seconds the first time.
  func prepare(_ tell: (String) -> Void) throws(StartError) {
    try place.prepare()
    let hadPasswords = try passwords.prepare()
    if !place.exists {
      try FreeSpace.check(place.directory)
      tell("Making the database in \(place.directory).")
      try ClusterBootstrap(cluster: self).make()
    } else {
      try StaleServer(cluster: self).clear(tell)
      if !hadPasswords { try ClusterBootstrap(cluster: self).setPasswords(data: place.data) }
    }
  }

  /// The server as a program to be started; it ends by itself (fast, cleanly) with this process.
  /// A library that was preloaded into this process is into the server too (ld.so(8)): so a test
  /// fills its disk.
  var server: ProgramOrder {
    var order = order("postgres", ["-D", place.data] + ClusterSettings.arguments(sockets: sockets))
    order.environment["LD_PRELOAD"] = processEnvironment()["LD_PRELOAD"]
    return order.dying(with: SIGINT)
  }

  /// Whether the server takes connections. It blocks for some milliseconds.
  func answers() -> Bool {
    do throws(SystemError) {
      let ask = order("pg_isready", ["--quiet", "--host", sockets, "--timeout", "2"])
      return try Tool.run(ask).status.isSuccess
    } catch {
      return false
    }
  }

  /// One of PostgreSQL's programs, as the user of the database, away from our directory.
  func order(_ program: String, _ arguments: [String]) -> ProgramOrder {
    ProgramOrder(
      executable: programs.program(program), arguments: arguments,
      environment: ["PATH": "\(programs.directory):/usr/bin:/bin", "LC_ALL": "C.UTF-8"],
      directory: "/", owner: place.owner)
  }
}

extension ProgramOrder {
  /// The same, to get `signal` when this process ends.
  func dying(with signal: Int32) -> ProgramOrder {
    var order = self
    order.deathSignal = signal
    return order
  }
}
