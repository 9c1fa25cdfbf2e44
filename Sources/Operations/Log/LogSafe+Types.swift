import Bytes
import EventLoop

extension SystemError: LogSafe {
  /// The call and the reason.
  package var logText: String { description }
}

extension BlockingPoolError: LogSafe {
  /// The reason.
  package var logText: String { description }
}

extension SettingsError: LogSafe {
  /// The sentence for the operator, with secrets masked.
  package var logText: String { description }
}

extension ServiceAddress: LogSafe {
  /// The address.
  package var logText: String { description }
}

extension ProcessKind: LogSafe {
  /// The name of the program.
  package var logText: String { rawValue }
}

extension UniversalID: LogSafe {
  /// Its 36 characters, which disclose nothing about the identified object.
  package var logText: String { description }
}
