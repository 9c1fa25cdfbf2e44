import Domain
import EventLoop
import HTTP
import Time

/// The clients of `trackme-lab bench sos`. Confined to its loop.
///
/// This file belongs to the other loads in `Bench`, but Swift 6.3.1 does not compile it there: with
/// it, other files of that folder cannot find the modules of the C structures that they use. In
/// this folder, next to the simulation whose clock it uses, it compiles.
final class SOSLoad {
  /// Connections that upload.
  private static let uploaders = 64
  /// How long to wait for the last warnings.
  private static let waitMax = Duration.seconds(10)

  /// A person who receives warnings.
  private struct Watched {
    /// When the critical reading was sent; `never` before that.
    var sentAt = MonotonicInstant.never
    /// Whether a reading within bounds is due, so that no hospital is called.
    var mustCalm = false
  }

  private let order: BenchSOS.Order
  private let loop: EventLoop
  private var streams: [AlarmStream] = []
  private var idle: [UploadingClient] = []
  private var watched: [Watched]
  /// People who must send a reading within bounds.
  private var calming: [Int] = []
  private var nextWatched = 0
  private var nextOther: Int
  private var sent = 0
  private var alarms = 0
  private var accepted = 0
  private var refused = 0
  private var waited = 0
  private var delays: [Double] = []
  private var uploads: [Double] = []
  private var begun = MonotonicInstant.zero

  init(_ order: BenchSOS.Order, on loop: EventLoop) {
    self.order = order
    self.loop = loop
    watched = Array(repeating: Watched(), count: order.watched)
    nextOther = order.watched
  }

  /// Runs the benchmark and returns the figures as JSON.
  func run() async -> String {
    guard await openStreams() else { return "{\"error\":\"the streams could not be opened\"}" }
    for _ in 0..<Self.uploaders { idle.append(UploadingClient(order.port, on: loop)) }
    begun = loop.now
    while sent < order.rate * order.seconds {
      send()
      await rest(.milliseconds(1))
    }
    let took = (loop.now - begun) / .seconds(1)
    let end = loop.now + Self.waitMax
    while delays.count < alarms || !calming.isEmpty, loop.now < end {
      calm()
      await rest(.milliseconds(5))
    }
    return figures(after: took)
  }

  private func rest(_ duration: Duration) async {
    await withCheckedContinuation { continuation in
      _ = loop.schedule(after: duration) { continuation.resume() }
    }
  }

  private func openStreams() async -> Bool {
    for place in 0..<order.watched {
      streams.append(
        AlarmStream(order.port, order.people[place], on: loop) { [unowned self] in warned(place) })
      if place % 10 == 9 { await rest(.milliseconds(10)) }
    }
    let end = loop.now + .seconds(60)
    while streams.contains(where: { !$0.isOpen }) {
      guard loop.now < end, !streams.contains(where: \.isLost) else { return false }
      await rest(.milliseconds(20))
    }
    return true
  }

  // MARK: Uploads

  /// Sends the uploads that are due, limited by the number of idle clients.
  private func send() {
    calm()
    let due = Int((loop.now - begun) / .seconds(1) * Double(order.rate))
    let end = min(due, order.rate * order.seconds)
    while sent < end, let client = idle.popLast() {
      // A late start means that it waited for a client: the system was slower than the rate.
      if due - sent > order.rate / 10 { waited += 1 }
      let isCritical = sent * order.alarms / order.rate != (sent + 1) * order.alarms / order.rate
      sent += 1
      if isCritical, let place = quietPerson() {
        alarms += 1
        watched[place].sentAt = loop.now
        upload(140 + alarms % 9, by: place, client)
      } else {
        upload(60 + sent % 30, by: nextOther, client)
        nextOther = nextOther + 1 < order.people.count ? nextOther + 1 : order.watched
      }
    }
  }

  /// The next observed person without an active warning.
  private func quietPerson() -> Int? {
    let place = nextWatched
    guard watched[place].sentAt == .never, !watched[place].mustCalm else { return nil }
    nextWatched = (nextWatched + 1) % order.watched
    return place
  }

  private func calm() {
    while let place = calming.last, let client = idle.popLast() {
      calming.removeLast()
      watched[place].mustCalm = false
      upload(70 + alarms % 9, by: place, client)
    }
  }

  private func upload(_ rate: Int, by place: Int, _ client: UploadingClient) {
    let start = loop.now
    client.upload(RunSimulation.now, rate, by: order.people[place]) { [self] isAccepted in
      if isAccepted {
        accepted += 1
        uploads.append((loop.now - start) / .milliseconds(1))
      } else {
        refused += 1
      }
      idle.append(client)
    }
  }

  private func warned(_ place: Int) {
    guard watched[place].sentAt != .never else { return }
    delays.append((loop.now - watched[place].sentAt) / .milliseconds(1))
    watched[place] = Watched(mustCalm: true)
    calming.append(place)
  }

  // MARK: Figures

  private func figures(after seconds: Double) -> String {
    delays.sort()
    uploads.sort()
    return """
      {"alarms":\(alarms),"warned":\(delays.count),"uploads":\(sent),"refused":\(refused),\
      "cut":\(streams.count { $0.isLost }),"late":\(waited),"rate":\(Double(sent) / seconds),\
      "p50":\(delays.part(0.5)),"p99":\(delays.part(0.99)),\
      "p999":\(delays.part(0.999)),"max":\(delays.last ?? 0),\
      "upload50":\(uploads.part(0.5)),"upload99":\(uploads.part(0.99))}
      """
  }
}

/// A person's event stream, parsed for warnings only.
private final class AlarmStream: ResponseHandler {
  private(set) var isOpen = false
  private(set) var isLost = false
  private let connection: ClientConnection
  private let warned: () -> Void
  private var line: [UInt8] = []

  init(_ port: UInt16, _ token: String, on loop: EventLoop, _ warned: @escaping () -> Void) {
    self.warned = warned
    var settings = HTTPClientSettings()
    settings.version = .http1
    settings.timeouts.response = .seconds(24 * 3600)
    connection = ClientConnection(
      to: .tcp(host: "127.0.0.1", port: port), on: loop, settings: settings)
    var head = RequestHead(.get, "/events", authority: "localhost:\(port)")
    head.fields.append(.authorization, "Bearer \(token)")
    _ = connection.send(head, endStream: true, handler: self)
  }

  private static let warning = Array("\"stage\":\"suspected\"".utf8)

  func received(head: consuming ResponseHead) {
    isOpen = head.status == .ok
    isLost = !isOpen
  }

  func received(body: Span<UInt8>) {
    for index in body.indices {
      guard body[index] == UInt8(ascii: "\n") else {
        line.append(body[index])
        continue
      }
      if line.firstRange(of: Self.warning) != nil { warned() }
      line.removeAll(keepingCapacity: true)
    }
  }

  func receivedEnd() { isLost = true }
  func failed(_ failure: StreamFailure) { isLost = true }
  func drained() {}
}
