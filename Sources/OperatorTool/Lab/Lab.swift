import CLinux
import Installation
import Operations

/// The program `trackme-lab` beside this one, which loads demo data and serves the broker for
/// trying payments. An installation in production has none.
struct Lab: Sendable {
  private let installation: Installation
  let executable: String

  init(_ installation: Installation) {
    self.installation = installation
    executable = "\(installation.programs)/trackme-lab"
  }

  var isPresent: Bool { FileSystem.exists(executable) }

  /// The part of a sentence that names the missing program and how to get it.
  var missing: String { "\(executable) is missing, which `make build` builds" }

  /// A command of the lab for this installation; it ends when this process does.
  func order(_ command: String) -> ProgramOrder {
    var environment = installation.settings.environment(for: .trackme)
    environment[SettingTable.state.definition.name] = installation.state.path
    environment[RunDirectory.variable] = processEnvironment()[RunDirectory.variable]
    return ProgramOrder(
      executable: executable, arguments: [command], environment: environment,
      deathSignal: SIGTERM)
  }
}
