import EventLoop
import HTTP

/// The event streams that one loop relays. They end when the session that opened them ends, and
/// when the gateway stops. Confined to its loop.
package final class OpenStreams {
  /// The interval at which sessions are checked; the session table itself is updated four times a
  /// second.
  private static let pause = Duration.milliseconds(500)

  /// The largest number of streams without login that one address may have open on a loop. One
  /// address may be a whole office, or an attacker who tries to occupy every stream.
  package static let openByAddressMax = 200

  private let loop: EventLoop
  private var exchanges: [ObjectIdentifier: GatewayExchange] = [:]
  private var addresses: [ObjectIdentifier: BucketKey] = [:]
  private var counts: [BucketKey: Int] = [:]
  private var timer: LoopTimer?
  /// Whether new streams are rejected.
  private(set) var isStopped = false

  init(on loop: EventLoop) { self.loop = loop }

  func add(_ exchange: GatewayExchange) {
    exchanges[ObjectIdentifier(exchange)] = exchange
    if exchange.identity == nil, let peer = exchange.stream?.peer {
      addresses[ObjectIdentifier(exchange)] = BucketKey(peer)
      counts[BucketKey(peer), default: 0] += 1
    }
    plan()
  }

  func remove(_ exchange: GatewayExchange) {
    exchanges[ObjectIdentifier(exchange)] = nil
    guard let key = addresses.removeValue(forKey: ObjectIdentifier(exchange)) else { return }
    counts[key, default: 1] -= 1
    if counts[key] == 0 { counts[key] = nil }
  }

  /// Whether an address may open another stream without a login.
  func hasRoom(for peer: PeerAddress) -> Bool {
    counts[BucketKey(peer), default: 0] < Self.openByAddressMax
  }

  /// Ends all streams cleanly, so that their clients reconnect elsewhere.
  func stop() {
    isStopped = true
    timer?.cancel()
    for exchange in Array(exchanges.values) { exchange.endStream() }
  }

  private func plan() {
    guard timer == nil, !exchanges.isEmpty, !isStopped else { return }
    timer = loop.schedule(after: Self.pause) { [self] in
      timer = nil
      for exchange in Array(exchanges.values) where !exchange.isSessionOpen {
        exchange.endStream()
      }
      plan()
    }
  }
}

extension GatewayExchange {
  /// Whether the session that opened a stream is still open; true for a stream without login.
  var isSessionOpen: Bool {
    guard let identity else { return true }
    return context.parts.sessions.isOpen(identity.token, at: context.parts.environment.now())
  }

  /// Ends an event stream after the data that was relayed so far. An ordinary response, such as an
  /// error, ends by itself.
  func endStream() {
    guard case .relaying(let answer) = stage, answer.isEndless else { return }
    answer.attempt.cancel()
    stream?.sendEnd()
    finish(answer, isWhole: true)
  }
}
