import Time

/// An error type with a case for a failure of the database: what a transaction may throw.
///
///     enum ChoiceError: DatabaseFailure { case unknown, notPending, database(PostgresError) }
package protocol DatabaseFailure: Error {
  /// Wraps an error of the database.
  static func database(_ error: PostgresError) -> Self
}

extension PostgresError: DatabaseFailure {
  /// The error itself.
  package static func database(_ error: PostgresError) -> PostgresError { error }
}

/// Whether a transaction that lost a conflict is repeated.
package enum TransactionRetry: Sendable {
  /// The error is thrown.
  case never
  /// After a serialization failure or deadlock the body is run again, at most this many times.
  case conflicts(times: Int)
}

/// The isolation of a transaction from others (manual, chapter 13.2).
package enum TransactionIsolation: Sendable {
  /// Each statement sees what was committed before it.
  case readCommitted
  /// All statements see the same snapshot.
  case repeatableRead
  /// As if transactions ran one after the other; conflicts must be retried.
  case serializable

  func begin(_ deadline: MonotonicInstant) -> Command {
    switch self {
    case .readCommitted: Execution(Begin(), deadline: deadline)
    case .repeatableRead: Execution(BeginRepeatableRead(), deadline: deadline)
    case .serializable: Execution(BeginSerializable(), deadline: deadline)
    }
  }
}

struct Begin: Statement {
  static let sql: SQL<Self> = "BEGIN ISOLATION LEVEL READ COMMITTED"
}

struct BeginRepeatableRead: Statement {
  static let sql: SQL<Self> = "BEGIN ISOLATION LEVEL REPEATABLE READ"
}

struct BeginSerializable: Statement {
  static let sql: SQL<Self> = "BEGIN ISOLATION LEVEL SERIALIZABLE"
}

struct Commit: Statement {
  static let sql: SQL<Self> = "COMMIT"
}

struct Rollback: Statement {
  static let sql: SQL<Self> = "ROLLBACK"
}

/// A transaction in progress on a leased connection.
///
/// Its statements run in the order of the calls. After an error of the database the transaction has
/// ended, and each further call throws the same error. Read a large result in portions with a
/// cursor: one statement `DECLARE x CURSOR FOR SELECT …`, another `FETCH 1000 FROM x`.
package struct Transaction<Failure: DatabaseFailure> {
  let session: WriteSession

  /// Runs statements in one round trip and returns the rows of each.
  @discardableResult
  package func run<each S: Statement>(
    _ statements: repeat each S
  ) async throws(Failure) -> (repeat [(each S).Row]) {
    do throws(PostgresError) {
      return try await session.run(repeat each statements, step: .part)
    } catch {
      throw .database(error)
    }
  }

  /// Runs one statement and returns its row, nil if there is none.
  package func runOne<S: Statement>(_ statement: S) async throws(Failure) -> S.Row? {
    do throws(PostgresError) {
      return try onlyRow(of: try await session.run(statement, step: .part), S.name)
    } catch {
      throw .database(error)
    }
  }

  /// Runs the last statements and commits, in one round trip; the body must return afterwards.
  @discardableResult
  package func commit<each S: Statement>(
    _ statements: repeat each S
  ) async throws(Failure) -> (repeat [(each S).Row]) {
    do throws(PostgresError) {
      return try await session.run(repeat each statements, step: .last)
    } catch {
      throw .database(error)
    }
  }
}
