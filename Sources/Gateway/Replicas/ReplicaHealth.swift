/// Whether a replica may be given requests, decided from what was seen of it, without doing
/// anything: a method for each event, which returns what to do.
package struct ReplicaHealth: Equatable {
  /// Where a replica stands.
  package enum State: Equatable {
    /// There is no connection; the next attempt was planned.
    case away
    /// There is one, and no check has passed on it yet.
    case unproven
    /// It is in rotation.
    case up
    /// It was taken out of rotation although the connection stands.
    case ejected
  }

  /// What to do after an event.
  package enum Action: Equatable {
    case nothing
    /// Ask for its health after this pause.
    case check(after: Duration)
    /// It came into rotation: give it what waits, and ask again after this pause.
    case admit(checkAfter: Duration)
    /// It left rotation: what waits for it and may be repeated goes elsewhere; ask again after this
    /// pause.
    case eject(checkAfter: Duration)
    /// Connect again after this pause.
    case reconnect(after: Duration, wasUp: Bool)
  }

  /// Between two checks of a replica in rotation, and of one out of it.
  package static let checkPause = Duration.seconds(1)
  package static let recheckPause = Duration.milliseconds(250)
  /// How long a check may take.
  package static let checkMax = Duration.seconds(2)
  /// Checks that fail in a row until a replica is taken out.
  package static let failuresMax = 2
  /// Before the first attempt to connect again, and before any.
  package static let reconnectMin = Duration.milliseconds(20)
  package static let reconnectMax = Duration.milliseconds(1000)

  /// Where it stands.
  package private(set) var state = State.away
  private var failures = 0
  private var losses = 0

  /// A replica that nothing is known of.
  package init() {}

  /// Whether it is in rotation.
  package var isUsable: Bool { state == .up }

  /// A connection was made.
  package mutating func opened() -> Action {
    state = .unproven
    failures = 0
    return .check(after: .zero)
  }

  /// The connection is over, or could not be made.
  package mutating func closed() -> Action {
    let wasUp = state == .up
    state = .away
    losses = min(losses + 1, 10)
    let pause = Self.reconnectMin * (1 << (losses - 1))
    return .reconnect(after: min(pause, Self.reconnectMax), wasUp: wasUp)
  }

  /// A check passed.
  package mutating func passed() -> Action {
    failures = 0
    losses = 0
    switch state {
    case .away: return .nothing
    case .up: return .check(after: Self.checkPause)
    case .unproven, .ejected:
      state = .up
      return .admit(checkAfter: Self.checkPause)
    }
  }

  /// A check failed, or a request had no answer in time.
  package mutating func failed() -> Action {
    failures += 1
    switch state {
    case .away: return .nothing
    case .unproven, .ejected: return .check(after: Self.recheckPause)
    case .up:
      guard failures >= Self.failuresMax else { return .check(after: Self.recheckPause) }
      state = .ejected
      return .eject(checkAfter: Self.recheckPause)
    }
  }
}
