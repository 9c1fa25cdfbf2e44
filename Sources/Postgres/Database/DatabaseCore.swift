import EventLoop
import Time

/// The database of one loop: two connection pools, the reads in progress, and their timeouts.
final class DatabaseCore {
  private let settings: DatabaseSettings
  private let loop: EventLoop
  private let report: (DatabaseEvent) -> Void
  private let readers: ConnectionPool
  private let writers: ConnectionPool
  private var watch: LoopTimer?
  /// The handovers that were announced last, by their identifiers.
  private var announced: [String] = []
  /// The end of an announced hold that does not cover reads yet.
  private var readsHeldUntil: MonotonicInstant?
  /// How many connections for reads and writes were lost.
  private(set) var lostConnections = 0

  /// How many reads one connection carries at the same time.
  private static let readsPerConnection = 1024
  /// How often a read is sent if its connection is lost or its batch aborted.
  private static let attemptsMax = 16
  /// The interval between checks for timed-out reads.
  private static let watchPause = Duration.milliseconds(20)
  /// The number of handovers whose late notifications are recognised.
  private static let announcedMax = 16
  /// The channel that announces a planned change of the primary.
  private static let handoverChannel: StaticString = "trackme_handover"

  init(
    _ settings: DatabaseSettings, on loop: EventLoop,
    report: @escaping @Sendable (DatabaseEvent) -> Void
  ) {
    self.settings = settings
    self.loop = loop
    self.report = report
    var limits = ConnectionPool.Machine.Limits()
    limits.waitersMax = settings.waitersMax
    limits.lifetimeMax = settings.lifetimeMax
    limits.connectionsMax = settings.writeConnections
    // The server ends a statement within a second after its connection was closed, but no commit
    // that waits for the synchronous standby.
    let options = "-c jit=off -c client_connection_check_interval=1000"
    let idleMax = settings.transactionIdleMax.wholeNanoseconds / 1_000_000
    writers = ConnectionPool(
      limits, settings,
      options: [
        (
          "options",
          "\(options) -c plan_cache_mode=force_generic_plan "
            + "-c idle_in_transaction_session_timeout=\(idleMax)"
        )
      ], on: loop, report: report)
    limits.connectionsMax = settings.readConnections
    limits.connectionsMin = settings.readConnections
    limits.leasesMax = Self.readsPerConnection
    // Read-only, because a repeated statement that modifies data would be executed twice.
    readers = ConnectionPool(
      limits, settings,
      options: [
        ("target_session_attrs", "primary"),
        ("options", "\(options) -c default_transaction_read_only=on"),
      ], listeningTo: Self.handoverChannel, on: loop, report: report)
    readers.onNotified = { [unowned self] in hold(for: $0) }
    readers.onSettled = { [unowned self] in readsSettled(on: $0, $1) }
    readers.onLost = { [unowned self] _, unsettled in
      lostConnections += 1
      holdReads()
      unsettled.forEach(repeatRead)
    }
    writers.onSettled = { connection, settled in connection.owner?.settled(settled) }
    writers.onLost = { [unowned self] connection, _ in
      lostConnections += 1
      connection.owner?.lost()
    }
  }

  func start() {
    readers.start()
    writers.start()
  }

  /// Holds new work back until the next primary is found. Transactions in progress complete, with
  /// what they still read. Each connection is notified once it is idle, so that the same handover
  /// may be announced again much later.
  private func hold(for handover: String) {
    let handover = String(handover.prefix(64))
    // An announcement without an identifier is that of an older version's script.
    guard handover.isEmpty || !announced.contains(handover) else { return }
    announced = announced.suffix(Self.announcedMax - 1) + [handover]
    let end = loop.now + DatabaseSettings.handoverMax
    guard writers.hold(until: end) else { return }
    readsHeldUntil = end
    writers.whenUnleased { [unowned self] in holdReads() }
    report(.handoverAnnounced)
  }

  /// Holds reads after an announcement, once no transaction is open or the server ends connections.
  private func holdReads() {
    guard let end = readsHeldUntil else { return }
    readsHeldUntil = nil
    readers.hold(until: end)
  }

  /// Changes how long requests of every kind wait for a connection.
  func setWaitMax(_ time: Duration) {
    readers.waitMax = time
    writers.waitMax = time
  }

  func close() {
    readers.close()
    writers.close()
  }

  private func deadline(_ time: Duration?) -> MonotonicInstant {
    loop.now + (time ?? settings.statementMax)
  }

  // MARK: - Reads

  func read<S: Statement>(
    _ statement: S, within time: Duration?
  ) async throws(PostgresError) -> [S.Row] {
    let execution = Execution(statement, deadline: deadline(time))
    try await execution.settled { submit(execution) }
    return execution.rows
  }

  private func submit(_ read: Command) {
    if let connection = readers.leaseNow() { return enqueue(read, on: connection) }
    readers.wait(until: read.deadline) { [weak self] outcome in
      switch outcome {
      case .success(let connection): self?.enqueue(read, on: connection)
      case .failure(let error): read.settle(error)
      }
    }
  }

  private func enqueue(_ read: Command, on connection: PostgresConnection) {
    connection.enqueue(read)
    guard watch == nil else { return }
    watch = loop.schedule(after: Self.watchPause) { [weak self] in self?.watchReads() }
  }

  private func readsSettled(on connection: PostgresConnection, _ settled: [ConnectionPool.Settled])
  {
    for (read, settlement) in settled {
      readers.release(connection)
      switch settlement {
      case .done, .rolledBack: read.settle(nil)
      case .aborted: repeatRead(read)
      case .failed(let error):
        if error.isStalePlan { readers.retire(connection) }
        // A cancellation can hit the statement after the intended one.
        let isStray = error.sqlState == "57014" && !read.isAbandoned
        if isStray || error.isStalePlan { repeatRead(read) } else { read.settle(.server(error)) }
      }
    }
  }

  private func repeatRead(_ read: Command) {
    if read.isAbandoned { return }
    read.attempts += 1
    if read.attempts >= Self.attemptsMax { return read.settle(.unavailable) }
    submit(read)
  }

  /// Abandons timed-out reads, and cancels the one that the server is executing.
  private func watchReads() {
    watch = nil
    var isWorking = false
    for connection in readers.all {
      for read in connection.unsettled where !read.isAbandoned && read.deadline <= loop.now {
        report(.timedOut(statement: read.name))
        read.abandon(.timedOut)
      }
      if let current = connection.current, current.isAbandoned { cancel(current, on: connection) }
      isWorking = isWorking || !connection.isIdle
    }
    if isWorking {
      watch = loop.schedule(after: Self.watchPause) { [weak self] in self?.watchReads() }
    }
  }

  private func cancel(_ read: Command, on connection: PostgresConnection) {
    if let cancelledAt = read.cancelledAt {
      // The server does not even answer the cancellation: its other reads move to other
      // connections.
      if loop.now - cancelledAt > .seconds(1) { connection.lose("no answer to a cancellation") }
      return
    }
    read.cancelledAt = loop.now
    Canceller.send(connection.cancellation())
  }

  // MARK: - Writes

  func write<each S: Statement>(
    _ statements: repeat each S, within time: Duration?
  ) async throws(PostgresError) -> (repeat [(each S).Row]) {
    let deadline = deadline(time)
    do throws(PostgresError) {
      return try await writeOnce(repeat each statements, until: deadline)
    } catch {
      // Rejected only because the schema changed under a prepared statement: prepare it again.
      guard error.server?.isStalePlan == true else { throw error }
    }
    return try await writeOnce(repeat each statements, until: deadline)
  }

  private func writeOnce<each S: Statement>(
    _ statements: repeat each S, until deadline: MonotonicInstant
  ) async throws(PostgresError) -> (repeat [(each S).Row]) {
    let session = WriteSession(on: loop, writers, deadline: deadline, report)
    defer { session.release() }
    return try await session.run(repeat each statements, step: .whole)
  }

  func transaction<Value, Failure: DatabaseFailure>(
    _ isolation: TransactionIsolation, retrying: TransactionRetry, within time: Duration?,
    _ body: (Transaction<Failure>) async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let deadline = deadline(time)
    let lossesMax = if case .conflicts(let times) = retrying { times } else { 0 }
    var losses = 0
    while true {
      let session = WriteSession(
        on: loop, writers, deadline: deadline, isolation: isolation, report)
      do throws(Failure) {
        let value = try await body(Transaction(session: session))
        try await session.commitIfOpen(throwing: Failure.self)
        await session.finish()
        return value
      } catch {
        await session.finish()
        guard session.failure?.isConflict == true, losses < lossesMax, await pause(after: losses)
        else { throw error }
        losses += 1
      }
    }
  }

  /// Pauses before a transaction that lost a conflict is repeated: not the first time, then for a
  /// random time up to 1, 2, 4 ms and so on to 64 ms. Transactions repeated simultaneously would
  /// conflict again. Returns false if the task is cancelled meanwhile.
  private func pause(after losses: Int) async -> Bool {
    guard losses > 0 else { return true }
    let longest = Duration.milliseconds(1 << min(losses - 1, 6))
    do throws(CancellationError) {
      try await loop.wait(for: Jitter().shorten(longest, to: 0))
      return true
    } catch {
      return false
    }
  }
}

extension ServerError {
  /// Whether the prepared statement is stale, because the schema changed under it or its
  /// preparation was rolled back; preparing it again helps.
  var isStalePlan: Bool {
    sqlState == "26000"
      || sqlState == "0A000" && message == "cached plan must not change result type"
  }
}
