import Postgres

extension ApplicationError: DatabaseFailure {
  /// The application's error for a failed statement.
  ///
  /// `unavailable` if another attempt may help; the outcome of a write whose response was lost is
  /// reported as unknown, never as failed. A refusal by the server that no handler expected is a
  /// fault of the product.
  package static func database(_ error: PostgresError) -> ApplicationError {
    switch error {
    case .unavailable, .closed:
      return .unavailable(error)
    case .outcomeUnknown, .timedOut:
      var unknown = ApplicationError.unavailable(error)
      unknown.detail =
        "The answer of the database was lost, so it is not known whether this took place. "
        + "Repeat the request, with the same Idempotency-Key if it had one."
      return unknown
    case .server(let server) where server.isTransient || error.isMailForDeletedAccount:
      return .unavailable(error)
    case .server, .unexpectedResult:
      return .internalError(error)
    }
  }
}

extension PostgresError {
  /// Whether the account of a mail was deleted before the mail was queued: repeated, the request
  /// gets the proper error. Any other violated foreign key is a fault of the product.
  fileprivate var isMailForDeletedAccount: Bool {
    isForeignKeyViolation(of: "mails_account_id_fkey")
  }
}

extension Database {
  /// Reads as `read`, with failures as `ApplicationError`.
  package func rows<S: Statement>(_ statement: S) async throws(ApplicationError) -> [S.Row] {
    do throws(PostgresError) { return try await read(statement) } catch {
      throw .database(error)
    }
  }

  /// Reads as `readOne`, with failures as `ApplicationError`.
  package func row<S: Statement>(_ statement: S) async throws(ApplicationError) -> S.Row? {
    do throws(PostgresError) { return try await readOne(statement) } catch {
      throw .database(error)
    }
  }

  /// Writes as `writeOne`, with failures as `ApplicationError`.
  package func effect<S: Statement>(_ statement: S) async throws(ApplicationError) -> S.Row? {
    do throws(PostgresError) { return try await writeOne(statement) } catch {
      throw .database(error)
    }
  }
}
