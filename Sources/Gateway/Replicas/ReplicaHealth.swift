/// Decides from events whether a replica may receive requests. A pure state machine: each method
/// handles one event and returns the action to take.
package struct ReplicaHealth: Equatable {
  /// The connection and health state of a replica.
  package enum State: Equatable {
    /// There is no connection; the next attempt is scheduled.
    case unavailable
    /// Connected; no check has passed on this connection yet.
    case unproven
    /// In rotation.
    case up
    /// Taken out of rotation while the connection is still open.
    case ejected
  }

  /// The action after an event.
  package enum Action: Equatable {
    case nothing
    /// Check its health after this pause.
    case check(after: Duration)
    /// It came into rotation: send it the waiting requests, and check again after this pause.
    case admit(checkAfter: Duration)
    /// It left rotation: move its repeatable requests in flight elsewhere, and check again after
    /// this pause.
    case eject(checkAfter: Duration)
    /// Reconnect after this pause.
    case reconnect(after: Duration, wasUp: Bool)
  }

  /// The pauses between checks of a replica in rotation, and of one out of rotation.
  package static let checkPause = Duration.seconds(1)
  package static let recheckPause = Duration.milliseconds(250)
  /// The timeout of a check.
  package static let checkMax = Duration.seconds(2)
  /// The number of failed checks and timed-out requests without a passed check between them after
  /// which a replica is taken out of rotation.
  package static let failuresMax = 2
  /// The pause before the first attempt to reconnect, and the longest pause.
  package static let reconnectMin = Duration.milliseconds(20)
  package static let reconnectMax = Duration.milliseconds(1000)

  /// The current state.
  package private(set) var state = State.unavailable
  private var failures = 0
  private var losses = 0

  /// Creates the state of a replica before its first connection.
  package init() {}

  /// Whether the replica is in rotation.
  package var isUsable: Bool { state == .up }

  /// A connection was established.
  package mutating func opened() -> Action {
    state = .unproven
    failures = 0
    return .check(after: .zero)
  }

  /// The connection was closed, or could not be established.
  package mutating func closed() -> Action {
    let wasUp = state == .up
    state = .unavailable
    losses = min(losses + 1, 10)
    let pause = Self.reconnectMin * (1 << (losses - 1))
    return .reconnect(after: min(pause, Self.reconnectMax), wasUp: wasUp)
  }

  /// The replica sent GOAWAY on this connection, because it stops. Its address may already be
  /// served by the next process.
  package mutating func left() -> Action {
    state = .unavailable
    return .reconnect(after: Self.reconnectMin, wasUp: false)
  }

  /// A check passed.
  package mutating func passed() -> Action {
    failures = 0
    losses = 0
    switch state {
    case .unavailable: return .nothing
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
    case .unavailable: return .nothing
    case .unproven, .ejected: return .check(after: Self.recheckPause)
    case .up:
      guard failures >= Self.failuresMax else { return .check(after: Self.recheckPause) }
      state = .ejected
      return .eject(checkAfter: Self.recheckPause)
    }
  }
}
