import EventLoop
import HTTP

/// The streams of events that one loop of the gateway relays: ended when the session is over that
/// opened them, and when the gateway stops. For its loop.
package final class OpenStreams {
  /// How often the sessions are looked at; the table itself follows four times a second.
  private static let pause = Duration.milliseconds(500)

  /// Streams without a login that one address may have open at a loop: an address may stand for a
  /// whole office, or for somebody who wants to take all there are.
  package static let openByAddressMax = 200

  private let loop: EventLoop
  private var exchanges: [ObjectIdentifier: GatewayExchange] = [:]
  private var addresses: [ObjectIdentifier: BucketKey] = [:]
  private var counts: [BucketKey: Int] = [:]
  private var timer: LoopTimer?
  /// Whether no more are opened.
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

  /// Ends all of them, whole, so that their clients go on elsewhere.
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
  /// Whether the session that a stream was opened with goes on; one that everybody may open has
  /// none that could end.
  var isSessionOpen: Bool {
    guard let identity else { return true }
    return context.parts.sessions.isOpen(identity.token, at: context.parts.world.now())
  }

  /// Ends a stream of events after what was relayed of it.
  func endStream() {
    guard case .relaying(let answer) = stage else { return }
    answer.attempt.cancel()
    stream?.sendEnd()
    finish(answer, isWhole: true)
  }
}
