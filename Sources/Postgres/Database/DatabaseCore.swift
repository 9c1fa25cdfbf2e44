import EventLoop

final class TransactionSession {
  func run<each S: Statement>(
    _ statements: repeat each S, committing: Bool
  ) async throws(PostgresError) -> (repeat [(each S).Row]) {
    throw .unavailable
  }
}

final class DatabaseCore {
  init(
    _ settings: DatabaseSettings, on loop: EventLoop,
    report: @escaping @Sendable (DatabaseEvent) -> Void
  ) {}

  func start() {}

  func close() {}

  func read<S: Statement>(
    _ statement: S, within time: Duration?
  ) async throws(PostgresError) -> [S.Row] {
    throw .unavailable
  }

  func write<each S: Statement>(
    _ statements: repeat each S, within time: Duration?
  ) async throws(PostgresError) -> (repeat [(each S).Row]) {
    throw .unavailable
  }

  func transaction<Value, Failure: DatabaseFailure>(
    retrying: TransactionRetry, within time: Duration?,
    _ body: (Transaction<Failure>) async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    throw .database(.unavailable)
  }
}
