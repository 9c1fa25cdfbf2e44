import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// What follows from what Data4Help tells, stored together with where the event stands: each has
/// its effect once, also over a crash.
///
/// Effects may come late, of events that were set aside before; so each comes to the same behind
/// those that stand behind it, but for the end of a check-in behind its answer, which therefore
/// waits (docs/decisions/0031-dead-letters.md).
struct EventEffects: Sendable {
  /// Where events stand that are to have their effect.
  enum Place: Sendable {
    /// Next in the sequence, which they lead from one number to another.
    case next(from: Int64, to: Int64)
    /// Set aside under a number, while the sequence was read so far.
    case aside(number: Int64, readTo: Int64)
  }

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

  /// Stores what follows from events that share a transaction, or from one that has its own, and
  /// that it was stored.
  ///
  /// Deletions of accounts have a transaction each, since they take locks of many runs, and
  /// erasures some each, since they can be of much.
  ///
  /// - Throws: 500 for what fails for itself, 503 if the database is away, or another process has
  ///   read on.
  func store(_ events: ArraySlice<InternalEvent>, at place: Place) async throws(ApplicationError) {
    guard let last = events.last else {
      return try await step(place) { (_) throws(ApplicationError) in }
    }
    switch last.content {
    case .accountDeleted(let account):
      try await departures.removeData(of: account, from: database)
      try await step(place) { (transaction) throws(ApplicationError) in
        try await departures.erase(account, in: transaction)
      }
    case .erased(let requestID, let types, let from, let to):
      let erasure = RunDataErasure(types, from: from, to: to, of: requestID, number: last.number)
      try await erase(erasure, at: place)
    case .unreadable:
      throw .internalError(because: "Data4Help can't read what it has to tell.")
    case .samples, .answered, .ended, .unavailable:
      try await step(place) { (transaction) throws(ApplicationError) in
        try await keep(events, at: place, in: transaction)
        try await checkIn(events, at: place, in: transaction)
      }
    }
  }

  private func step(
    _ place: Place, _ effect: (Transaction<ApplicationError>) async throws(ApplicationError) -> Void
  ) async throws(ApplicationError) {
    try await database.transaction(retrying: .conflicts(times: 3), within: Self.transactionMax) {
      (transaction) throws(ApplicationError) in
      try await transaction.leave(place)
      try await effect(transaction)
    }
  }

  /// Erases piece by piece, a transaction each; with the last one it is stored that it was done. A
  /// process that takes over in between begins again, and finds less.
  private func erase(_ erasure: RunDataErasure, at place: Place) async throws(ApplicationError) {
    var behind: Int64? = 0
    while let start = behind {
      behind = try await database.transaction(
        retrying: .conflicts(times: 3), within: Self.transactionMax
      ) { (transaction) throws(ApplicationError) in
        try await transaction.hold(place)
        let next = try await data.erase(erasure, behind: start, in: transaction)
        if next == nil { try await transaction.leave(place) }
        return next
      }
    }
  }

  /// How long a transaction may take.
  private static let transactionMax = Duration.seconds(20)

  /// Stores samples of who is in a run; those of others are passed over. Replicas have read on
  /// behind those that come late, and read them with all that there is of the runner.
  private func keep(
    _ events: ArraySlice<InternalEvent>, at place: Place,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let arrived = events.compactMap(\.arrival)
    guard !arrived.isEmpty else { return }
    let requestIDs = Array(Set(arrived.map(\.requestID)))
    let rows = try await transaction.run(RunnersOfRequests(requestIDs: requestIDs))
    var runners: [DataRequestID: RunnersOfRequests.Row] = [:]
    for row in rows { runners[row.requestID] = row }
    let samples = arrived.compactMap { came in
      runners[came.requestID].map {
        CheckInSamples(
          runID: $0.runID, number: $0.number, streamSeq: came.number, samples: came.samples)
      }
    }
    try await data.store(samples, in: transaction)
    if case .aside = place {
      try await transaction.run(ReadRunnersAgain(requestIDs: requestIDs))
    }
  }

  /// Checks in who has accepted, as long as the request is that of an enrolment; others are ended.
  /// Who took the acceptance back before the start is checked in no longer, and who did so later
  /// has left the run.
  private func checkIn(
    _ events: ArraySlice<InternalEvent>, at place: Place,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let waiting = try await endsThatWait(events, at: place, in: transaction)
    var accepted = CheckRunnersIn(now: world.now())
    var ended = CheckRunnersOut()
    var left = TakeRunnersOut(now: world.now())
    for event in events {
      switch event.content {
      case .answered(let requestID, .accepted(let types, _)): accepted.append(requestID, types)
      case .ended(let requestID, let reason) where !waiting.contains(requestID):
        ended.append(requestID, endedAt: event.enteredAt)
        if reason == .singleUser { left.append(requestID, endedAt: event.enteredAt) }
      case .answered, .ended, .samples, .erased, .unavailable, .accountDeleted, .unreadable: break
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

  /// The check-ins among those that end here whose answer is set aside: their end is set aside too,
  /// and has its effect behind it.
  private func endsThatWait(
    _ events: ArraySlice<InternalEvent>, at place: Place,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Set<DataRequestID> {
    guard case .next(let from, _) = place else { return [] }
    let ended = events.filter { $0.asideKind == .ended }
    guard !ended.isEmpty else { return [] }
    let found = try await transaction.run(
      RequestsAside(requestIDs: ended.compactMap(\.requestID)))
    let waiting = Set(found.compactMap(\.self))
    for event in ended where event.requestID.map(waiting.contains) == true {
      let behind = events.last { $0.number < event.number }?.number ?? from
      try await transaction.run(
        SetEventAside(
          event, behind: behind, because: "It waits for the answer before it.", now: world.now()))
    }
    return waiting
  }
}

extension Transaction<ApplicationError> {
  /// Goes on behind a place: other processes find it left behind, or nothing took place.
  ///
  /// - Throws: 503 if another process has done so.
  func leave(_ place: EventEffects.Place) async throws(ApplicationError) {
    switch place {
    case .next(let from, let to):
      guard try await runOne(MoveOn(from: from, to: to)) != nil else { throw .unavailable() }
    case .aside(let number, _):
      try await hold(place)
      guard try await runOne(RemoveEvent(number: number)) != nil else { throw .unavailable() }
    }
  }

  /// Asserts that no other process has read on, and keeps it from doing so to the end.
  ///
  /// - Throws: 503 if one has.
  func hold(_ place: EventEffects.Place) async throws(ApplicationError) {
    let position =
      switch place {
      case .next(let from, _): from
      case .aside(_, let readTo): readTo
      }
    let stay = MoveOn(from: position, to: position)
    guard try await runOne(stay) != nil else { throw .unavailable() }
  }
}

extension InternalEvent {
  /// The samples that it brought.
  fileprivate var arrival: (requestID: DataRequestID, number: Int64, samples: [Sample])? {
    guard case .samples(let requestID, let samples) = content else { return nil }
    return (requestID, number, samples)
  }
}
