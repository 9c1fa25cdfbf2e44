import EventLoop

/// Pending requests for runs that are not followed yet.
///
/// Any client may request any number, so runs, waiting clients and the waiting time are bounded,
/// and an unknown number is not looked up again for a second.
package struct LiveQuestions<Asker> {
  /// The largest number of different runs pending at once.
  package static var runsMax: Int { 64 }
  /// The largest number of waiting clients; for one run that many start watching together.
  package static var askersMax: Int { 8_000 }
  /// The longest waiting time of a client.
  package static var patience: Duration { .seconds(5) }
  /// How long a number without a run is remembered as unknown.
  package static var unknownFor: Duration { .seconds(1) }
  /// The largest number of remembered unknown numbers.
  package static var unknownMax: Int { 10_000 }

  private struct Question {
    let askedAt: MonotonicInstant
    var askers: [Asker]
  }

  private var open: [Int64: Question] = [:]
  private var askerCount = 0
  private var unknownUntil: [Int64: MonotonicInstant] = [:]

  /// The outcome of a request.
  package enum Taken: Equatable, Sendable {
    /// The request waits for its answer.
    case waits
    /// A moment ago there was no such run.
    case unknown
    /// The limit is reached; the client has to retry.
    case tooMany
  }

  /// Creates an empty set of requests.
  package init() {}

  /// The pending runs.
  package var runIDs: [Int64] { Array(open.keys) }

  /// Adds a request; the continuation is kept only if the request waits.
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

  /// Removes and returns the clients that wait for a run.
  package mutating func answer(_ runID: Int64) -> [Asker] {
    let askers = open.removeValue(forKey: runID)?.askers ?? []
    askerCount -= askers.count
    return askers
  }

  /// Removes and returns the clients that wait for an unknown run.
  package mutating func answerUnknown(_ runID: Int64, at now: MonotonicInstant) -> [Asker] {
    if unknownUntil.count >= Self.unknownMax {
      unknownUntil = unknownUntil.filter { now < $0.value }
      if unknownUntil.count >= Self.unknownMax { unknownUntil = [:] }
    }
    unknownUntil[runID] = now + Self.unknownFor
    return answer(runID)
  }

  /// Removes and returns the clients whose waiting time is over.
  package mutating func giveUp(at now: MonotonicInstant) -> [Asker] {
    open.filter { now - $0.value.askedAt >= Self.patience }.keys.flatMap { answer($0) }
  }

  /// Removes and returns all waiting clients.
  package mutating func answerAll() -> [Asker] { open.keys.flatMap { answer($0) } }
}
