import Postgres

extension ApplicationError: DatabaseFailure {
  /// The failure of an operation whose statement failed.
  ///
  /// `unavailable` where another attempt may help; the outcome of a write whose answer was lost is
  /// reported as unknown, never as failed. A refusal by the server that no handler foresaw is a
  /// fault of the product.
  package static func database(_ error: PostgresError) -> ApplicationError {
    switch error {
    case .unavailable, .closed, .timedOut(sent: false):
      return .unavailable(error)
    case .outcomeUnknown, .timedOut(sent: true):
      var unknown = ApplicationError.unavailable(error)
      unknown.detail =
        "The answer of the database was lost, so it is not known whether this took place. "
        + "Repeat the request, with the same Idempotency-Key if it had one."
      return unknown
    case .server(let server) where server.isTransient || error.isMailForGoneAccount:
      return .unavailable(error)
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
  /// Reads as `read`, with failures as errors of the application.
  package func rows<S: Statement>(_ statement: S) async throws(ApplicationError) -> [S.Row] {
    do throws(PostgresError) { return try await read(statement) } catch {
      throw .database(error)
    }
  }

  /// Reads as `readOne`, with failures as errors of the application.
  package func row<S: Statement>(_ statement: S) async throws(ApplicationError) -> S.Row? {
    do throws(PostgresError) { return try await readOne(statement) } catch {
      throw .database(error)
    }
  }

  /// Writes as `writeOne`, with failures as errors of the application.
  package func effect<S: Statement>(_ statement: S) async throws(ApplicationError) -> S.Row? {
    do throws(PostgresError) { return try await writeOne(statement) } catch {
      throw .database(error)
    }
  }
}
