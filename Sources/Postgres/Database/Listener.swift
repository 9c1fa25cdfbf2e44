import EventLoop
import Time

/// A connection that receives notifications on one channel, and reconnects when lost.
final class Listener {
  private static let pauseMax = Duration.seconds(1)

  private let channel: StaticString
  private let settings: DatabaseSettings
  /// The parameters for each host of the URL.
  private let hosts: [[ConnectionURL.Parameter]]
  private let loop: EventLoop
  private let report: (DatabaseEvent) -> Void
  private let wake: () -> Void
  private var connection: PostgresConnection?
  private var timer: LoopTimer?
  private var isWakeScheduled = false
  private var isClosed = false
  private var pause = Duration.milliseconds(25)
  /// The number of failed attempts and lost connections: each attempt asks the next host.
  private var failures = 0

  init(
    to channel: StaticString, _ settings: DatabaseSettings, on loop: EventLoop,
    report: @escaping (DatabaseEvent) -> Void, _ wake: @escaping () -> Void
  ) {
    self.channel = channel
    self.settings = settings
    hosts = settings.connectionParameters([("target_session_attrs", "primary")])
    self.loop = loop
    self.report = report
    self.wake = wake
  }

  func start() {
    let connection = PostgresConnection(on: loop) { [weak self] connection, event in
      self?.handle(event, of: connection)
    }
    self.connection = connection
    connection.connect(hosts[failures % hosts.count], within: settings.connectMax)
  }

  func close() {
    isClosed = true
    timer?.cancel()
    connection?.close()
    connection = nil
  }

  private func handle(_ event: PostgresConnection.Event, of connection: PostgresConnection) {
    switch event {
    case .connected:
      connection.send([ListenCommand(channel, deadline: loop.now + settings.statementMax)])
    case .settled:
      pause = .milliseconds(25)
      scheduleWake()
    case .notified: scheduleWake()
    case .failed(let cause):
      // A standby that refuses is no failure while another host accepts.
      if (failures + 1).isMultiple(of: hosts.count) { report(.connectFailed(cause: cause)) }
      startAgain()
    case .lost(_, let cause):
      report(.lost(cause: cause))
      startAgain()
    case .notice(let notice):
      report(.notice(severity: notice.severity, sqlState: notice.sqlState))
    }
  }

  private func scheduleWake() {
    guard !isWakeScheduled else { return }
    isWakeScheduled = true
    loop.endOfTurn { [weak self] in
      guard let self else { return }
      isWakeScheduled = false
      if !isClosed { wake() }
    }
  }

  private func startAgain() {
    connection = nil
    if isClosed { return }
    failures += 1
    timer = loop.schedule(after: Jitter().shorten(pause, to: 0.5)) { [weak self] in
      self?.start()
    }
    pause = min(pause * 2, Self.pauseMax)
  }
}

/// LISTEN on a channel. The name cannot be a parameter, and is therefore a constant in the program.
private final class ListenCommand: Command {
  private let channel: StaticString

  init(_ channel: StaticString, deadline: MonotonicInstant) {
    self.channel = channel
    super.init(deadline: deadline)
  }

  override var name: String { "LISTEN \(channel)" }
  override var preparation: (text: String, types: [UInt32]) { ("LISTEN \"\(channel)\"", []) }
}
