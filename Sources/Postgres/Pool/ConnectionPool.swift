import EventLoop
import Time

/// Connections of one kind on one loop: the I/O around `ConnectionPoolStateMachine`.
final class ConnectionPool {
  typealias Machine = ConnectionPoolStateMachine<Waiter>

  /// Called with the connection that it waited for, or with an error.
  typealias Waiter = (Result<PostgresConnection, PostgresError>) -> Void

  private let loop: EventLoop
  /// The parameters for each host of the URL.
  private let hosts: [[ConnectionURL.Parameter]]
  private let settings: DatabaseSettings
  /// The channel that each connection listens to, if any.
  private let channel: StaticString?
  private let report: (DatabaseEvent) -> Void
  private var machine: Machine
  private var connections: [Machine.ConnectionID: PostgresConnection] = [:]
  private var ids: [ObjectIdentifier: Machine.ConnectionID] = [:]
  /// Connections that do not listen yet, with the limits of their time.
  private var subscribing: [Machine.ConnectionID: LoopTimer] = [:]
  /// The cause of the last failure of each host since a connection was opened.
  private var causes: [String?]
  private var timer: (due: MonotonicInstant, timer: LoopTimer)?

  /// How long new requests wait for a connection.
  var waitMax: Duration

  /// Called with the settled commands of a connection, and with the commands lost with it.
  var onSettled: (PostgresConnection, [Settled]) -> Void = { _, _ in }
  var onLost: (PostgresConnection, [Command]) -> Void = { _, _ in }
  /// Called with each notification on the channel, by each connection that received it.
  var onNotified: (String) -> Void = { _ in }
  /// Called once when no connection is leased.
  private var onUnleased: (() -> Void)?

  typealias Settled = (command: Command, settlement: PipelineStateMachine<Command>.Settlement)

  init(
    _ limits: Machine.Limits, _ settings: DatabaseSettings, options: [ConnectionURL.Parameter],
    listeningTo channel: StaticString? = nil, on loop: EventLoop,
    report: @escaping (DatabaseEvent) -> Void
  ) {
    hosts = settings.connectionParameters(options)
    causes = Array(repeating: nil, count: hosts.count)
    self.loop = loop
    self.settings = settings
    self.channel = channel
    waitMax = settings.waitMax
    self.report = report
    machine = Machine(limits, hosts: hosts.count)
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
    perform(machine.wait(waiter, until: waitUntil, latest: deadline))
  }

  /// Leases no connection until the next primary is found, or until this time; returns whether a
  /// hold began.
  @discardableResult
  func hold(until time: MonotonicInstant) -> Bool {
    defer { scheduleTick() }
    return machine.hold(until: time, at: loop.now)
  }

  /// Calls back as soon as no connection is leased, at once if none is.
  func whenUnleased(_ body: @escaping () -> Void) {
    guard machine.isLeased else { return body() }
    onUnleased = body
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
      case .connect(let id, let host): connect(id, to: host)
      case .lease(let id, let waiter):
        if let connection = connections[id] { waiter(.success(connection)) }
      case .refuse(let waiter, let error): waiter(.failure(error))
      case .close(let id): forget(id)?.close()
      }
    }
    if let onUnleased, !machine.isLeased {
      self.onUnleased = nil
      onUnleased()
    }
    scheduleTick()
  }

  private func connect(_ id: Machine.ConnectionID, to host: Int) {
    let connection = PostgresConnection(on: loop) { [weak self] connection, event in
      self?.handle(event, of: connection, id, host)
    }
    connections[id] = connection
    ids[ObjectIdentifier(connection)] = id
    connection.connect(hosts[host], within: settings.connectMax)
  }

  /// Reports the causes once all hosts have failed, and again when one of them changes. A standby
  /// that refuses beside a primary that accepts is no failure.
  private func note(_ cause: String, of host: Int) {
    if causes[host] == cause { return }
    causes[host] = cause
    let all = causes.compactMap { $0 }
    if all.count == hosts.count {
      report(.connectFailed(cause: all.joined(separator: "; ")))
    }
  }

  private func forget(_ id: Machine.ConnectionID) -> PostgresConnection? {
    guard let connection = connections.removeValue(forKey: id) else { return nil }
    ids[ObjectIdentifier(connection)] = nil
    subscribing.removeValue(forKey: id)?.cancel()
    return connection
  }

  /// Sends LISTEN on a new connection, which is leased once the server has answered: a notification
  /// reaches every connection in use.
  private func subscribe(
    _ connection: PostgresConnection, _ id: Machine.ConnectionID, to channel: StaticString
  ) {
    subscribing[id] = loop.schedule(after: settings.connectMax) {
      connection.lose("no answer to LISTEN in time")
    }
    connection.send([ListenCommand(channel, deadline: loop.now + settings.statementMax)])
  }

  private func subscribed(
    _ connection: PostgresConnection, _ id: Machine.ConnectionID, _ settled: [Settled]
  ) {
    for case (_, .failed(let error)) in settled {
      return connection.lose("LISTEN failed (\(error.sqlState))")
    }
    subscribing.removeValue(forKey: id)?.cancel()
    perform(machine.connected(id, at: loop.now))
  }

  private func handle(
    _ event: PostgresConnection.Event, of connection: PostgresConnection,
    _ id: Machine.ConnectionID, _ host: Int
  ) {
    switch event {
    case .connected:
      causes = Array(repeating: nil, count: hosts.count)
      report(.connected)
      if let channel { return subscribe(connection, id, to: channel) }
      perform(machine.connected(id, at: loop.now))
    case .failed(let cause):
      note(cause, of: host)
      _ = forget(id)
      perform(machine.lost(id, at: loop.now))
    case .lost(let unsettled, let cause):
      report(.lost(cause: cause))
      let wasOpen = subscribing[id] == nil
      _ = forget(id)
      perform(machine.lost(id, at: loop.now))
      if wasOpen { onLost(connection, unsettled) }
    case .settled(let settled):
      if subscribing[id] != nil { return subscribed(connection, id, settled) }
      onSettled(connection, settled)
    case .notice(let notice):
      report(.notice(severity: notice.severity, sqlState: notice.sqlState))
    case .notified(let text): onNotified(text)
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
  /// The parameters of libpq for each host of the URL, which overrides those before it.
  func connectionParameters(_ options: [ConnectionURL.Parameter]) -> [[ConnectionURL.Parameter]] {
    let milliseconds = connectMax.wholeNanoseconds / 1_000_000
    let before: [ConnectionURL.Parameter] = [
      ("target_session_attrs", "read-write"),
      ("keepalives_idle", "10"), ("keepalives_interval", "3"), ("keepalives_count", "3"),
      // After this time the first statement that is sent to a lost machine loses its connection.
      ("tcp_user_timeout", String(max(1, milliseconds / 2))),
    ]
    let after: [ConnectionURL.Parameter] = [
      ("application_name", applicationName), ("client_encoding", "UTF8"),
    ]
    return ConnectionURL.parameters(of: url).map { host in before + options + host + after }
  }
}
