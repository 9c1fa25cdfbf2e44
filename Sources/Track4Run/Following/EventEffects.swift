import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// Applies the effects of Data4Help's events, in one transaction with the position in the sequence:
/// each effect is stored once, even after a crash.
///
/// Effects of dead letters come late, so each has the same result when applied after later events.
/// The end of a check-in is the exception: it must follow the answer to the check-in, and therefore
/// waits (docs/decisions/0031-dead-letters.md).
struct EventEffects: Sendable {
  /// The position of events whose effects are applied.
  enum Place: Sendable {
    /// Next in the sequence: the events advance it from one number to another.
    case next(from: Int64, to: Int64)
    /// A dead letter with this number, retried after the sequence was read up to `readTo`.
    case aside(number: Int64, readTo: Int64)
  }

  private let world: World
  private let database: Database
  private let checkIns: CheckIns
  private let departures: AccountDepartures
  private let data: RunData

  /// Creates effects on the data of these surroundings.
  init(_ surroundings: RunSurroundings, departures: AccountDepartures) {
    world = surroundings.world
    database = surroundings.database
    checkIns = surroundings.checkIns
    data = surroundings.runData
    self.departures = departures
  }

  /// Stores the effects of events that share a transaction, or of one event with its own
  /// transactions, together with the new position.
  ///
  /// Deletions of accounts have one transaction each, since they lock many runs. Erasures have
  /// several each, since they can cover much data.
  ///
  /// - Throws: `internalError` for an event that can't be applied, `unavailable` if the database is
  ///   unreachable or another process has advanced the position.
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
      throw .internalError(because: "Data4Help can't read the content of the event.")
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

  /// Erases in batches, one transaction each; the last one also stores the new position. A process
  /// that takes over in between starts again and finds less data.
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

  /// The largest duration of a transaction.
  private static let transactionMax = Duration.seconds(20)

  /// Stores samples of runners enrolled in a run; other samples are skipped. Replicas have already
  /// read past late samples, so they reload all data of the runner.
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

  /// Checks in runners who accepted the request that their enrolment names; other requests are
  /// ended.
  ///
  /// A runner who withdrew the acceptance before the start is no longer checked in; a runner who
  /// withdrew it later has left the run.
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

  /// The check-ins among those ending here whose answer is a dead letter: their end becomes a dead
  /// letter too, and takes effect after the answer.
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
          event, behind: behind, because: "The answer before it is pending.", now: world.now()))
    }
    return waiting
  }
}

extension Transaction<ApplicationError> {
  /// Advances the position past an event, or removes a dead letter.
  ///
  /// - Throws: `unavailable` if another process has done so; the transaction changes nothing then.
  func leave(_ place: EventEffects.Place) async throws(ApplicationError) {
    switch place {
    case .next(let from, let to):
      guard try await runOne(MoveOn(from: from, to: to)) != nil else { throw .unavailable() }
    case .aside(let number, _):
      try await hold(place)
      guard try await runOne(RemoveEvent(number: number)) != nil else { throw .unavailable() }
    }
  }

  /// Checks that no other process has advanced, and prevents it to the end of the transaction.
  ///
  /// - Throws: `unavailable` if one has.
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
  /// The samples in the event.
  fileprivate var arrival: (requestID: DataRequestID, number: Int64, samples: [Sample])? {
    guard case .samples(let requestID, let samples) = content else { return nil }
    return (requestID, number, samples)
  }
}
