import Time

/// Limits repetitions to a fifth of the requests sent, so that they never become the load that
/// keeps a service down. A few a second are always allowed, for quiet times.
package struct RetryBudget {
  /// The fraction of requests that may be repeated.
  package static let part = 0.2
  /// The largest saved budget, and the free repetitions a second.
  package static let savedMax = 2000.0
  package static let freePerSecond = 10.0
  package static let freeMax = 100.0

  private var saved = 0.0
  private var free = freeMax
  private var refilledAt = MonotonicInstant.zero

  /// Creates a budget with the free repetitions only.
  package init() {}

  /// Records the first attempt of a request.
  package mutating func sent() {
    saved = min(saved + Self.part, Self.savedMax)
  }

  /// Takes one repetition; false if none is left.
  package mutating func take(at now: MonotonicInstant) -> Bool {
    let passed = Double((now - refilledAt).wholeNanoseconds) / 1e9
    refilledAt = now
    free = min(free + max(0, passed) * Self.freePerSecond, Self.freeMax)
    if saved >= 1 {
      saved -= 1
      return true
    }
    guard free >= 1 else { return false }
    free -= 1
    return true
  }
}

/// Decides whether a failed request may be sent again.
package enum RetryRule {
  /// The largest number of attempts of a request.
  package static let attemptsMax = 4

  /// Decides by the progress of the request. A request that the replica certainly did not act on
  /// may always be repeated; one that it may have acted on only if repeating is harmless. No
  /// request may be repeated once the response has begun, or if the body was dropped.
  package static func mayRepeat(
    _ failure: StreamFailureKind, isRepeatable: Bool, isBodyKept: Bool, attempts: Int
  ) -> Bool {
    guard attempts < attemptsMax, isBodyKept else { return false }
    switch failure {
    case .unprocessed: return true
    case .sent: return isRepeatable
    case .late, .responseBegun: return false
    }
  }
}

/// The kind of a failure, for the decision whether to repeat.
package enum StreamFailureKind: Equatable {
  /// The replica certainly did not act on the request.
  case unprocessed
  /// The replica may have acted on it.
  case sent
  /// The replica may have acted on it, and no time is left.
  case late
  /// The replica acted on it, and part of the response was received.
  case responseBegun
}
