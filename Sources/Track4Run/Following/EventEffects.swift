import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// What follows from what Data4Help tells, stored together with how far it was read: each event has
/// its effect once, also over a crash.
struct EventEffects: Sendable {
  private let world: World
  private let database: Database
  private let checkIns: CheckIns
  private let departures: AccountDepartures
  private let data: RunData

  /// Effects on the data of these surroundings.
  init(_ surroundings: RunSurroundings, departures: AccountDepartures) {
    world = surroundings.world
    database = surroundings.database
    checkIns = surroundings.checkIns
    data = surroundings.runData
    self.departures = departures
  }

  /// Stores what follows from events, in their order, and the number that they lead to; gives how
  /// far the sequence was read then.
  ///
  /// Deletions of accounts have a transaction each: they take locks of many runs.
  ///
  /// - Throws: 503 if the database is away, or another process has read on.
  func store(
    _ events: [InternalEvent], from position: Int64, to next: Int64
  ) async throws(Problem) -> Int64 {
    var position = position
    let fresh = events.filter { $0.number > position }
    for stretch in fresh.split(whereSeparator: \.isDeletion) {
      guard let last = stretch.last else { continue }
      // What comes before a deletion stands before it; the deletion itself follows below.
      try await deletions(in: fresh, from: &position, before: stretch[stretch.startIndex].number)
      try await move(from: position, to: last.number) { (transaction) throws(Problem) in
        try await apply(stretch, in: transaction)
      }
      position = last.number
    }
    try await deletions(in: fresh, from: &position, before: .max)
    if next > position {
      try await move(from: position, to: next) { (_) throws(Problem) in }
      position = next
    }
    return position
  }

  private func deletions(
    in events: [InternalEvent], from position: inout Int64, before end: Int64
  ) async throws(Problem) {
    for event in events where event.number > position && event.number < end {
      guard case .accountDeleted(let account) = event.content else { continue }
      try await move(from: position, to: event.number) { (transaction) throws(Problem) in
        try await data.eraseAll(of: account, in: transaction)
        try await departures.erase(account, in: transaction)
      }
      position = event.number
    }
  }

  private func move(
    from position: Int64, to next: Int64,
    _ effect: (Transaction<Problem>) async throws(Problem) -> Void
  ) async throws(Problem) {
    try await database.transaction(retrying: .conflicts(times: 3), within: .seconds(20)) {
      (transaction) throws(Problem) in
      let step = MoveOn(from: position, to: next)
      guard try await transaction.runOne(step) != nil else { throw .unavailable() }
      try await effect(transaction)
    }
  }

  /// The effects of a stretch without deletions of accounts.
  private func apply(
    _ events: ArraySlice<InternalEvent>, in transaction: Transaction<Problem>
  ) async throws(Problem) {
    var arrived: [Arrival] = []
    for event in events {
      switch event.content {
      case .samples(let requestID, let samples):
        arrived.append((requestID, event.number, samples))
      case .erased(let requestID, let types, let from, let to):
        // What came before the erasure is stored before it.
        try await keep(arrived, in: transaction)
        arrived = []
        try await data.erase(types, from: from, to: to, of: requestID, in: transaction)
      case .answered, .ended, .unavailable, .accountDeleted: break
      }
    }
    try await keep(arrived, in: transaction)
    try await checkIn(events, in: transaction)
  }

  /// The samples of an event.
  private typealias Arrival = (requestID: DataRequestID, number: Int64, samples: [Sample])

  /// Stores samples of who is in a run; those of others are passed over.
  private func keep(
    _ arrived: [Arrival], in transaction: Transaction<Problem>
  ) async throws(Problem) {
    guard !arrived.isEmpty else { return }
    let rows = try await transaction.run(
      RunnersOfRequests(requestIDs: Array(Set(arrived.map(\.requestID)))))
    var runners: [DataRequestID: RunnersOfRequests.Row] = [:]
    for row in rows { runners[row.requestID] = row }
    let samples = arrived.compactMap { came in
      runners[came.requestID].map {
        CheckInSamples(
          runID: $0.runID, number: $0.number, streamSeq: came.number, samples: came.samples)
      }
    }
    try await data.store(samples, in: transaction)
  }

  /// Checks in who has accepted, as long as the request is that of an enrolment; others are ended.
  /// Who took the acceptance back before the start is checked in no longer.
  private func checkIn(
    _ events: ArraySlice<InternalEvent>, in transaction: Transaction<Problem>
  ) async throws(Problem) {
    var accepted: [DataRequestID] = []
    var ended = CheckRunnersOut()
    for event in events {
      switch event.content {
      case .answered(let requestID, .accepted): accepted.append(requestID)
      case .ended(let requestID, _): ended.append(requestID, endedAt: event.enteredAt)
      case .answered, .samples, .erased, .unavailable, .accountDeleted: break
      }
    }
    if !accepted.isEmpty {
      let rows = try await transaction.run(CheckRunnersIn(requestIDs: accepted, now: world.now()))
      let stale = Set(accepted).subtracting(rows.compactMap(\.self)).subtracting(ended.requestIDs)
      if !stale.isEmpty { try await checkIns.end(Array(stale), in: transaction) }
    }
    if !ended.isEmpty { try await transaction.run(ended) }
  }
}

extension InternalEvent {
  /// Whether an account was deleted.
  fileprivate var isDeletion: Bool {
    if case .accountDeleted = content { true } else { false }
  }
}
