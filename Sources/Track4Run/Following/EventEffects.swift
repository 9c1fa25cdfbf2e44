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
  /// Deletions of accounts have a transaction each, since they take locks of many runs, and
  /// erasures some each, since they can be of much; what stands between them shares one.
  ///
  /// - Throws: 503 if the database is away, or another process has read on.
  func store(
    _ events: [InternalEvent], from position: Int64, to next: Int64
  ) async throws(Problem) -> Int64 {
    var position = position
    for part in events.filter({ $0.number > position }).parts {
      guard let last = part.last else { continue }
      switch last.content {
      case .accountDeleted(let account):
        try await departures.removeData(of: account, from: database)
        try await move(from: position, to: last.number) { (transaction) throws(Problem) in
          try await departures.erase(account, in: transaction)
        }
      case .erased(let requestID, let types, let from, let to):
        let erasure = RunDataErasure(types, from: from, to: to, of: requestID)
        try await erase(erasure, from: position, to: last.number)
      case .samples, .answered, .ended, .unavailable:
        try await move(from: position, to: last.number) { (transaction) throws(Problem) in
          try await keep(part, in: transaction)
          try await checkIn(part, in: transaction)
        }
      }
      position = last.number
    }
    if next > position {
      try await move(from: position, to: next) { (_) throws(Problem) in }
      position = next
    }
    return position
  }

  private func move(
    from position: Int64, to next: Int64,
    _ effect: (Transaction<Problem>) async throws(Problem) -> Void
  ) async throws(Problem) {
    try await database.transaction(retrying: .conflicts(times: 3), within: Self.transactionMax) {
      (transaction) throws(Problem) in
      let step = MoveOn(from: position, to: next)
      guard try await transaction.runOne(step) != nil else { throw .unavailable() }
      try await effect(transaction)
    }
  }

  /// Erases piece by piece, a transaction each; with the last one the sequence is read on. A
  /// process that takes over in between begins again, and finds less.
  private func erase(
    _ erasure: RunDataErasure, from position: Int64, to number: Int64
  ) async throws(Problem) {
    var behind: Int64? = 0
    while let start = behind {
      behind = try await database.transaction(
        retrying: .conflicts(times: 3), within: Self.transactionMax
      ) { (transaction) throws(Problem) in
        let stay = MoveOn(from: position, to: position)
        guard try await transaction.runOne(stay) != nil else { throw .unavailable() }
        let next = try await data.erase(erasure, behind: start, in: transaction)
        if next == nil { try await transaction.run(MoveOn(from: position, to: number)) }
        return next
      }
    }
  }

  /// How long a transaction may take.
  private static let transactionMax = Duration.seconds(20)

  /// Stores samples of who is in a run; those of others are passed over.
  private func keep(
    _ events: ArraySlice<InternalEvent>, in transaction: Transaction<Problem>
  ) async throws(Problem) {
    let arrived = events.compactMap(\.arrival)
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
  /// Who took the acceptance back before the start is checked in no longer, and who did so later
  /// has left the run.
  private func checkIn(
    _ events: ArraySlice<InternalEvent>, in transaction: Transaction<Problem>
  ) async throws(Problem) {
    var accepted = CheckRunnersIn(now: world.now())
    var ended = CheckRunnersOut()
    var left = TakeRunnersOut(now: world.now())
    for event in events {
      switch event.content {
      case .answered(let requestID, .accepted(let types, _)): accepted.append(requestID, types)
      case .ended(let requestID, let reason):
        ended.append(requestID, endedAt: event.enteredAt)
        if reason == .singleUser { left.append(requestID, endedAt: event.enteredAt) }
      case .answered, .samples, .erased, .unavailable, .accountDeleted: break
      }
    }
    if !accepted.requestIDs.isEmpty {
      let rows = try await transaction.run(accepted)
      let stale = Set(accepted.requestIDs).subtracting(rows.compactMap(\.self))
        .subtracting(ended.requestIDs)
      if !stale.isEmpty { try await checkIns.end(Array(stale), in: transaction) }
    }
    if !ended.isEmpty { try await transaction.run(ended, left) }
  }
}

extension InternalEvent {
  /// Whether it has transactions of its own.
  fileprivate var isApart: Bool {
    switch content {
    case .accountDeleted, .erased: true
    case .samples, .answered, .ended, .unavailable: false
    }
  }

  /// The samples that it brought.
  fileprivate var arrival: (requestID: DataRequestID, number: Int64, samples: [Sample])? {
    guard case .samples(let requestID, let samples) = content else { return nil }
    return (requestID, number, samples)
  }
}

extension [InternalEvent] {
  /// The events in their order: those with transactions of their own alone, the others with those
  /// next to them.
  fileprivate var parts: [ArraySlice<InternalEvent>] {
    var parts: [ArraySlice<InternalEvent>] = []
    for index in indices {
      if let first = parts.last?.startIndex, !self[first].isApart, !self[index].isApart {
        parts[parts.count - 1] = self[first...index]
      } else {
        parts.append(self[index...index])
      }
    }
    return parts
  }
}
