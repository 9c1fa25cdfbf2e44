import Operations

/// What went wrong between us and the database.
///
/// No case carries a parameter value: of what the server says only codes and the names of schema
/// objects are kept. `outcome` says what became of the work.
package enum PostgresError: Error, Sendable, Hashable {
  /// The server refused the statement; nothing of it, or of its transaction, took place.
  case server(ServerError)
  /// No connection could be had within the wait allowed; nothing was sent. Callers answer 503.
  case unavailable
  /// The connection was lost after the work was sent: whether it took place is not known.
  case outcomeUnknown
  /// No answer before the deadline. If it was a write that was sent, its outcome is not known.
  case timedOut(sent: Bool)
  /// The database was stopped, or its transaction is over; nothing was sent.
  case closed
  /// The answer is not what the statement declares: a fault of ours, in a sentence without values.
  case unexpectedResult(String)

  /// What is known about the effects of the work that failed.
  package enum Outcome: Sendable {
    /// It never reached the server: it may be tried again safely.
    case notSent
    /// The server did not do it.
    case refused
    /// It may have taken place: look it up before doing it again.
    case unknown
  }

  /// What is known about the effects of the work that failed.
  package var outcome: Outcome {
    switch self {
    case .server, .unexpectedResult: .refused
    case .unavailable, .closed, .timedOut(sent: false): .notSent
    case .outcomeUnknown, .timedOut(sent: true): .unknown
    }
  }

  /// What the server said, if it was the server that refused.
  package var server: ServerError? {
    if case .server(let error) = self { error } else { nil }
  }

  /// Whether it broke the unique constraint of this name.
  package func isUniqueViolation(of constraint: StaticString) -> Bool {
    server?.isViolation("23505", of: constraint) ?? false
  }

  /// Whether it broke the foreign key of this name.
  package func isForeignKeyViolation(of constraint: StaticString) -> Bool {
    server?.isViolation("23503", of: constraint) ?? false
  }

  /// Whether it broke the check constraint of this name.
  package func isCheckViolation(of constraint: StaticString) -> Bool {
    server?.isViolation("23514", of: constraint) ?? false
  }

  /// Whether it was a serialization failure or a deadlock: the transaction may be run again.
  package var isConflict: Bool {
    server.map { $0.sqlState == "40001" || $0.sqlState == "40P01" } ?? false
  }

  /// Whether the same may succeed a moment later without anybody changing anything.
  package var isTransient: Bool {
    switch self {
    case .unavailable, .outcomeUnknown, .timedOut: true
    case .server(let error): error.isTransient
    case .closed, .unexpectedResult: false
    }
  }
}

extension PostgresError: LogSafe {
  /// The same sentence.
  package var logText: String { description }
}

extension PostgresError: CustomStringConvertible {
  /// One sentence without any value that was sent or stored.
  package var description: String {
    switch self {
    case .server(let error): error.description
    case .unavailable: "No connection to the database could be had in time."
    case .outcomeUnknown:
      "The connection to the database was lost; whether the work took place is not known."
    case .timedOut(sent: true): "The database did not answer in time."
    case .timedOut(sent: false): "The work could not be sent to the database in time."
    case .closed: "The connection to the database is closed."
    case .unexpectedResult(let what): "The database answered unexpectedly: \(what)."
    }
  }
}
