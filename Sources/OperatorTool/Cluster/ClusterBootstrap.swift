import CLinux
import EventLoop
import Installation
import Operations

/// Creates the cluster next to its final place and renames it when it is complete, so that an
/// interrupted start leaves no partial cluster.
///
/// Roles, passwords and databases are created in single-user mode, before any client can connect.
struct ClusterBootstrap {
  let cluster: Cluster

  private var fresh: String { "\(cluster.directory.path)/data.new" }

  func make() throws(StartError) {
    try run(cluster.order("rm", ["-rf", fresh]).at("/bin/rm"))
    try run(
      cluster.order(
        "initdb",
        [
          "--pgdata", fresh, "--username", DatabaseRole.postgres.rawValue, "--encoding", "UTF8",
          "--lc-collate", "C", "--lc-ctype", "C.UTF-8", "--auth", "reject", "--data-checksums",
          "--no-instructions",
        ]))
    try setPasswords(data: fresh)
    let databases = DatabaseName.allCases.map { name in
      "CREATE DATABASE \(name.rawValue) OWNER \(DatabaseRole.owner.rawValue);"
    }
    try single(databases, data: fresh)
    // SAFETY: the texts are passed as C strings for the call.
    if unsafe rename(fresh, cluster.directory.data) != 0 {
      throw StartError("The new database cannot be renamed", .last("rename"))
    }
  }

  /// Creates missing roles and sets every role's password from its file; no server may be running.
  func setPasswords(data: String) throws(StartError) {
    var statements: [String] = []
    for role in DatabaseRole.allCases {
      let name = role.rawValue
      let password = try cluster.passwords.password(of: role).text
      if role != .postgres {
        statements.append(
          "DO $$BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '\(name)') "
            + "THEN CREATE ROLE \(name) LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE; END IF; END$$;")
      }
      statements.append("ALTER ROLE \(name) PASSWORD '\(password)';")
    }
    try single(statements, data: data)
    do throws(SystemError) {
      try FileSystem.writeAtomically(
        "\(data)/pg_hba.conf", Array(ClusterSettings.hostBasedAuthentication.utf8),
        owner: cluster.directory.owner)
    } catch {
      throw StartError("The database's access rules cannot be written", error)
    }
  }

  /// Runs one statement per line (postgres(1), single-user mode). Errors don't show its output,
  /// because it repeats the failed statement including a password.
  private func single(_ statements: [String], data: String) throws(StartError) {
    let arguments = [
      "--single", "-D", data, "-c", "log_min_error_statement=panic", "-c", "log_statement=none",
      "postgres",
    ]
    let outcome = try outcome(
      cluster.order("postgres", arguments), input: statements.joined(separator: "\n") + "\n")
    guard outcome.status.isSuccess, !outcome.output.contains("ERROR:") else {
      throw StartError("The database's roles cannot be created: postgres --single failed.")
    }
  }

  private func run(_ order: ProgramOrder) throws(StartError) {
    let outcome = try outcome(order, input: "")
    guard outcome.status.isSuccess else {
      throw StartError(
        "The database cannot be created: \(order.executable) \(outcome.status) "
          + "(\(outcome.lastLine)).")
    }
  }

  private func outcome(_ order: ProgramOrder, input: String) throws(StartError) -> Tool.Outcome {
    do throws(SystemError) {
      return try Tool.run(order, input: input)
    } catch {
      throw StartError("The database cannot be created", error)
    }
  }
}

extension ProgramOrder {
  /// The same order with another program.
  func at(_ path: String) -> ProgramOrder {
    var order = self
    order.executable = path
    return order
  }
}
