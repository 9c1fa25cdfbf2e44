import Foundation
import Operations

/// One installation on this machine: its settings, directories and programs.
struct Installation: Sendable {
  let settings: Settings
  /// With an absolute path.
  let state: StateDirectory
  let runDirectory: RunDirectory
  /// The directory of the services' programs, the same as that of this one.
  let programs: String

  /// Reads the settings; `arguments` are the arguments after the command's name.
  static func read(
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
  func value<Value>(_ setting: Setting<Value>) throws(StartError) -> Value {
    do throws(SettingsError) {
      return try settings.value(setting)
    } catch {
      throw StartError(error)
    }
  }

  /// The value of an optional setting.
  func optional<Value>(_ setting: Setting<Value>) throws(StartError) -> Value? {
    do throws(SettingsError) {
      return try settings.optional(setting)
    } catch {
      throw StartError(error)
    }
  }

  /// Creates the state directory. Root's is searchable by other users, so that the database can run
  /// as another user inside it; its content is protected from them.
  func prepareState() throws(StartError) {
    do {
      let isRoot = RunDirectory.isRoot
      try FileSystem.makeDirectories(state.path, mode: isRoot ? 0o711 : 0o700)
      for name in ["keys", "keys/database", "logs", "mail", "tls"] {
        try FileSystem.makeDirectories(state.file(name))
      }
    } catch {
      throw StartError("The state directory \(state.path) cannot be made", error)
    }
  }

  private static func absolutePath(_ path: String) -> String {
    URL(filePath: path).standardizedFileURL.path
  }
}
