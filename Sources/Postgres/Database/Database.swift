import EventLoop

/// The database as one event loop uses it.
///
/// Reads of one turn of the loop go out together and share one Sync, on connections that many
/// requests share; a write has a connection and a Sync of its own; a transaction leases a
/// connection. Every function must be called on the loop (in a task that prefers it), and resumes
/// there. All of them wait at most `waitMax` for a connection, then throw `.unavailable`.
package struct Database: Sendable {
  let core: LoopBound<DatabaseCore>

  /// The loop that it is used on.
  package var loop: EventLoop { core.loop }

  /// A database whose connections live on this loop; they are opened at once.
  ///
  /// `report` is told of connections that come and go, for the log; it is called on the loop.
  package init(
    _ settings: DatabaseSettings, on loop: EventLoop,
    report: @escaping @Sendable (DatabaseEvent) -> Void = { _ in }
  ) {
    let core = LoopBound(DatabaseCore(settings, on: loop, report: report), on: loop)
    self.core = core
    loop.execute { core.value.start() }
  }

  /// Changes how long requests wait for a connection; requests that wait already keep their time.
  package func setWaitMax(_ time: Duration) { core.value.setWaitMax(time) }

  /// The rows of a statement that changes nothing.
  ///
  /// Sent again, within its time, when the connection is lost or a neighbour in the batch fails.
  /// The server refuses statements that change something (25006), since they could happen twice.
  /// Throws `.server`, `.unavailable`, `.timedOut`, `.unexpectedResult`, `.closed`.
  package func read<S: Statement>(
    _ statement: S, within time: Duration? = nil
  ) async throws(PostgresError) -> [S.Row] {
    try await core.value.read(statement, within: time)
  }

  /// The row of a statement that changes nothing, nil if there is none.
  ///
  /// Throws as `read`, and `.unexpectedResult` if there is more than one.
  package func readOne<S: Statement>(
    _ statement: S, within time: Duration? = nil
  ) async throws(PostgresError) -> S.Row? {
    try onlyRow(of: try await read(statement, within: time), S.name)
  }

  /// Runs statements that change something, all of them as one transaction in one round trip.
  ///
  /// Returns once the server has committed. Never sent twice: throws `.outcomeUnknown` or
  /// `.timedOut(sent: true)` if the answer was lost, else as `read`. After an error of the server
  /// nothing of it took place.
  @discardableResult
  package func write<each S: Statement>(
    _ statements: repeat each S, within time: Duration? = nil
  ) async throws(PostgresError) -> (repeat [(each S).Row]) {
    try await core.value.write(repeat each statements, within: time)
  }

  /// Runs one statement that changes something and returns its row, nil if there is none.
  ///
  /// Throws as `write`, and `.unexpectedResult` (after the commit) if there is more than one row.
  package func writeOne<S: Statement>(
    _ statement: S, within time: Duration? = nil
  ) async throws(PostgresError) -> S.Row? {
    try onlyRow(of: try await write(statement, within: time), S.name)
  }

  /// Runs a transaction on a connection of its own; commits when `body` returns, and rolls back
  /// when it throws. The closure names the errors it throws:
  ///
  ///     try await database.transaction { transaction throws(ChoiceError) in
  ///       guard let request = try await transaction.runOne(LockRequest(requestID: id)) else {
  ///         throw .unknown
  ///       }
  ///       try await transaction.commit(AcceptRequest(requestID: id))
  ///     }
  ///
  /// BEGIN goes with the first statement, COMMIT with the last where `body` ends with
  /// `transaction.commit(...)`. With `retrying`, `body` may run several times. Throws what `body`
  /// throws, and the database's errors as `Failure.database`: `.outcomeUnknown` and
  /// `.timedOut(sent: true)` say that the answer to the commit was lost.
  @discardableResult
  package func transaction<Value, Failure: DatabaseFailure>(
    isolation: TransactionIsolation = .readCommitted,
    retrying: TransactionRetry = .never, within time: Duration? = nil,
    _ body: (Transaction<Failure>) async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await core.value.transaction(isolation, retrying: retrying, within: time, body)
  }

  /// Calls `wake` whenever somebody notified the channel, once per turn of the loop at most, and
  /// after each connection of the listener, since notices may have been missed before it.
  ///
  /// The listener has a connection of its own, made anew as often as it is lost. Notices can still
  /// come late or not at all: poll as well.
  package func listen(to channel: StaticString, _ wake: @escaping () -> Void) {
    core.value.listen(to: channel, wake)
  }

  /// Closes the connections after the work under way; what waits or comes later throws `.closed`.
  package func close() {
    core.value.close()
  }
}

func onlyRow<Row>(of rows: [Row], _ statement: String) throws(PostgresError) -> Row? {
  guard rows.count <= 1 else {
    throw .unexpectedResult("\(statement) gave \(rows.count) rows and not one at most")
  }
  return rows.first
}
