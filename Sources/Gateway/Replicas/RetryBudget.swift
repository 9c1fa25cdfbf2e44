import EventLoop

/// How many requests may be sent again: a fifth of those that were sent, so that repetitions never
/// become the load that keeps a service down; a few a second are always free, for quiet times.
package struct RetryBudget {
  /// The part of all requests that may be sent again.
  package static let part = 0.2
  /// What is saved up at most, and free repetitions a second.
  package static let savedMax = 2000.0
  package static let freePerSecond = 10.0
  package static let freeMax = 100.0

  private var saved = 0.0
  private var free = freeMax
  private var refilledAt = MonotonicInstant.zero

  /// A budget with the free repetitions only.
  package init() {}

  /// A request is sent for the first time.
  package mutating func sent() {
    saved = min(saved + Self.part, Self.savedMax)
  }

  /// Takes one repetition; false if there is none left.
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

/// Whether a request that got no answer may be sent again.
package enum RetryRule {
  /// How often a request is sent at most.
  package static let attemptsMax = 4

  /// By how far it had come: what the replica certainly did not act on, always; what it may have
  /// acted on, only where a second time is harmless; nothing after the answer began, nor where the
  /// body is not there any more.
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

/// What a failure means for repeating.
package enum StreamFailureKind: Equatable {
  /// The replica certainly did not act on it.
  case unprocessed
  /// It may have.
  case sent
  /// It may have, and there is no time left.
  case late
  /// It has, and part of the answer is on its way.
  case responseBegun
}
