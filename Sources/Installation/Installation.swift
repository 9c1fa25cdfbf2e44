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
      let state = absolutePath(try settings.value(SettingTable.state))
      let installation = Installation(
        settings: settings, state: StateDirectory(path: state),
        runDirectory: .choose(forState: state, environment: environment),
        programs: URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
          .deletingLastPathComponent().path)
      return (installation, operands)
    } catch {
      throw StartError(error)
    }
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
