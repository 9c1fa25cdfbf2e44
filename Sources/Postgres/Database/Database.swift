import EventLoop

/// The database as seen by one event loop.
///
/// Reads of one loop turn are sent together and share one Sync, on connections that many requests
/// share. A write has its own connection and Sync; a transaction leases a connection. Every
/// function must be called on the loop (in a task that prefers it) and resumes there. Each waits at
/// most `waitMax` for a connection, then throws `.unavailable`.
///
/// `NOTIFY trackme_handover` announces a planned change of the primary: open transactions complete,
/// and further work is held until the next primary is found, for 8 s at most. The time of a hold
/// does not count against `waitMax`, but against the limit of the statement.
package struct Database: Sendable {
  let core: LoopBound<DatabaseCore>

  /// The loop that owns the connections.
  package var loop: EventLoop { core.loop }

  /// Creates a database whose connections belong to this loop, and opens them at once.
  ///
  /// `report` receives connection events for the log; it is called on the loop.
  package init(
    _ settings: DatabaseSettings, on loop: EventLoop,
    report: @escaping @Sendable (DatabaseEvent) -> Void = { _ in }
  ) {
    let core = LoopBound(DatabaseCore(settings, on: loop, report: report), on: loop)
    self.core = core
    loop.execute { core.value.start() }
  }

  /// How many of its connections were lost, idle ones as well. The next connection may be to a
  /// server with another history, after a fail-over or a restore.
  package var lostConnections: Int { core.value.lostConnections }

  /// Changes how long requests wait for a connection; requests already waiting keep theirs.
  package func setWaitMax(_ time: Duration) { core.value.setWaitMax(time) }

  /// Runs a read-only statement and returns its rows.
  ///
  /// Repeated within its time limit when the connection is lost or a neighbour in the batch fails.
  /// The server rejects statements that modify data (25006), because they could be executed twice.
  /// Throws `.server`, `.unavailable`, `.timedOut`, `.unexpectedResult`, `.closed`.
  package func read<S: Statement>(
    _ statement: S, within time: Duration? = nil
  ) async throws(PostgresError) -> [S.Row] {
    try await core.value.read(statement, within: time)
  }

  /// Runs a read-only statement and returns its row, nil if there is none.
  ///
  /// Throws as `read`, and `.unexpectedResult` if there is more than one row.
  package func readOne<S: Statement>(
    _ statement: S, within time: Duration? = nil
  ) async throws(PostgresError) -> S.Row? {
    try onlyRow(of: try await read(statement, within: time), S.name)
  }

  /// Runs statements that modify data as one transaction in one round trip.
  ///
  /// Returns once the server has committed. Never sent twice: throws `.outcomeUnknown` or
  /// `.timedOut` if the answer was lost, else as `read`. After an error of the server
  /// none of the statements took effect.
  @discardableResult
  package func write<each S: Statement>(
    _ statements: repeat each S, within time: Duration? = nil
  ) async throws(PostgresError) -> (repeat [(each S).Row]) {
    try await core.value.write(repeat each statements, within: time)
  }

  /// Runs one statement that modifies data and returns its row, nil if there is none.
  ///
  /// Throws as `write`, and `.unexpectedResult` (after the commit) if there is more than one row.
  package func writeOne<S: Statement>(
    _ statement: S, within time: Duration? = nil
  ) async throws(PostgresError) -> S.Row? {
    try onlyRow(of: try await write(statement, within: time), S.name)
  }

  /// Runs a transaction on a leased connection; commits when `body` returns, and rolls back when it
  /// throws. The closure declares the errors it throws:
  ///
  ///     try await database.transaction { transaction throws(ChoiceError) in
  ///       guard let request = try await transaction.runOne(LockRequest(requestID: id)) else {
  ///         throw .unknown
  ///       }
  ///       try await transaction.commit(AcceptRequest(requestID: id))
  ///     }
  ///
  /// BEGIN is sent with the first statement. COMMIT is sent with the last one if `body` ends with
  /// `transaction.commit(...)`. With `retrying`, `body` may run several times. Throws what `body`
  /// throws, and the database's errors as `Failure.database`; `.outcomeUnknown` and
  /// `.timedOut` mean that the answer to the commit was lost.
  @discardableResult
  package func transaction<Value, Failure: DatabaseFailure>(
    isolation: TransactionIsolation = .readCommitted,
    retrying: TransactionRetry = .never, within time: Duration? = nil,
    _ body: (Transaction<Failure>) async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await core.value.transaction(isolation, retrying: retrying, within: time, body)
  }

  /// Closes the connections after the work in progress; waiting and later calls throw `.closed`.
  package func close() {
    core.value.close()
  }
}

func onlyRow<Row>(of rows: [Row], _ statement: String) throws(PostgresError) -> Row? {
  guard rows.count <= 1 else {
    throw .unexpectedResult("\(statement) returned \(rows.count) rows instead of at most one")
  }
  return rows.first
}
