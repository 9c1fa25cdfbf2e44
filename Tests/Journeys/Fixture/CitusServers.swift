import Foundation
import Support

/// Servers of Citus for a system of the journeys, instead of its embedded database:
/// `JOURNEYS_CITUS` names what `deploy/citus/build` made.
struct CitusServers {
  /// What `deploy/citus/build` made.
  let prefix: String
  /// The directory of the servers.
  let state: String

  /// The servers of a system in a directory; nil without `JOURNEYS_CITUS`.
  init?(of directory: String) {
    guard let prefix = ProcessInfo.processInfo.environment["JOURNEYS_CITUS"] else { return nil }
    self.prefix = prefix
    state = directory + "/citus"
  }

  /// The directory of the coordinator's socket.
  var coordinatorSockets: String { state + "/coordinator/socket" }

  /// The directories of the servers, the coordinator's first: each has a directory "data" and a
  /// file "log".
  var homes: [String] { ["coordinator", "worker-1", "worker-2"].map { "\(state)/\($0)" } }

  /// A script of `deploy/citus` with its arguments.
  func command(_ name: String) -> [String] { [scripts + "/" + name, prefix, state] }

  /// Starts a coordinator and two workers with the distributed schema, or those of them that do not
  /// run; returns the settings by which the programs connect.
  func start(_ environment: [String: String]) async throws -> [String: String] {
    let variables = environment.merging(["PROGRAMS": TestSystem.programs]) { $1 }
    let outcome = try await Program(command: command("start"), environment: variables).run()
    guard outcome.isSuccess else {
      throw FixtureProblem("Citus did not start: \(outcome.output)")
    }
    let lines = outcome.output.split(separator: "\n").filter { $0.hasPrefix("TRACKME_") }
    return Dictionary(
      lines.map { line in
        let parts = line.split(separator: "=", maxSplits: 1)
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
      }, uniquingKeysWith: { $1 })
  }

  private var scripts: String {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().path + "/deploy/citus"
  }
}
