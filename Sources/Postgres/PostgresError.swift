import Operations

/// An error between the process and the database.
///
/// No case carries a parameter value: of the server's report only codes and the names of schema
/// objects are kept. `outcome` states whether the work took effect.
package enum PostgresError: Error, Sendable, Hashable {
  /// The server rejected the statement; neither it nor its transaction took effect.
  case server(ServerError)
  /// No connection was available within the allowed wait; nothing was sent. Callers answer 503.
  case unavailable
  /// The connection was lost after the work was sent: its outcome is unknown.
  case outcomeUnknown
  /// No answer before the deadline. The outcome of a write that was sent is unknown.
  case timedOut
  /// The database was closed, or the transaction has ended; nothing was sent.
  case closed
  /// The answer does not match the statement's declaration: a programming error, described without
  /// values.
  case unexpectedResult(String)

  /// The known effects of the failed work.
  package enum Outcome: Sendable {
    /// It never reached the server: it can be repeated safely.
    case notSent
    /// The server did not execute it.
    case refused
    /// It may have taken effect: check before repeating it.
    case unknown
  }

  /// The known effects of the failed work.
  package var outcome: Outcome {
    switch self {
    case .server, .unexpectedResult: .refused
    case .unavailable, .closed: .notSent
    case .outcomeUnknown, .timedOut: .unknown
    }
  }

  /// The server's error, if the server rejected the work.
  package var server: ServerError? {
    if case .server(let error) = self { error } else { nil }
  }

  /// Whether it violated the unique constraint of this name.
  package func isUniqueViolation(of constraint: StaticString) -> Bool {
    server?.isViolation("23505", of: constraint) ?? false
  }

  /// Whether it violated the foreign key of this name.
  package func isForeignKeyViolation(of constraint: StaticString) -> Bool {
    server?.isViolation("23503", of: constraint) ?? false
  }

  /// Whether it violated the check constraint of this name.
  package func isCheckViolation(of constraint: StaticString) -> Bool {
    server?.isViolation("23514", of: constraint) ?? false
  }

  /// Whether it was a serialization failure or a deadlock: the transaction may be repeated.
  package var isConflict: Bool {
    server.map { $0.sqlState == "40001" || $0.sqlState == "40P01" } ?? false
  }

  /// Whether a repetition may succeed shortly afterwards without any intervention.
  package var isTransient: Bool {
    switch self {
    case .unavailable, .outcomeUnknown, .timedOut: true
    case .server(let error): error.isTransient
    case .closed, .unexpectedResult: false
    }
  }
}

extension PostgresError: LogSafe {
  /// The same sentence as `description`.
  package var logText: String { description }
}

extension PostgresError: CustomStringConvertible {
  /// One sentence without any sent or stored value.
  package var description: String {
    switch self {
    case .server(let error): error.description
    case .unavailable: "No connection to the database was available in time."
    case .outcomeUnknown:
      "The connection to the database was lost; the outcome of the work is unknown."
    case .timedOut: "The database did not answer in time."
    case .closed: "The connection to the database is closed."
    case .unexpectedResult(let what): "The database answered unexpectedly: \(what)."
    }
  }
}
