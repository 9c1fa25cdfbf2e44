// PostgresFixture provides tests with a real PostgreSQL: one temporary cluster per test process,
// with a database per test, cloned from a template built by the migrations of sql/. Nothing
// remains: a watchdog stops the server and removes its files when the process ends, however it
// ends.

import Foundation
import Postgres

/// A PostgreSQL server for the tests of one process, reached through a Unix socket.
package final class TestCluster: Sendable {
  /// The cluster shared by tests; started on first use.
  package static let shared = Result { try TestCluster() }

  /// The directory of all files, including the socket; its path is short, as sockets require.
  package let directory: String
  private let commands: Commands
  /// The watchdog waits as long as this end is open.
  private let lifeline: FileHandle

  /// Starts a separate cluster for tests that stop or kill the server.
  package init() throws {
    commands = try Commands()
    let pattern = FileManager.default.temporaryDirectory.path + "/tmpg-XXXXXX"
    var bytes = Array(pattern.utf8CString)
    guard unsafe mkdtemp(&bytes) != nil else {
      throw FixtureError(description: "No temporary directory can be created at \(pattern).")
    }
    directory = String(decoding: bytes.dropLast().map(UInt8.init), as: UTF8.self)
    if Commands.isRoot, let user = unsafe getpwnam("postgres") {
      _ = unsafe chown(directory, user.pointee.pw_uid, user.pointee.pw_gid)
    }
    lifeline = try Self.startWatchdog(commands, directory)
    try commands.run(
      "initdb", "-D", "\(directory)/data", "-U", "postgres", "-A", "trust", "-E", "UTF8",
      "--locale=C.UTF-8", "--no-sync", "--no-instructions")
    try start()
  }

  /// Without fsync: the kernel keeps what a killed server has written, and only a machine crash,
  /// which no test causes, would lose it.
  private static let settings = """
    -c fsync=off -c full_page_writes=off -c listen_addresses='' -c max_connections=300 \
    -c shared_buffers=32MB -c max_wal_size=128MB \
    -c jit=off -c log_min_messages=warning -c log_min_error_statement=panic \
    -c log_line_prefix='%d '
    """

  private static func startWatchdog(
    _ commands: Commands, _ directory: String
  ) throws -> FileHandle {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0, fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0 else {
      throw FixtureError(description: "No pipe can be made.")
    }
    let stop = commands.command("pg_ctl", ["-D", "\(directory)/data", "-m", "immediate", "stop"])
    let watch = "trap '' INT TERM HUP; read -r line <&3; \(stop.joined(separator: " "));"
    // In the background of a shell that exits at once: an unreaped child would keep exit tests from
    // detecting the end of theirs.
    let script = "exec 3<&0; (\(watch) rm -rf \(directory)) &"
    let status = wait(for: try spawn(["/bin/sh", "-c", script], input: ends[0]))
    close(ends[0])
    guard status == 0 else {
      throw FixtureError(description: "The watchdog of the tests' server can't be started.")
    }
    return FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
  }

  /// Starts the server and waits until it accepts connections.
  /// `settings` are further ones, in the form of its command line.
  package func start(with settings: String = "") throws {
    try commands.run(
      "pg_ctl", "-D", "\(directory)/data", "-l", "\(directory)/log", "-w", "-o",
      Self.settings + " -c unix_socket_directories='\(directory)' " + settings, "start")
  }

  /// Stops the server: `fast` is an orderly shutdown, `immediate` a crash.
  package func stop(_ mode: String) throws {
    try commands.run("pg_ctl", "-D", "\(directory)/data", "-m", mode, "-w", "stop")
  }

  /// Crashes the server and starts it again.
  package func restart() throws {
    try commands.run(
      "pg_ctl", "-D", "\(directory)/data", "-l", "\(directory)/log", "-m", "immediate", "-w",
      "restart")
  }

  /// The URL of a database of this cluster, for a role.
  package func url(_ database: String, as role: String = "postgres") -> String {
    let host = directory.replacingOccurrences(of: "/", with: "%2F")
    return "postgresql://\(role)@\(host)/\(database)"
  }
}
