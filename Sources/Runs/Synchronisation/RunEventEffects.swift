import Data4HelpSync
import Domain
import EventLoop
import InternalAPI
import Postgres
import ServiceKit

/// The effects of Data4Help's events on runs: check-ins, samples, erasures and deleted accounts.
package struct RunEventEffects: EventEffects {
  private let environment: Environment
  private let database: Database
  private let checkIns: CheckIns
  private let departures: AccountDepartures
  private let data: RunData

  /// Creates effects on the runs in this database.
  package init(
    environment: Environment, database: Database, checkIns: CheckIns, departures: AccountDepartures,
    data: RunData
  ) {
    self.environment = environment
    self.database = database
    self.checkIns = checkIns
    self.departures = departures
    self.data = data
  }

  /// Deletions of accounts have one transaction each, since they lock many runs. Erasures have
  /// several each, since they can cover much data.
  package func store(
    _ events: ArraySlice<InternalEvent>, at position: EventPosition
  ) async throws(ApplicationError) {
    guard let last = events.last else {
      return try await step(position) { (_) throws(ApplicationError) in }
    }
    switch last.content {
    case .accountDeleted(let account):
      try await departures.removeData(of: account, from: database)
      try await step(position) { (transaction) throws(ApplicationError) in
        try await departures.erase(account, in: transaction)
      }
    case .erased(let requestID, let types, let from, let to):
      let erasure = RunDataErasure(types, from: from, to: to, of: requestID, number: last.number)
      try await erase(erasure, at: position)
    case .unreadable:
      throw .internalError(because: "Data4Help can't read the content of the event.")
    case .samples, .answered, .ended, .unavailable:
      try await step(position) { (transaction) throws(ApplicationError) in
        try await keep(events, at: position, in: transaction)
        try await checkIn(events, at: position, in: transaction)
      }
    }
  }

  private func step(
    _ position: EventPosition,
    _ effect: (Transaction<ApplicationError>) async throws(ApplicationError) -> Void
  ) async throws(ApplicationError) {
    try await database.transaction(retrying: .conflicts(times: 3), within: Self.transactionMax) {
      (transaction) throws(ApplicationError) in
      try await transaction.leave(position)
      try await effect(transaction)
    }
  }

  /// Erases in batches, one transaction each; the last one also stores the new position. A process
  /// that takes over in between starts again and finds less data.
  private func erase(
    _ erasure: RunDataErasure, at position: EventPosition
  ) async throws(ApplicationError) {
    var after: Int64? = 0
    while let start = after {
      after = try await database.transaction(
        retrying: .conflicts(times: 3), within: Self.transactionMax
      ) { (transaction) throws(ApplicationError) in
        try await transaction.hold(position)
        let next = try await data.erase(erasure, after: start, in: transaction)
        if next == nil { try await transaction.leave(position) }
        return next
      }
    }
  }

  /// The largest duration of a transaction.
  private static let transactionMax = Duration.seconds(20)

  /// Stores samples of runners enrolled in a run; other samples are skipped. Replicas have already
  /// read past late samples, so they reload all data of the runner.
  private func keep(
    _ events: ArraySlice<InternalEvent>, at position: EventPosition,
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
    if case .deadLetter = position {
      try await transaction.run(ReadRunnersAgain(requestIDs: requestIDs))
    }
  }

  /// Checks in runners who accepted the request that their enrolment names; other requests are
  /// ended.
  ///
  /// A runner who withdrew the acceptance before the start is no longer checked in; a runner who
  /// withdrew it later has left the run.
  private func checkIn(
    _ events: ArraySlice<InternalEvent>, at position: EventPosition,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let waiting = try await transaction.deferEnds(
      among: events, at: position, now: environment.now())
    var accepted = CheckRunnersIn(now: environment.now())
    var ended = CheckRunnersOut()
    var left = RemoveRunners(now: environment.now())
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
}

extension InternalEvent {
  /// The samples in the event.
  fileprivate var arrival: (requestID: DataRequestID, number: Int64, samples: [Sample])? {
    guard case .samples(let requestID, let samples) = content else { return nil }
    return (requestID, number, samples)
  }
}
