import PublicAPI
import Synchronization
import Time

/// Limits the number of different people whom one address may search for (RUN-7).
///
/// A spectator who follows a few friends repeats the same searches and is never limited; a client
/// that tries a list of emails is. One per process, of bounded size.
final class GuessLimit: Sendable {
  /// The largest number of different searches of an address at once.
  static let burst = 20
  /// The interval after which one more search is allowed.
  static let pause = Duration.seconds(10)
  /// How long a repeated search is free after it was last made.
  static let remembered = Duration.seconds(600)
  /// The largest number of stored searches and addresses; beyond it all are dropped, which makes no
  /// search free.
  static let keptMax = 20_000

  fileprivate struct State {
    var questions: [Question: MonotonicInstant] = [:]
    /// The time from which each address may make `burst` searches again.
    var fullAt: [Substring: MonotonicInstant] = [:]
  }

  fileprivate struct Question: Hashable {
    let address: Substring
    let runID: Int64
    let sought: SoughtRunner
  }

  private let state = Mutex(State())

  /// Counts searches of an address.
  ///
  /// - Returns: nil if they are allowed, else the time to wait.
  func take(
    _ sought: [SoughtRunner], in runID: Int64, from address: String, at now: MonotonicInstant
  ) -> Duration? {
    let client = Self.network(of: address)
    return state.withLock { state in
      state.forget(at: now)
      let questions = Set(sought).map { Question(address: client, runID: runID, sought: $0) }
      let new = questions.count { state.questions[$0] == nil }
      let fullAt = max(state.fullAt[client] ?? now, now) + Self.pause * new
      let excess = (fullAt - now) - Self.pause * Self.burst
      guard new == 0 || excess <= .zero else { return excess }
      if new > 0 { state.fullAt[client] = fullAt }
      for question in questions { state.questions[question] = now }
      return nil
    }
  }

  /// An address; for IPv6 its 64-bit network, which one client owns entirely.
  static func network(of address: String) -> Substring {
    var colons = 0
    for index in address.indices where address[index] == ":" {
      colons += 1
      if colons == 4 { return address[..<index] }
    }
    return address[...]
  }
}

extension GuessLimit.State {
  fileprivate mutating func forget(at now: MonotonicInstant) {
    if questions.count >= GuessLimit.keptMax {
      questions = questions.filter { now - $0.value < GuessLimit.remembered }
      if questions.count >= GuessLimit.keptMax { questions = [:] }
    }
    if fullAt.count >= GuessLimit.keptMax {
      fullAt = fullAt.filter { $0.value > now }
    }
  }
}
