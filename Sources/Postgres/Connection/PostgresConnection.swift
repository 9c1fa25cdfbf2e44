import EventLoop

/// One pipeline-mode connection on one loop: the I/O around `PipelineStateMachine`.
///
/// Commands enqueued in one turn of the loop leave together at its end with one Sync; a separate
/// batch leaves at once. The connection reports through `onEvent`, and is unusable after `failed`
/// or `lost`.
final class PostgresConnection: ReadinessHandler {
  /// An event of a connection.
  enum Event {
    case connected
    case failed(cause: String)
    case settled([(command: Command, settlement: PipelineStateMachine<Command>.Settlement)])
    case lost(unsettled: [Command], cause: String)
    case notified(String)
    case notice(ServerError)
  }

  private enum State { case connecting, ready, closed }

  /// The owner that currently sends separate batches on this connection.
  var owner: (any BatchOwner)?

  private let loop: EventLoop
  private let onEvent: (PostgresConnection, Event) -> Void
  private var libpq: LibPQ?
  private var registration: Registration?
  private var connectTimer: LoopTimer?
  private var state = State.connecting
  private var pipeline = PipelineStateMachine<Command>()
  private var enqueued: [Command] = []
  private var isFlushScheduled = false
  private var isBlocked = false
  private var names: [ObjectIdentifier: (number: Int, name: [CChar])] = [:]
  private var parameters = Parameters()

  init(on loop: EventLoop, onEvent: @escaping (PostgresConnection, Event) -> Void) {
    self.loop = loop
    self.onEvent = onEvent
  }

  /// Whether commands can be sent.
  var isReady: Bool { state == .ready }

  /// Whether the server has answered everything that was sent.
  var isIdle: Bool { pipeline.isIdle && enqueued.isEmpty }

  /// Whether no transaction is open.
  var isOutsideTransaction: Bool { libpq?.isOutsideTransaction ?? true }

  /// The command that the server is executing.
  var current: Command? { pipeline.current }

  /// Commands that are sent, or enqueued, and not settled.
  var unsettled: [Command] { pipeline.unsettled + enqueued }

  /// A handle for cancelling the running statement.
  func cancellation() -> Cancellation? { libpq?.cancellation() }

  // MARK: - Connecting

  /// Connects with parameters of libpq; reports `connected` or `failed` within `time`.
  func connect(_ parameters: [(name: String, value: String)], within time: Duration) {
    libpq = LibPQ(parameters: parameters) { [weak self] notice in
      if let self { onEvent(self, .notice(notice)) }
    }
    connectTimer = loop.schedule(after: time) { [weak self] in self?.fail("no answer in time") }
    watchSocket(for: .writable)
  }

  /// Watches the socket of the current connection step; each step may use another one. A step that
  /// waits for the server must not be told that it can write: it would be repeated in each turn.
  private func watchSocket(for conditions: Readiness) {
    guard let libpq, !libpq.isBroken, libpq.socket >= 0 else {
      return fail(libpq?.failure ?? "out of memory")
    }
    do throws(SystemError) {
      registration = try loop.register(libpq.socket, for: conditions, self)
    } catch {
      fail(error.description)
    }
  }

  private func continueConnecting() {
    guard let libpq else { return }
    // A step may close the socket and open another one, possibly with the same number.
    registration?.cancel()
    registration = nil
    switch libpq.poll() {
    case .reading: watchSocket(for: .readable)
    case .writing: watchSocket(for: .writable)
    case .failed: fail(libpq.failure)
    case .connected:
      guard libpq.enterPipeline() else { return fail("pipeline mode was refused") }
      connectTimer?.cancel()
      state = .ready
      watchSocket(for: [.readable, .writable])
      if state == .ready { onEvent(self, .connected) }
    }
  }

  private func fail(_ cause: String) {
    if state == .ready { return lose(cause) }
    guard state == .connecting else { return }
    close()
    onEvent(self, .failed(cause: cause))
  }

  /// Closes without reporting an event.
  func close() {
    state = .closed
    connectTimer?.cancel()
    registration?.cancel()
    registration = nil
    libpq = nil
  }

  /// Closes the connection after an error and reports all unsettled commands as lost.
  func lose(_ cause: String, unsent: [Command] = []) {
    guard state == .ready else { return }
    let unsettled = unsettled + unsent
    close()
    onEvent(self, .lost(unsettled: unsettled, cause: cause))
  }

  // MARK: - Sending

  /// Sends a command at the end of this turn, in one batch with the other commands of the turn that
  /// are sent for the first time.
  func enqueue(_ command: Command) {
    enqueued.append(command)
    guard !isFlushScheduled else { return }
    isFlushScheduled = true
    loop.endOfTurn { [self] in
      isFlushScheduled = false
      sendEnqueued()
    }
  }

  /// A command that is repeated because another one's error aborted its batch gets its own Sync. It
  /// then settles regardless of errors in its neighbours.
  private func sendEnqueued() {
    while state == .ready, let index = enqueued.firstIndex(where: { $0.attempts > 0 }) {
      send([enqueued.remove(at: index)])
    }
    let commands = enqueued
    if commands.isEmpty || state != .ready { return }
    enqueued.removeAll(keepingCapacity: true)
    send(commands)
  }

  /// Sends commands at once as a separate batch. Only while ready.
  func send(_ commands: [Command]) {
    guard let libpq else { return }
    for (index, command) in commands.enumerated() {
      guard send(command, libpq) else {
        return lose("sending failed", unsent: Array(commands[(index + 1)...]))
      }
    }
    pipeline.seal()
    guard libpq.sync() else { return lose("sending failed") }
    flush()
  }

  private func send(_ command: Command, _ libpq: LibPQ) -> Bool {
    let (number, name) = preparedName(of: command.key)
    if pipeline.append(command, of: number) {
      let (text, types) = command.preparation
      guard libpq.sendPrepare(name, text: text, types: types) else { return false }
    }
    parameters.removeAll()
    command.bind(into: &parameters)
    return libpq.sendExecute(name, parameters)
  }

  private func preparedName(of key: ObjectIdentifier) -> (number: Int, name: [CChar]) {
    if let known = names[key] { return known }
    let number = names.count
    let name = "s\(number)".utf8.map { CChar(bitPattern: $0) } + [0]
    names[key] = (number, name)
    return (number, name)
  }

  private func flush() {
    guard let libpq else { return }
    switch libpq.flush() {
    case .done: isBlocked = false
    case .blocked: isBlocked = true
    case .failed: lose("sending failed")
    }
  }

  // MARK: - Receiving

  /// Reads and writes as far as the socket allows.
  func ready(_ events: Readiness) {
    if state == .connecting { return continueConnecting() }
    if isBlocked { flush() }
    receive(toTheEnd: events.contains(.hangup) || events.contains(.error))
  }

  private func receive(toTheEnd: Bool) {
    var readsOnceMore = toTheEnd || libpq?.isEncrypted == true
    while state == .ready, let libpq {
      guard libpq.consume() else { return lose("closed by the server") }
      for text in libpq.takeNotifications() { onEvent(self, .notified(text)) }
      takeResults()
      // A notification may follow the last answer in a TLS record of its own.
      guard state == .ready, toTheEnd || libpq.isEncrypted || !pipeline.isIdle else { return }
      // Readiness is edge-triggered: read until nothing is left. The end of the stream and the rest
      // of a TLS record do not show among the unread bytes.
      if libpq.hasUnreadInput { continue }
      guard readsOnceMore else { return }
      readsOnceMore = false
    }
  }

  private func takeResults() {
    while state == .ready, !pipeline.isIdle, let libpq, !libpq.isBusy {
      guard let result = libpq.nextResult() else {
        act(on: pipeline.received(.endOfCommand))
        continue
      }
      switch result.kind {
      case .rows:
        if case .take(let command) = pipeline.received(.rows), !command.isAbandoned {
          command.take(result)
        }
      case .failed(let error):
        if error.isFatal { return lose("the server ended the session (\(error.sqlState))") }
        act(on: pipeline.received(.failed(error)))
      case .aborted: act(on: pipeline.received(.aborted))
      case .sync: act(on: pipeline.received(.sync))
      case .unexpected: act(on: pipeline.received(.unexpected))
      }
    }
  }

  private func act(on action: PipelineStateMachine<Command>.Action) {
    switch action {
    case .nothing, .take: break
    case .settle(let settlements): onEvent(self, .settled(settlements))
    case .close: lose("the server's answers do not match the requests")
    }
  }
}

/// The owner of an exclusively used connection, which sends separate batches and waits for each.
protocol BatchOwner: AnyObject {
  /// The batch was answered.
  func settled(
    _ settled: [(command: Command, settlement: PipelineStateMachine<Command>.Settlement)])
  /// The connection was lost before the batch was answered.
  func lost()
}
