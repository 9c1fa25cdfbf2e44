import EventLoop
import Synchronization

/// How many different people one address may look for (RUN-7): whoever follows a few friends asks
/// the same again and again and is never held up; whoever tries a list of emails is. One for a
/// process, of a size that never grows.
final class GuessLimit: Sendable {
  /// How many different questions an address may ask at once.
  static let burst = 20
  /// After how long one more may be asked.
  static let pause = Duration.seconds(10)
  /// For how long the same question is free after it was last asked.
  static let remembered = Duration.seconds(600)
  /// Questions and addresses that are kept at most; then all make way, which makes nothing free.
  static let keptMax = 20_000

  fileprivate struct State {
    var questions: [Question: MonotonicInstant] = [:]
    /// When each address may ask as many as `burst` again.
    var fullAt: [Substring: MonotonicInstant] = [:]
  }

  fileprivate struct Question: Hashable {
    let address: Substring
    let runID: Int64
    let sought: SoughtRunner
  }

  private let state = Mutex(State())

  /// Takes a question of an address; nil if it may be asked, else how long to wait.
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

  /// An address; of IPv6 the network of 64 bits that a client owns whole.
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
