import Data4HelpSync
import Domain
import EventLoop
import InternalAPI
import Operations
import Postgres
import ServiceKit

/// Sends check-in requests of the outbox to Data4Help and withdraws requests: one call after the
/// other, in the order in which they were written.
///
/// Recipients are resolved at send time, so stale orders skip runners who left or were asked again.
package struct CheckInOutboxDispatcher: Sendable {
  /// The largest number of orders read for one call.
  static let ordersMax: Int64 = 100
  /// The pause before another request if the account of the runner or of the organiser is inactive.
  static let inactivePause = Duration.seconds(60)

  private let environment: Environment
  private let database: Database
  private let outbox: Outbox
  private let data4help: Data4HelpClient
  private let departures: AccountDepartures
  private let metrics: OutboxMetrics
  private let log: Log

  /// Creates the sending of this outbox's orders; `departures` erases accounts that Data4Help no
  /// longer has.
  package init(
    environment: Environment, database: Database, outbox: Outbox, data4help: Data4HelpClient,
    departures: AccountDepartures, metrics: OutboxMetrics, log: Log
  ) {
    self.environment = environment
    self.database = database
    self.outbox = outbox
    self.data4help = data4help
    self.departures = departures
    self.metrics = metrics
    self.log = log
  }

  /// Makes one call for the oldest due orders.
  ///
  /// - Throws: `unavailable` if the database is unreachable.
  package func send() async throws(ApplicationError) -> DispatchProgress {
    let rows = try await outbox.waiting(
      [.checkIns, .ends], countMax: Self.ordersMax, in: database)
    guard let first = rows.first else { return .idle }
    let call = call(of: rows)
    guard !call.orders.isEmpty else {
      // The first order is unreadable: it becomes a dead letter, and the next order is first.
      var outcomes = OrderOutcomes()
      outcomes.add(.refused(.internalError(because: "The order can't be read.")), to: [first])
      return try await note(outcomes)
    }
    switch first.kind {
    case .ends: return try await withdraw(call.requestIDs, call.orders)
    case .checkIns:
      return try await ask(call.requestIDs, of: first.runID ?? 0, call.orders)
    case .notice, .mail: return .idle
    }
  }

  private func note(_ outcomes: OrderOutcomes) async throws(ApplicationError) -> DispatchProgress {
    try await outcomes.note(at: environment.now(), in: database, metrics: metrics, log: log)
  }

  /// The orders that share a call with the first one, up to the first unreadable order; none if the
  /// first one is unreadable.
  private func call(
    of rows: [WaitingOrder]
  ) -> (orders: [WaitingOrder], requestIDs: [DataRequestID]) {
    var orders: [WaitingOrder] = []
    var requestIDs: [DataRequestID] = []
    for row in rows {
      guard row.kind == rows[0].kind, row.runID == rows[0].runID,
        let more = requests(of: row), requestIDs.count + more.count <= CheckInBatch.countMax
      else { break }
      requestIDs += more
      orders.append(row)
    }
    return (orders, requestIDs)
  }

  private func requests(of row: WaitingOrder) -> [DataRequestID]? {
    do throws(ApplicationError) {
      return try outbox.opened(row, CheckInEnds.self).requestIDs
    } catch {
      return nil
    }
  }

  private func withdraw(
    _ requestIDs: [DataRequestID], _ orders: [WaitingOrder]
  ) async throws(ApplicationError) -> DispatchProgress {
    var outcomes = OrderOutcomes()
    let callID = RequestID.random()
    let reply = await data4help.following(callID).order(
      InternalPath.ends, CheckInEnds(requestIDs))
    outcomes.add(reply, to: orders, by: callID)
    return try await note(outcomes)
  }

  private func ask(
    _ requestIDs: [DataRequestID], of runID: Int64, _ orders: [WaitingOrder]
  ) async throws(ApplicationError) -> DispatchProgress {
    var outcomes = OrderOutcomes()
    let run = try await database.row(RunToAskFor(runID: runID, now: environment.now()))
    let asked =
      run == nil
      ? [] : try await database.rows(AskedRunners(requestIDs: requestIDs))
    // A batch without runners still updates the name of the run in earlier requests.
    guard let run else {
      outcomes.add(.done([]), to: orders)
      return try await note(outcomes)
    }
    let batch = CheckInBatch(
      organiser: run.organiser, runID: runID, code: run.code, runName: run.name,
      startsAt: run.startsAt,
      endsAt: run.endsAt,
      runners: asked.map { CheckInBatch.Runner($0.requestID, $0.account) })
    let callID = RequestID.random()
    var reply = await data4help.following(callID).order(InternalPath.requests, batch)
    if case .done(let bytes) = reply {
      if let parsed = parsedOutcomes(bytes, of: asked) {
        try await note(parsed, of: runID, by: callID)
      } else {
        reply = .failed(
          .internalError(because: "The answer of Data4Help to check-ins can't be read."))
      }
    }
    outcomes.add(reply, to: orders, by: callID)
    return try await note(outcomes)
  }

  /// The outcome of each runner in Data4Help's answer; nil for an answer of a different form.
  private func parsedOutcomes(
    _ bytes: [UInt8], of asked: [AskedRunners.Row]
  ) -> [(AskedRunners.Row, CheckInOutcome)]? {
    do throws(ApplicationError) {
      let outcomes = try Data4HelpClient.read(CheckInOutcomes.self, from: bytes).outcomes
      return outcomes.count == asked.count ? Array(zip(asked, outcomes)) : nil
    } catch {
      return nil
    }
  }

  /// Stores the consequences for runners who could not be asked.
  ///
  /// This happens before the order is removed: if it fails, the call is repeated with the same
  /// result.
  private func note(
    _ outcomes: [(AskedRunners.Row, CheckInOutcome)], of runID: Int64, by callID: RequestID
  ) async throws(ApplicationError) {
    func those(_ meant: Set<CheckInOutcome>) -> [AskedRunners.Row] {
      outcomes.filter { meant.contains($0.1) }.map(\.0)
    }
    metrics.asked.increment(by: UInt64(those([.sent]).count))
    let (again, deleted) = (those([.inactive, .organiserDeleted]), those([.deleted]))
    if outcomes.contains(where: { $0.1 == .taken }) {
      log.following(callID).error(
        "send check-in requests failed",
        [.constant("cause", "request identifiers are taken"), .number("run", runID)])
    }
    for row in deleted {
      try await departures.removeData(of: row.account, from: database)
      try await database.transaction(retrying: .conflicts(times: 3)) {
        (transaction) throws(ApplicationError) in
        try await departures.erase(row.account, in: transaction)
      }
    }
    guard !again.isEmpty else { return }
    try await database.transaction { (transaction) throws(ApplicationError) in
      try await outbox.add(
        [.checkIns(runID: runID, again.map(\.requestID))], after: Self.inactivePause,
        in: transaction)
    }
  }
}
