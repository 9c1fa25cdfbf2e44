import EventLoop

/// One write or transaction from its lease of a connection to the release.
final class WriteSession: BatchOwner {
  /// Where in its transaction a round trip stands.
  enum Step {
    /// It is the whole transaction: its Sync commits.
    case whole
    /// It opens or goes on with a transaction.
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
  /// The error of the database that ended it.
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

  /// Commits what is open, if the body has not.
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
    // The only round trip of a transaction needs neither BEGIN nor COMMIT: its Sync commits.
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
    // SAFETY: `conclude` resumes the continuation and forgets it.
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
    let tell = onOutcome
    onOutcome = nil
    tell?(error)
  }

  /// The batch was answered; the first error is that of the batch.
  func settled(_ settled: [ConnectionPool.Settled]) {
    for case (_, .failed(let error)) in settled {
      if error.isStalePlan, let connection { pool.retire(connection) }
      return conclude(.server(error))
    }
    conclude(nil)
  }

  /// The connection was lost. A transaction whose commit was not sent is undone by the server.
  func lost() {
    connection = nil
    if !isRunning { end(with: .unavailable) }
    conclude(isCommitting ? .outcomeUnknown : .unavailable)
  }

  /// Time is up: cancels the statement and gives the connection up, since nobody can tell where a
  /// late cancellation would strike.
  private func timeOut() {
    report(.timedOut(statement: running))
    if let connection {
      self.connection = nil
      connection.owner = nil
      Canceller.send(connection.cancellation())
      connection.lose("a statement had no answer in time")
    }
    conclude(.timedOut(sent: true))
  }

  /// Gives the connection back, after rolling back what is open. A caller who learns of a failure
  /// then finds its locks released: a request that is repeated at once meets no trace of itself.
  func finish() async {
    isOver = true
    guard let connection else { return }
    guard connection.isReady, !connection.isOutsideTransaction else { return giveBack() }
    guard !isRunning else { return connection.lose("a transaction was left while it worked") }
    // SAFETY: `conclude` resumes the continuation and forgets it.
    await unsafe withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      onOutcome = { [self] _ in
        giveBack()
        unsafe continuation.resume()
      }
      timer = loop.schedule(after: Self.rollbackMax) { connection.lose("a rollback took too long") }
      connection.owner = self
      connection.send([Execution(Rollback(), deadline: deadline)])
    }
  }

  /// Gives the connection back without a rollback, which a single write never needs.
  func giveBack() {
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
