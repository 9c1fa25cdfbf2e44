import EventLoop
import HTTP

/// The streams of events that one loop of the gateway relays: ended when the session is over that
/// opened them, and when the gateway stops. For its loop.
final class OpenStreams {
  /// How often the sessions are looked at; the table itself follows four times a second.
  private static let pause = Duration.milliseconds(500)

  private let loop: EventLoop
  private var exchanges: [ObjectIdentifier: GatewayExchange] = [:]
  private var timer: LoopTimer?
  /// Whether no more are opened.
  private(set) var isStopped = false

  init(on loop: EventLoop) { self.loop = loop }

  func add(_ exchange: GatewayExchange) {
    exchanges[ObjectIdentifier(exchange)] = exchange
    plan()
  }

  func remove(_ exchange: GatewayExchange) { exchanges[ObjectIdentifier(exchange)] = nil }

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
  /// Whether the session that a stream was opened with goes on.
  var isSessionOpen: Bool {
    guard let identity else { return false }
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
