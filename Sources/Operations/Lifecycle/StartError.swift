import CLinux
import EventLoop

/// Why a process cannot start, as one line for the operator, without secrets.
package struct StartError: Error, Equatable, CustomStringConvertible, LogSafe {
  /// The sentence; safe to print and to log.
  package let description: String

  /// A failure described by `sentence`, which must not contain secrets.
  package init(_ sentence: String) {
    description = sentence
  }

  /// A failure of the settings.
  package init(_ error: SettingsError) {
    description = error.description
  }

  /// A failed system call; `doing` describes the failed action, such as "The state directory cannot
  /// be created".
  package init(_ doing: String, _ error: SystemError) {
    description = "\(doing) (\(error.description))."
  }

  /// The error for a port that cannot be opened, with a remedy when the port is in use or
  /// privileged.
  package static func listening(
    on port: UInt16, from setting: Setting<UInt16>, _ error: SystemError
  ) -> StartError {
    if error.code == EADDRINUSE {
      return StartError(
        "Port \(port) is in use: choose another with \(setting.definition.name).")
    }
    if error.code == EACCES {
      return StartError(
        "Port \(port) needs more rights: choose one from 1024 on with \(setting.definition.name).")
    }
    return StartError("Port \(port) cannot be opened", error)
  }

  /// The error for several ports that cannot be opened, at least one; one sentence names all that
  /// are in use.
  package static func listening(
    on ports: [(port: UInt16, setting: Setting<UInt16>, error: SystemError)]
  ) -> StartError {
    let busy = ports.filter { $0.error.code == EADDRINUSE }
    let others = busy.count > 1 ? ports.filter { $0.error.code != EADDRINUSE } : ports
    var sentences = others.map { listening(on: $0.port, from: $0.setting, $0.error).description }
    if busy.count > 1 {
      var names: [String] = []
      for name in busy.map({ $0.setting.definition.name }) where !names.contains(name) {
        names.append(name)
      }
      let groups = names.map { name in
        let numbers = busy.filter { $0.setting.definition.name == name }.map { "\($0.port)" }
        return "\(numbers.joined(separator: ", ")) (\(name))"
      }
      let list = groups.joined(separator: ", ")
      sentences.insert(
        "Ports \(list) are in use, perhaps by another copy: choose others with these settings.",
        at: 0)
    }
    return StartError(sentences.joined(separator: " "))
  }

  /// The sentence.
  package var logText: String { description }
}
