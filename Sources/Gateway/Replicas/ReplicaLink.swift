import EventLoop
import HTTP
import Operations
import PublicAPI

/// What a loop's set of replicas wants to know of each.
protocol ReplicaLinkOwner: AnyObject {
  /// It takes requests, or takes more of them.
  func becameUsable(_ link: ReplicaLink)
  /// It takes one upload more.
  func uploadEnded(_ link: ReplicaLink)
  /// It was taken out of rotation.
  func ejected(_ link: ReplicaLink)
}

/// One loop's connection to one replica: made again as often as it is lost, and asked for the
/// replica's health. On its loop only.
final class ReplicaLink: ClientConnectionDelegate {
  /// Bytes of an answer that a replica may have under way before any was relayed. They arrive
  /// whether or not the client takes them: on a connection of 128 streams 512 KiB, which fit beside
  /// the `waitingBytesHighWater` of HTTP/2.
  static let answerWindow = 4 * 1024

  let address: SocketAddress
  /// Which replica it is, the same in every gateway.
  let key: UInt64
  /// Where it stands among its set, and in masks of those that a request has tried.
  let index: Int
  /// Whether it is a second connection to its replica, for what is urgent.
  let isReserved: Bool
  private let uploadsMax: Int
  private var uploadCount = 0
  private let loop: EventLoop
  private let log: Log
  private let healthHead: RequestHead
  private weak var owner: (any ReplicaLinkOwner)?
  private var connection: ClientConnection?
  private var health = ReplicaHealth()
  private var timer: LoopTimer?
  private var check: HealthCheck?
  private var inFlight: [UpstreamAttempt] = []
  private var isStopped = false

  init(
    _ address: SocketAddress, index: Int, healthHead: RequestHead, isReserved: Bool = false,
    uploadsMax: Int, on loop: EventLoop, log: Log, owner: any ReplicaLinkOwner
  ) {
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

  /// Requests under way.
  var load: Int { inFlight.count }

  /// Whether a request can be sent now.
  var isUsable: Bool { health.isUsable && (connection?.room ?? 0) > 0 }

  /// Whether another upload can be sent now.
  var hasRoomForUpload: Bool { isUsable && uploadCount < uploadsMax }

  /// Whether it is in rotation, be there room or not.
  var isUp: Bool { health.isUsable }

  /// Begins to connect.
  func start() {
    guard !isStopped else { return }
    var settings = HTTPClientSettings()
    settings.timeouts.connect = .seconds(1)
    settings.http2.streamWindow = Int32(Self.answerWindow)
    connection = ClientConnection(to: address, on: loop, settings: settings, delegate: self)
  }

  /// Takes nothing more and closes when what is under way is done.
  func stop() {
    isStopped = true
    timer?.cancel()
    check?.cancel()
    connection?.shutDown()
  }

  // MARK: Requests

  /// Sends a request; `attempt` must tell of its end.
  func send(_ head: RequestHead, endStream: Bool, _ attempt: UpstreamAttempt) {
    guard let connection else { return }
    attempt.position = inFlight.count
    if attempt.lane.carriesUploads { uploadCount += 1 }
    inFlight.append(attempt)
    attempt.stream = connection.send(head, endStream: endStream, handler: attempt)
  }

  /// A request is over.
  func ended(_ attempt: UpstreamAttempt) {
    let last = inFlight.count - 1
    guard attempt.position <= last, inFlight[attempt.position] === attempt else { return }
    inFlight.swapAt(attempt.position, last)
    inFlight[attempt.position].position = attempt.position
    inFlight.removeLast()
    guard attempt.lane.carriesUploads else { return }
    uploadCount -= 1
    owner?.uploadEnded(self)
  }

  /// A request had no answer in time: the replica is asked for its health at once.
  func timedOut() { perform(health.failed()) }

  // MARK: The connection

  func opened(_ connection: ClientConnection) { perform(health.opened()) }

  func roomChanged(_ connection: ClientConnection) {
    if isUsable { owner?.becameUsable(self) }
  }

  func closed(_ connection: ClientConnection) {
    guard connection === self.connection else { return }
    self.connection = nil
    check?.cancel()
    check = nil
    perform(health.closed())
  }

  // MARK: Health

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
      tellEjection()
      for attempt in inFlight { loop.endOfTurn { attempt.replicaEjected() } }
    case .reconnect(let pause, let wasUp):
      if wasUp { tellEjection() }
      plan(pause) { [unowned self] in start() }
    }
  }

  private func tellEjection() {
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
      perform(hasPassed ? health.passed() : health.failed())
    }
    check = begun
    begun.begin(connection, healthHead)
  }
}
