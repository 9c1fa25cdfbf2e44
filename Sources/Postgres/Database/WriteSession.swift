import EventLoop
import Time

/// One write or transaction, from leasing a connection to releasing it.
final class WriteSession: BatchOwner {
  /// The position of a round trip in its transaction.
  enum Step {
    /// The round trip is the whole transaction: its Sync commits.
    case whole
    /// It begins or continues a transaction.
    case part
    /// It ends the transaction with a commit.
    case last
  }

  private static let rollbackMax = Duration.seconds(5)

  private let loop: EventLoop
  private let pool: ConnectionPool
  private let deadline: MonotonicInstant
  private let isolation: TransactionIsolation
  private let report: (DatabaseEvent) -> Void
  private var connection: PostgresConnection?
  private var isOpen = false
  private var isOver = false
  private var isCommitting = false
  private var isRunning = false
  private var timer: LoopTimer?
  private var onOutcome: ((PostgresError?) -> Void)?
  private var running = ""
  /// The database error that ended the session.
  private(set) var failure: PostgresError?

  init(
    on loop: EventLoop, _ pool: ConnectionPool, deadline: MonotonicInstant,
    isolation: TransactionIsolation = .readCommitted, _ report: @escaping (DatabaseEvent) -> Void
  ) {
    self.loop = loop
    self.pool = pool
    self.deadline = deadline
    self.isolation = isolation
    self.report = report
  }

  /// Runs statements in one round trip.
  func run<each S: Statement>(
    _ statements: repeat each S, step: Step
  ) async throws(PostgresError) -> (repeat [(each S).Row]) {
    let executions = (repeat Execution(each statements, deadline: deadline))
    var commands: [Command] = []
    for execution in repeat each executions { commands.append(execution) }
    try await run(commands, step)
    return (repeat (each executions).rows)
  }

  /// Commits an open transaction, unless the body has.
  func commitIfOpen<Failure: DatabaseFailure>(
    throwing: Failure.Type
  ) async throws(Failure) {
    guard isOpen, !isOver else { return }
    do throws(PostgresError) {
      try await run([], .last)
    } catch {
      throw .database(error)
    }
  }

  private func run(_ statements: [Command], _ step: Step) async throws(PostgresError) {
    if let failure { throw failure }
    if isOver || isRunning { throw .closed }
    // A transaction of a single round trip needs neither BEGIN nor COMMIT: its Sync commits.
    let isWhole = step == .whole || step == .last && !isOpen && isolation == .readCommitted
    var commands = statements
    if !isWhole {
      if !isOpen { commands.insert(isolation.begin(deadline), at: 0) }
      if step == .last { commands.append(Execution(Commit(), deadline: deadline)) }
    }
    do throws(PostgresError) {
      if connection == nil { connection = try await pool.lease(until: deadline) }
      isOpen = !isWhole
      isCommitting = isWhole || step == .last
      try await send(commands)
      isOver = isCommitting
      isOpen = isOpen && !isCommitting
      for command in commands { if let failure = command.failure { throw failure } }
    } catch {
      end(with: error)
      throw error
    }
  }

  private func end(with error: PostgresError) {
    failure = error
    isOver = true
  }

  private func send(_ commands: [Command]) async throws(PostgresError) {
    guard let connection, connection.isReady else {
      throw .unavailable
    }
    isRunning = true
    running = commands.last?.name ?? ""
    // SAFETY: `conclude` resumes the continuation and clears it.
    let error = await unsafe withUnsafeContinuation {
      (continuation: UnsafeContinuation<PostgresError?, Never>) in
      onOutcome = { unsafe continuation.resume(returning: $0) }
      timer = loop.schedule(after: max(.zero, deadline - loop.now)) { [self] in timeOut() }
      connection.owner = self
      connection.send(commands)
    }
    if let error { throw error }
  }

  private func conclude(_ error: PostgresError?) {
    timer?.cancel()
    isRunning = false
    let completion = onOutcome
    onOutcome = nil
    completion?(error)
  }

  /// The batch was answered; its first error is the error of the batch.
  func settled(_ settled: [ConnectionPool.Settled]) {
    for case (_, .failed(let error)) in settled {
      if error.isStalePlan, let connection { pool.retire(connection) }
      return conclude(.server(error))
    }
    conclude(nil)
  }

  /// The connection was lost. The server rolls back a transaction whose commit was not sent.
  func lost() {
    connection = nil
    if !isRunning { end(with: .unavailable) }
    conclude(isCommitting ? .outcomeUnknown : .unavailable)
  }

  /// Handles a timeout: closes the connection, so that the server ends the statement. A cancelled
  /// commit would stop waiting for the synchronous standby and take effect without it: a repetition
  /// would find it and be acknowledged, and a fail-over would lose it.
  private func timeOut() {
    report(.timedOut(statement: running))
    if let connection {
      self.connection = nil
      connection.owner = nil
      connection.lose("a statement timed out")
    }
    conclude(.timedOut)
  }

  /// Releases the connection, after rolling back an open transaction. A caller that learns of a
  /// failure therefore finds its locks released: a request repeated at once does not conflict with
  /// itself.
  func finish() async {
    isOver = true
    guard let connection else { return }
    guard connection.isReady, !connection.isOutsideTransaction else { return release() }
    guard !isRunning else { return connection.lose("a transaction ended while running") }
    // SAFETY: `conclude` resumes the continuation and clears it.
    await unsafe withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      onOutcome = { [self] _ in
        release()
        unsafe continuation.resume()
      }
      timer = loop.schedule(after: Self.rollbackMax) { connection.lose("a rollback took too long") }
      connection.owner = self
      connection.send([Execution(Rollback(), deadline: deadline)])
    }
  }

  /// Releases the connection without a rollback, which a single write never needs.
  func release() {
    isOver = true
    guard let connection else { return }
    self.connection = nil
    connection.owner = nil
    if connection.isReady, !connection.isOutsideTransaction {
      return connection.lose("a transaction stayed open")
    }
    pool.release(connection)
  }
}
