import EventLoop
import Time

/// Connections of one kind on one loop: the I/O around `ConnectionPoolStateMachine`.
final class ConnectionPool {
  typealias Machine = ConnectionPoolStateMachine<Waiter>

  /// Called with the connection that it waited for, or with an error.
  typealias Waiter = (Result<PostgresConnection, PostgresError>) -> Void

  private let loop: EventLoop
  private let parameters: [(name: String, value: String)]
  private let settings: DatabaseSettings
  private let report: (DatabaseEvent) -> Void
  private var machine: Machine
  private var connections: [Machine.ConnectionID: PostgresConnection] = [:]
  private var ids: [ObjectIdentifier: Machine.ConnectionID] = [:]
  private var timer: (due: MonotonicInstant, timer: LoopTimer)?

  /// How long new requests wait for a connection.
  var waitMax: Duration

  /// Called with the settled commands of a connection, and with the commands lost with it.
  var onSettled: (PostgresConnection, [Settled]) -> Void = { _, _ in }
  var onLost: (PostgresConnection, [Command]) -> Void = { _, _ in }

  typealias Settled = (command: Command, settlement: PipelineStateMachine<Command>.Settlement)

  init(
    _ limits: Machine.Limits, _ settings: DatabaseSettings, options: [(String, String)],
    on loop: EventLoop, report: @escaping (DatabaseEvent) -> Void
  ) {
    self.loop = loop
    self.settings = settings
    waitMax = settings.waitMax
    self.report = report
    machine = Machine(limits)
    parameters = settings.connectionParameters(options)
  }

  /// All connections, ready or not.
  var all: some Collection<PostgresConnection> { connections.values }

  /// Opens the minimum number of connections.
  func start() { perform(machine.start()) }

  /// A ready connection; nil if there is none or if requests are waiting.
  func leaseNow() -> PostgresConnection? {
    machine.leaseNow().flatMap { connections[$0] }
  }

  /// Calls back with a connection or an error, at the latest after `waitMax` or at the deadline.
  func wait(until deadline: MonotonicInstant, _ waiter: @escaping Waiter) {
    let waitUntil = min(deadline, loop.now + waitMax)
    perform(machine.wait(waiter, until: waitUntil))
  }

  /// Leases a connection, exclusively or shared by the kind of pool; the caller must release it.
  func lease(until deadline: MonotonicInstant) async throws(PostgresError) -> PostgresConnection {
    if let connection = leaseNow() { return connection }
    var outcome: Result<PostgresConnection, PostgresError> = .failure(.unavailable)
    // SAFETY: a waiter is called exactly once, with a connection or a refusal.
    await unsafe withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      wait(until: deadline) {
        outcome = $0
        unsafe continuation.resume()
      }
    }
    return try outcome.get()
  }

  /// Releases one lease of the connection.
  func release(_ connection: PostgresConnection) {
    guard let id = ids[ObjectIdentifier(connection)] else { return }
    perform(machine.release(id))
  }

  /// Excludes the connection from further leases.
  func retire(_ connection: PostgresConnection) {
    guard let id = ids[ObjectIdentifier(connection)] else { return }
    perform(machine.retire(id))
  }

  /// Rejects waiting requests and closes free connections; the others are closed when released.
  func close() { perform(machine.close()) }

  private func perform(_ actions: [Machine.Action]) {
    for action in actions {
      switch action {
      case .connect(let id): connect(id)
      case .give(let id, let waiter):
        if let connection = connections[id] { waiter(.success(connection)) }
      case .refuse(let waiter, let error): waiter(.failure(error))
      case .close(let id): forget(id)?.close()
      }
    }
    scheduleTick()
  }

  private func connect(_ id: Machine.ConnectionID) {
    let connection = PostgresConnection(on: loop) { [weak self] connection, event in
      self?.handle(event, of: connection, id)
    }
    connections[id] = connection
    ids[ObjectIdentifier(connection)] = id
    connection.connect(parameters, within: settings.connectMax)
  }

  private func forget(_ id: Machine.ConnectionID) -> PostgresConnection? {
    guard let connection = connections.removeValue(forKey: id) else { return nil }
    ids[ObjectIdentifier(connection)] = nil
    return connection
  }

  private func handle(
    _ event: PostgresConnection.Event, of connection: PostgresConnection,
    _ id: Machine.ConnectionID
  ) {
    switch event {
    case .connected:
      report(.connected)
      perform(machine.connected(id, at: loop.now))
    case .failed(let cause):
      report(.connectFailed(cause: cause))
      _ = forget(id)
      perform(machine.lost(id, at: loop.now))
    case .lost(let unsettled, let cause):
      report(.lost(cause: cause))
      _ = forget(id)
      perform(machine.lost(id, at: loop.now))
      onLost(connection, unsettled)
    case .settled(let settled): onSettled(connection, settled)
    case .notice(let notice):
      report(.notice(severity: notice.severity, sqlState: notice.sqlState))
    case .notified: break
    }
  }

  private func scheduleTick() {
    guard let wake = machine.nextWake else { return }
    if let timer, timer.timer.isPending, timer.due <= wake { return }
    timer?.timer.cancel()
    let pause = max(.zero, wake - loop.now)
    let scheduled = loop.schedule(after: pause) { [weak self] in
      guard let self else { return }
      perform(machine.tick(at: loop.now))
    }
    timer = (wake, scheduled)
  }
}

extension DatabaseSettings {
  /// The parameters of libpq; the URL overrides the parameters before it.
  func connectionParameters(_ options: [(String, String)]) -> [(name: String, value: String)] {
    let milliseconds = connectMax.wholeNanoseconds / 1_000_000
    return [
      ("target_session_attrs", "read-write"),
      ("keepalives_idle", "10"), ("keepalives_interval", "3"), ("keepalives_count", "3"),
      // Half the time for one host, so that an unreachable first host leaves time for the next.
      ("tcp_user_timeout", String(max(1, milliseconds / 2))),
    ] + options + [
      ("dbname", url), ("application_name", applicationName), ("client_encoding", "UTF8"),
    ]
  }
}
