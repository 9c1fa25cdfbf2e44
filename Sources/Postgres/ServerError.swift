/// An error reported by the server, without anything that can contain a value.
///
/// DETAIL, HINT, CONTEXT and the statement's text are dropped. The message is kept only for classes
/// of SQLSTATE (PostgreSQL manual, appendix A) in which it names objects and not data.
package struct ServerError: Error, Sendable, Hashable {
  /// The five characters of SQLSTATE.
  package let sqlState: String
  /// `ERROR`, `FATAL` or `PANIC`, not translated.
  package let severity: String
  /// The violated constraint, else empty.
  package let constraint: String
  /// The affected table, with its schema, else empty.
  package let table: String
  /// The server's message if it cannot contain a value, else empty.
  package let message: String

  /// Creates an error from the fields that the server sent.
  package init(
    sqlState: String, severity: String = "ERROR", constraint: String = "", table: String = "",
    message: String = ""
  ) {
    self.sqlState = sqlState
    self.severity = severity
    self.constraint = constraint
    self.table = table
    self.message = Self.classesWithPlainMessages.contains(String(sqlState.prefix(2))) ? message : ""
  }

  private static let classesWithPlainMessages: Set<String> = [
    "08", "0A", "25", "26", "28", "3D", "3F", "40", "42", "53", "54", "55", "57", "58", "XX",
  ]

  /// Whether the error ends the session.
  package var isFatal: Bool { severity == "FATAL" || severity == "PANIC" }

  /// Whether a repetition may succeed shortly afterwards: after conflicts, lost or rejected
  /// connections, a shortage of resources, locks, a cancelled statement, or a server that stops or
  /// starts.
  package var isTransient: Bool {
    isFatal || ["08", "40", "53", "55", "57"].contains(String(sqlState.prefix(2)))
  }

  func isViolation(_ sqlState: String, of constraint: StaticString) -> Bool {
    self.sqlState == sqlState && self.constraint == constraint.description
  }
}

extension ServerError: CustomStringConvertible {
  /// One sentence: severity, SQLSTATE, constraint, table and, if it is harmless, the message.
  package var description: String {
    var text = "The database reported \(severity) \(sqlState)"
    if !constraint.isEmpty { text += " on constraint \(constraint)" }
    if !table.isEmpty { text += " of \(table)" }
    if !message.isEmpty { text += ": \(message)" }
    return text + "."
  }
}
