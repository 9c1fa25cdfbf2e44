import HTTP
import Postgres

extension Problem: DatabaseFailure {
  /// What a client is told of a failure of the database.
  ///
  /// 503 where trying again may help; whether a write took place whose answer was lost is said to
  /// be unknown, never "failed". A refusal by the server that no handler foresaw is our fault: 500.
  package static func database(_ error: PostgresError) -> Problem {
    switch error {
    case .unavailable, .closed, .timedOut(sent: false):
      return .unavailable(retryAfter: 1)
    case .outcomeUnknown, .timedOut(sent: true):
      var problem = Problem.unavailable(retryAfter: 1)
      problem.detail =
        "The answer of the database was lost, so it is not known whether this took place. "
        + "Repeat the request, with the same Idempotency-Key if it had one."
      return problem
    case .server(let server) where server.isTransient || error.isMailForGoneAccount:
      return .unavailable(retryAfter: 1)
    case .server, .unexpectedResult:
      return .internalError(error)
    }
  }
}

extension PostgresError {
  /// Whether a mail was to be queued for an account that was deleted in between: asked again, the
  /// request is told so in its own words. Any other foreign key that is violated is our fault.
  fileprivate var isMailForGoneAccount: Bool {
    isForeignKeyViolation(of: "mails_account_id_fkey")
  }
}

extension Database {
  /// Reads as `read`, with failures as problems.
  package func rows<S: Statement>(_ statement: S) async throws(Problem) -> [S.Row] {
    do throws(PostgresError) { return try await read(statement) } catch {
      throw .database(error)
    }
  }

  /// Reads as `readOne`, with failures as problems.
  package func row<S: Statement>(_ statement: S) async throws(Problem) -> S.Row? {
    do throws(PostgresError) { return try await readOne(statement) } catch {
      throw .database(error)
    }
  }

  /// Writes as `writeOne`, with failures as problems.
  package func effect<S: Statement>(_ statement: S) async throws(Problem) -> S.Row? {
    do throws(PostgresError) { return try await writeOne(statement) } catch {
      throw .database(error)
    }
  }
}
