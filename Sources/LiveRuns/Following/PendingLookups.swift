import Time

/// Pending lookups of runs that are not followed yet.
///
/// Any client may request any number, so runs, waiting clients and the waiting time are bounded,
/// and an unknown number is not looked up again for a second.
package struct PendingLookups<Waiter> {
  /// The largest number of different runs pending at once.
  package static var runsMax: Int { 64 }
  /// The largest number of waiting clients; for one run that many start watching together.
  package static var waitersMax: Int { 8_000 }
  /// The longest waiting time of a client.
  package static var waitMax: Duration { .seconds(5) }
  /// How long a number without a run is remembered as unknown.
  package static var unknownFor: Duration { .seconds(1) }
  /// The largest number of remembered unknown numbers.
  package static var unknownMax: Int { 10_000 }

  private struct Lookup {
    let askedAt: MonotonicInstant
    var waiters: [Waiter]
  }

  private var open: [Int64: Lookup] = [:]
  private var waiterCount = 0
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
    for runID: Int64, _ waiter: Waiter, at now: MonotonicInstant
  ) -> Taken {
    if let until = unknownUntil[runID] {
      if now < until { return .unknown }
      unknownUntil[runID] = nil
    }
    guard waiterCount < Self.waitersMax, open.count < Self.runsMax || open[runID] != nil
    else { return .tooMany }
    open[runID, default: Lookup(askedAt: now, waiters: [])].waiters.append(waiter)
    waiterCount += 1
    return .waits
  }

  /// Removes and returns the clients that wait for a run.
  package mutating func answer(_ runID: Int64) -> [Waiter] {
    let waiters = open.removeValue(forKey: runID)?.waiters ?? []
    waiterCount -= waiters.count
    return waiters
  }

  /// Removes and returns the clients that wait for an unknown run.
  package mutating func answerUnknown(_ runID: Int64, at now: MonotonicInstant) -> [Waiter] {
    if unknownUntil.count >= Self.unknownMax {
      unknownUntil = unknownUntil.filter { now < $0.value }
      if unknownUntil.count >= Self.unknownMax { unknownUntil = [:] }
    }
    unknownUntil[runID] = now + Self.unknownFor
    return answer(runID)
  }

  /// Removes and returns the clients whose waiting time is over.
  package mutating func giveUp(at now: MonotonicInstant) -> [Waiter] {
    open.filter { now - $0.value.askedAt >= Self.waitMax }.keys.flatMap { answer($0) }
  }

  /// Removes and returns all waiting clients.
  package mutating func answerAll() -> [Waiter] { open.keys.flatMap { answer($0) } }
}
