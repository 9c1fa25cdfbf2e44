import EventLoop
import HTTP
import Operations
import PublicAPI
import ServiceKit

/// Receives the events of a replica link.
protocol ReplicaLinkOwner: AnyObject {
  /// The replica accepts requests, or accepts more of them.
  func becameUsable(_ link: ReplicaLink)
  /// The replica accepts one more upload.
  func uploadEnded(_ link: ReplicaLink)
  /// The replica was taken out of rotation.
  func ejected(_ link: ReplicaLink)
}

/// One loop's connection to one replica. It reconnects whenever the connection is lost and checks
/// the replica's health. Confined to its loop.
final class ReplicaLink: ClientConnectionDelegate {
  /// Bytes of a response that a replica may have in flight before any was relayed. They arrive
  /// whether or not the client accepts them: on a connection of 128 streams 512 KiB, which fit
  /// beside the `waitingBytesHighWater` of HTTP/2.
  static let answerWindow = 4 * 1024

  let address: SocketAddress
  /// The replica's key, the same in every gateway.
  let key: UInt64
  /// The index in its set, and in the bit masks of replicas that a request has tried.
  let index: Int
  /// Whether this is the second connection to its replica, reserved for urgent requests.
  let isReserved: Bool
  private let uploadsMax: Int
  private var uploadCount = 0
  private let security: InnerLink
  private let loop: EventLoop
  private let log: Log
  /// The head of the next health checks.
  var healthHead: RequestHead
  /// Strong, as `HTTP2Session.owner`; released by `stop`.
  private var owner: (any ReplicaLinkOwner)?
  private var connection: ClientConnection?
  private var health = ReplicaHealth()
  private var timer: LoopTimer?
  private var check: HealthCheck?
  private var inFlight: [UpstreamAttempt] = []
  private var isStopped = false
  /// Whether the log has that the replica can't be reached.
  private var isReported = false

  init(
    _ address: SocketAddress, over security: InnerLink = .plain, index: Int,
    healthHead: RequestHead, isReserved: Bool = false,
    uploadsMax: Int, on loop: EventLoop, log: Log, owner: any ReplicaLinkOwner
  ) {
    self.security = security
    self.isReserved = isReserved
    self.uploadsMax = uploadsMax
    self.address = address
    self.index = index
    self.healthHead = healthHead
    self.loop = loop
    self.log = log
    self.owner = owner
    key = Rendezvous.key(address.description)
  }

  /// The number of requests in flight.
  var load: Int { inFlight.count }

  /// Whether a request can be sent now.
  var isUsable: Bool { health.isUsable && (connection?.room ?? 0) > 0 }

  /// Whether another upload can be sent now.
  var hasRoomForUpload: Bool { isUsable && uploadCount < uploadsMax }

  /// Whether the replica is in rotation, regardless of room.
  var isUp: Bool { health.isUsable }

  /// Starts connecting.
  func start() {
    guard !isStopped else { return }
    var settings = HTTPClientSettings()
    settings.timeouts.connect = .seconds(1)
    settings.http2.streamWindow = Int32(Self.answerWindow)
    settings.http2.dropsNumbers = true
    security.secure(&settings, to: address)
    connection = ClientConnection(to: address, on: loop, settings: settings, delegate: self)
  }

  /// Accepts no new requests, and closes once the requests in flight are done.
  func stop() {
    isStopped = true
    owner = nil
    timer?.cancel()
    check?.cancel()
    connection?.shutDown()
  }

  // MARK: Requests

  /// Sends a request; `attempt` must call `ended` at its end.
  func send(_ head: RequestHead, endStream: Bool, _ attempt: UpstreamAttempt) {
    guard let connection else { return }
    begin(attempt)
    attempt.stream = connection.send(head, endStream: endStream, handler: attempt)
  }

  /// Sends a request whose head is prepared; `attempt` must call `ended` at its end.
  func send(_ request: borrowing PreparedRequest, endStream: Bool, _ attempt: UpstreamAttempt) {
    guard let connection else { return }
    begin(attempt)
    attempt.stream = connection.send(request, endStream: endStream, handler: attempt)
  }

  private func begin(_ attempt: UpstreamAttempt) {
    attempt.position = inFlight.count
    if attempt.priority.carriesUploads { uploadCount += 1 }
    // Moved out, here and below, so that the compiler proves exclusive access.
    var moved: [UpstreamAttempt] = []
    swap(&moved, &inFlight)
    moved.append(attempt)
    swap(&moved, &inFlight)
  }

  /// Removes a completed request.
  func ended(_ attempt: UpstreamAttempt) {
    let last = inFlight.count - 1
    guard attempt.position <= last, inFlight[attempt.position] === attempt else { return }
    var moved: [UpstreamAttempt] = []
    swap(&moved, &inFlight)
    let other = moved.removeLast()
    if other !== attempt {
      moved[attempt.position] = other
      other.position = attempt.position
    }
    swap(&moved, &inFlight)
    guard attempt.priority.carriesUploads else { return }
    uploadCount -= 1
    owner?.uploadEnded(self)
  }

  /// A request timed out: this counts like a failed check, and the next check follows soon.
  func timedOut() { advance { $0.failed() } }

  // MARK: The connection

  func opened(_ connection: ClientConnection) {
    isReported = false
    advance { $0.opened() }
  }

  func roomChanged(_ connection: ClientConnection) {
    guard connection === self.connection else { return }
    if connection.isPeerGoingAway { return leave() }
    if isUsable { owner?.becameUsable(self) }
  }

  /// The requests in flight end on their connection, and the next ones use a new one.
  private func leave() {
    connection = nil
    check?.cancel()
    check = nil
    if !isReserved {
      log.info("replica asks to reconnect", [.safe("address", OperatorText(address.description))])
    }
    perform(health.left())
  }

  func closed(_ connection: ClientConnection) {
    guard connection === self.connection else { return }
    self.connection = nil
    check?.cancel()
    check = nil
    if !connection.wasOpen, !isReported, !isReserved, !isStopped {
      isReported = true
      log.warning(
        "connect to replica failed",
        [
          .safe("address", OperatorText(address.description)),
          .safe("cause", OperatorText("\(connection.lossCause)")),
        ])
    }
    advance { $0.closed() }
  }

  // MARK: Health

  private func advance(_ step: (inout ReplicaHealth) -> ReplicaHealth.Action) {
    var changed = health
    let action = step(&changed)
    health = changed
    perform(action)
  }

  private func perform(_ action: ReplicaHealth.Action) {
    switch action {
    case .nothing: break
    case .check(let pause): plan(pause) { [unowned self] in beginCheck() }
    case .admit(let pause):
      plan(pause) { [unowned self] in beginCheck() }
      if !isReserved {
        log.info("replica in rotation", [.safe("address", OperatorText(address.description))])
      }
      owner?.becameUsable(self)
    case .eject(let pause):
      plan(pause) { [unowned self] in beginCheck() }
      reportEjection()
      for attempt in inFlight { loop.endOfTurn { attempt.replicaEjected() } }
    case .reconnect(let pause, let wasUp):
      if wasUp { reportEjection() }
      plan(pause) { [unowned self] in start() }
    }
  }

  private func reportEjection() {
    guard !isStopped, !isReserved else { return }
    log.warning("replica out of rotation", [.safe("address", OperatorText(address.description))])
    owner?.ejected(self)
  }

  private func plan(_ pause: Duration, _ work: @escaping () -> Void) {
    timer?.cancel()
    guard !isStopped else { return }
    timer = loop.schedule(after: pause, work)
  }

  private func beginCheck() {
    guard check == nil, let connection, !isStopped else { return }
    let begun = HealthCheck(on: loop) { [unowned self] hasPassed in
      check = nil
      advance { hasPassed ? $0.passed() : $0.failed() }
    }
    check = begun
    begun.begin(connection, healthHead)
  }
}
