import EventLoop

/// Who waits to be shown runs that are not followed yet. Anybody may ask, for any number: what
/// waits has bounds in runs, in askers and in time, and a number that was none is not looked up
/// again for a second.
package struct LiveQuestions<Asker> {
  /// Different runs that are waited for at once, at most.
  package static var runsMax: Int { 64 }
  /// Who waits at once, at most; of one run that many begin to watch together.
  package static var askersMax: Int { 8_000 }
  /// How long anybody waits.
  package static var patience: Duration { .seconds(5) }
  /// For how long a number without a run is known to be none.
  package static var unknownFor: Duration { .seconds(1) }
  /// Numbers without a run that are known at once, at most.
  package static var unknownMax: Int { 10_000 }

  private struct Question {
    let askedAt: MonotonicInstant
    var askers: [Asker]
  }

  private var open: [Int64: Question] = [:]
  private var askerCount = 0
  private var unknownUntil: [Int64: MonotonicInstant] = [:]

  /// What becomes of a question.
  package enum Taken: Equatable, Sendable {
    /// It waits for its answer.
    case waits
    /// A moment ago there was no such run.
    case unknown
    /// So many wait that this one is to come again.
    case tooMany
  }

  /// Nobody waits.
  package init() {}

  /// The runs that are waited for.
  package var runIDs: [Int64] { Array(open.keys) }

  /// Takes a question of somebody who is kept only where it waits.
  package mutating func ask(
    for runID: Int64, _ asker: Asker, at now: MonotonicInstant
  ) -> Taken {
    if let until = unknownUntil[runID] {
      if now < until { return .unknown }
      unknownUntil[runID] = nil
    }
    guard askerCount < Self.askersMax, open.count < Self.runsMax || open[runID] != nil
    else { return .tooMany }
    open[runID, default: Question(askedAt: now, askers: [])].askers.append(asker)
    askerCount += 1
    return .waits
  }

  /// Who waits for a run, and waits no longer.
  package mutating func answer(_ runID: Int64) -> [Asker] {
    let askers = open.removeValue(forKey: runID)?.askers ?? []
    askerCount -= askers.count
    return askers
  }

  /// Who waits for a run that there is not, and waits no longer.
  package mutating func answerUnknown(_ runID: Int64, at now: MonotonicInstant) -> [Asker] {
    if unknownUntil.count >= Self.unknownMax {
      unknownUntil = unknownUntil.filter { now < $0.value }
      if unknownUntil.count >= Self.unknownMax { unknownUntil = [:] }
    }
    unknownUntil[runID] = now + Self.unknownFor
    return answer(runID)
  }

  /// Who has waited for too long, and waits no longer.
  package mutating func giveUp(at now: MonotonicInstant) -> [Asker] {
    open.filter { now - $0.value.askedAt >= Self.patience }.keys.flatMap { answer($0) }
  }

  /// Everybody who waits, and waits no longer.
  package mutating func answerAll() -> [Asker] { open.keys.flatMap { answer($0) } }
}
