// Installation: the code that the operator's tool and the lab share. It finds an installation with
// its settings, directories, programs and databases, runs the command that the arguments name, and
// prints for a terminal. The services do not import it: their supervisor passes them everything.
import Foundation
import Operations

/// One installation on this machine: its settings, directories and programs.
package struct Installation: Sendable {
  /// The settings of this process.
  package let settings: Settings
  /// The state directory, with an absolute path.
  package let state: StateDirectory
  /// The directory of the sockets.
  package let runDirectory: RunDirectory
  /// The directory of all programs, the same as that of this one.
  package let programs: String

  /// Reads the settings; `arguments` are the arguments after the command's name. The operands are
  /// the arguments that are not settings.
  ///
  /// - Throws: `StartError` for the first wrong setting.
  package static func read(
    _ arguments: [String], commandFlags: Set<String> = []
  ) throws(StartError) -> (installation: Installation, operands: [String]) {
    do throws(SettingsError) {
      let environment = processEnvironment()
      let (settings, operands) = try Settings.load(
        arguments: arguments, environment: environment, commandFlags: commandFlags)
      return (try Installation(settings, environment), operands)
    } catch {
      throw StartError(error)
    }
  }

  /// Finds the installation for a command without operands that needs only its state directory. A
  /// fault in the settings file is a warning, so that the command works in spite of it.
  ///
  /// - Throws: `StartError` for the first wrong flag or variable, and for an operand.
  package static func find(_ arguments: [String]) throws(StartError) -> Installation {
    let found: (settings: Settings, operands: [String], fault: SettingsError?)
    let installation: Installation
    do throws(SettingsError) {
      let environment = processEnvironment()
      found = try Settings.loadState(arguments: arguments, environment: environment)
      installation = try Installation(found.settings, environment)
    } catch {
      throw StartError(error)
    }
    try Commands.refuse(found.operands)
    if let fault = found.fault { Terminal.complain("Warning: \(fault.description)") }
    return installation
  }

  /// The installation of these settings; `environment` decides on the directory of the sockets.
  ///
  /// - Throws: `SettingsError` for a wrong `TRACKME_STATE`.
  package init(
    _ settings: Settings, _ environment: [String: String]
  ) throws(SettingsError) {
    let path = Self.absolutePath(try settings.value(SettingTable.state))
    self.settings = settings
    state = StateDirectory(path: path)
    runDirectory = .choose(forState: path, environment: environment)
    programs =
      URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().path
  }

  /// Whether the state directory is the one that commands in the working directory use without
  /// `TRACKME_STATE`, which `make` always passes.
  package var hasUsualState: Bool {
    state.path == Self.absolutePath(SettingTable.state.definition.absent.shown)
  }

  /// The value of a setting.
  ///
  /// - Throws: `StartError` with a sentence about an invalid value.
  package func value<Value>(_ setting: Setting<Value>) throws(StartError) -> Value {
    do throws(SettingsError) {
      return try settings.value(setting)
    } catch {
      throw StartError(error)
    }
  }

  /// The value of an optional setting.
  ///
  /// - Throws: `StartError` with a sentence about an invalid value.
  package func optional<Value>(_ setting: Setting<Value>) throws(StartError) -> Value? {
    do throws(SettingsError) {
      return try settings.optional(setting)
    } catch {
      throw StartError(error)
    }
  }

  /// Creates the state directory. Root's is searchable by other users, so that the database can run
  /// as another user inside it; its content is protected from them.
  ///
  /// - Throws: `StartError` if a directory cannot be created.
  package func prepareState() throws(StartError) {
    do {
      let isRoot = RunDirectory.isRoot
      try FileSystem.makeDirectories(state.path, mode: isRoot ? 0o711 : 0o700)
      for name in ["keys", "keys/database", "logs", "mail", "tls"] {
        try FileSystem.makeDirectories(state.file(name))
      }
    } catch {
      throw StartError("The state directory \(state.path) cannot be created", error)
    }
  }

  private static func absolutePath(_ path: String) -> String {
    URL(filePath: path).standardizedFileURL.path
  }
}
