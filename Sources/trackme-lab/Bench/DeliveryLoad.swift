import Domain
import EventLoop
import Time

/// The clients of `trackme-lab bench delivery`. Confined to its loop.
final class DeliveryLoad {
  /// Connections that upload.
  static let uploaders = 64
  /// How long to wait for the last samples.
  static let waitMax = Duration.seconds(10)
  /// The interval and the batch size of opening streams.
  static let openEvery = Duration.milliseconds(10)
  static let openAtOnce = 10

  private let order: BenchDelivery.Order
  private let loop: EventLoop
  private var streams: [FollowedStream] = []
  private var idle: [UploadingClient] = []
  private var next = 0
  private var acceptedAt: [MonotonicInstant]
  private var sentAt: [MonotonicInstant]
  private var arrivals: [(index: Int, time: MonotonicInstant)] = []
  private var seen: [UInt8]
  private var twice = 0
  private var strange = 0
  private var refused = 0
  private var lateStarts = 0
  private var begun = MonotonicInstant.zero

  init(_ order: BenchDelivery.Order, on loop: EventLoop) {
    self.order = order
    self.loop = loop
    let count = order.rate * order.seconds
    acceptedAt = Array(repeating: .never, count: count)
    sentAt = acceptedAt
    seen = Array(repeating: 0, count: count)
  }

  /// Runs the benchmark and returns the figures as JSON.
  func run() async -> String {
    guard await openStreams() else { return "{\"error\":\"the streams could not be opened\"}" }
    for _ in 0..<Self.uploaders { idle.append(UploadingClient(order.port, on: loop)) }
    begun = loop.now
    while next < sentAt.count {
      send()
      await rest(.milliseconds(1))
    }
    let end = loop.now + Self.waitMax
    while arrivals.count < accepted, loop.now < end { await rest(.milliseconds(20)) }
    return figures()
  }

  private var accepted: Int { acceptedAt.count { $0 != .never } }

  private func rest(_ duration: Duration) async {
    await withCheckedContinuation { continuation in
      _ = loop.schedule(after: duration) { continuation.resume() }
    }
  }

  private func openStreams() async -> Bool {
    for (place, token) in order.parties.enumerated() {
      streams.append(
        FollowedStream(order.port, token, on: loop) { [unowned self] time in
          arrived(time, at: place)
        })
      if place % Self.openAtOnce == Self.openAtOnce - 1 { await rest(Self.openEvery) }
    }
    let end = loop.now + .seconds(60)
    while streams.contains(where: { !$0.isOpen }) {
      guard loop.now < end, !streams.contains(where: \.isLost) else { return false }
      await rest(.milliseconds(20))
    }
    return true
  }

  /// Sends the samples that are due, limited by the number of idle clients.
  private func send() {
    let due = Int((loop.now - begun) / .seconds(1) * Double(order.rate))
    while next < min(due, sentAt.count), let client = idle.popLast() {
      let index = next
      next += 1
      sentAt[index] = loop.now
      // A late start means that it waited for a client: the system was slower than the rate.
      if due - index > order.rate / 10 { lateStarts += 1 }
      let person = index % order.people.count
      client.upload(time(of: index), by: order.people[person]) { [self] isAccepted in
        if isAccepted { acceptedAt[index] = loop.now } else { refused += 1 }
        idle.append(client)
      }
    }
  }

  private func time(of index: Int) -> Instant {
    Instant(
      millisecondsSince1970: order.start * 1_000 + Int64(index / order.people.count) * 1_000)
  }

  private func arrived(_ time: Instant, at place: Int) {
    let round = (time.millisecondsSince1970 - order.start * 1_000) / 1_000
    let index = Int(round) * order.people.count + place
    guard round >= 0, seen.indices.contains(index) else { return strange += 1 }
    seen[index] += 1
    if seen[index] == 1 { arrivals.append((index, loop.now)) } else { twice += 1 }
  }

  private func figures() -> String {
    let delays = arrivals.filter { acceptedAt[$0.index] != .never }.map {
      max(0, milliseconds(from: acceptedAt[$0.index], to: $0.time))
    }.sorted()
    let uploads = zip(sentAt, acceptedAt).filter { $1 != .never }.map {
      milliseconds(from: $0, to: $1)
    }.sorted()
    let lost = zip(acceptedAt, seen).count { $0 != .never && $1 == 0 }
    let cut = streams.count { $0.isLost }
    let last = acceptedAt.filter { $0 != .never }.max() ?? begun
    let rate = Double(accepted) / ((last - begun) / .seconds(1))
    return """
      {"accepted":\(accepted),"refused":\(refused),"lost":\(lost),"twice":\(twice),\
      "strange":\(strange),"cut":\(cut),"late":\(lateStarts),"rate":\(rate),\
      "p50":\(delays.part(0.5)),"p99":\(delays.part(0.99)),\
      "max":\(delays.last ?? 0),"upload50":\(uploads.part(0.5)),\
      "upload99":\(uploads.part(0.99))}
      """
  }

  private func milliseconds(from start: MonotonicInstant, to end: MonotonicInstant) -> Double {
    (end - start) / .milliseconds(1)
  }
}
