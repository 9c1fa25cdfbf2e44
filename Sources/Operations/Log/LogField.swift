/// A type that may be logged: its text contains no secrets, tokens, emails, fiscal codes or
/// positions. `String` deliberately does not conform.
package protocol LogSafe: Sendable {
  /// The text for the log.
  var logText: String { get }
}

/// A named value of a log line. No field takes free text, so none can take a secret.
package struct LogField: Sendable {
  enum Value: Sendable {
    case integer(Int64)
    case decimal(Double)
    case flag(Bool)
    case constant(StaticString)
    case text(String)
  }

  let name: StaticString
  let value: Value

  /// A count, size, port or status.
  package static func number(_ name: StaticString, _ value: some BinaryInteger & Sendable)
    -> LogField
  {
    LogField(name: name, value: .integer(Int64(clamping: value)))
  }

  /// A measured value; not a number and infinities become null.
  package static func decimal(_ name: StaticString, _ value: Double) -> LogField {
    LogField(name: name, value: .decimal(value))
  }

  /// A Boolean value.
  package static func flag(_ name: StaticString, _ value: Bool) -> LogField {
    LogField(name: name, value: .flag(value))
  }

  /// A duration, in seconds with microseconds; name the field `…_seconds`.
  package static func seconds(_ name: StaticString, _ value: Duration) -> LogField {
    let (seconds, attoseconds) = value.components
    let microseconds = Double(attoseconds / 1_000_000_000_000)
    return LogField(name: name, value: .decimal(Double(seconds) + microseconds / 1_000_000))
  }

  /// A constant text of the source code.
  package static func constant(_ name: StaticString, _ value: StaticString) -> LogField {
    LogField(name: name, value: .constant(value))
  }

  /// A value whose type guarantees a safe text, truncated to 512 bytes.
  package static func safe(_ name: StaticString, _ value: some LogSafe) -> LogField {
    LogField(name: name, value: .text(value.logText))
  }

  /// The cause of a failure, under the name `error`.
  package static func error(_ value: some LogSafe & Error) -> LogField {
    .safe("error", value)
  }
}

/// A text that the operator configured: a path, a process name, one of our addresses. Never data
/// from a request or from the database.
package struct OperatorText: LogSafe, Equatable {
  /// The text.
  package let logText: String

  /// The caller guarantees that `text` comes from the operator or the program itself.
  package init(_ text: String) {
    logText = text
  }
}
