import Foundation
import Support

/// The reason why the fixture has no database, with its remedy.
package struct FixtureError: Error, CustomStringConvertible {
  /// The sentence.
  package let description: String
}

/// Runs the programs of PostgreSQL, as the user `postgres` if the process is root (they reject
/// root).
struct Commands {
  let binaries: String

  /// Finds the newest installation of version 15 or later.
  init() throws {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    guard let newest = versions.compactMap(Int.init).filter({ $0 >= 15 }).max() else {
      throw FixtureError(
        description: """
          These tests need PostgreSQL 15 or later, and none is under \(root). \
          Install it with: apt-get install postgresql-15
          """)
    }
    binaries = "\(root)/\(newest)/bin"
  }

  static var isRoot: Bool { getuid() == 0 }

  /// The command that runs a program of PostgreSQL, as the correct user.
  func command(_ program: String, _ arguments: [String]) -> [String] {
    let command = ["\(binaries)/\(program)"] + arguments
    return Self.isRoot ? ["/usr/sbin/runuser", "-u", "postgres", "--"] + command : command
  }

  /// Runs a program to completion; throws unless it succeeds.
  func run(_ program: String, _ arguments: String...) throws {
    let status = wait(for: try spawn(command(program, arguments), input: nil))
    guard status == 0 else {
      throw FixtureError(
        description: "\(program) ended with status \(status >> 8); see the cluster's log.")
    }
  }
}

/// Waits for a child and returns its exit status word.
func wait(for process: pid_t) -> Int32 {
  var status: Int32 = 0
  while unsafe waitpid(process, &status, 0) == -1, errno == EINTR {}
  return status
}

/// Starts a program in the temporary directory, with the given input or none.
/// Foundation's `Process` would wait for the server too, which inherits what it waits on.
func spawn(_ command: [String], input: Int32?) throws -> pid_t {
  let inDirectory = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", NSTemporaryDirectory()]
  let program = Program(
    command: inDirectory + command, environment: ProcessInfo.processInfo.environment)
  return try program.start(input: input)
}
