import Foundation
import Operations

/// One copy of the product on this machine: its settings, its directories and its programs.
struct Installation: Sendable {
  let settings: Settings
  /// With an absolute path.
  let state: StateDirectory
  let runDirectory: RunDirectory
  /// Where the programs of the services lie: beside this one.
  let programs: String

  /// Reads the settings; `arguments` are the words after the command's name.
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

  /// The value of a setting, or the sentence that says what is wrong with it.
  func value<Value>(_ setting: Setting<Value>) throws(StartError) -> Value {
    do throws(SettingsError) {
      return try settings.value(setting)
    } catch {
      throw StartError(error)
    }
  }

  /// The value of a setting that may be left out.
  func optional<Value>(_ setting: Setting<Value>) throws(StartError) -> Value? {
    do throws(SettingsError) {
      return try settings.optional(setting)
    } catch {
      throw StartError(error)
    }
  }

  /// Makes the state directory. Root's can be walked through by others, so that the database can
  /// run as another user inside it; all that is in it is closed to them.
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
