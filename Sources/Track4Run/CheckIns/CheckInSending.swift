import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Services

/// Sends check-in requests of the outbox to Data4Help and withdraws requests: one call after the
/// other, in the order of writing.
///
/// Recipients are resolved at send time, so stale orders skip runners who left or were asked again.
struct CheckInSending: Sendable {
  /// The largest number of orders read for one call.
  static let ordersMax: Int64 = 100
  /// The pause before another request if the account of the runner or of the organiser is inactive.
  static let inactivePause = Duration.seconds(60)

  let surroundings: RunSurroundings
  let departures: AccountDepartures

  /// Makes one call for the oldest due orders.
  ///
  /// - Throws: `unavailable` if the database is unreachable.
  func send() async throws(ApplicationError) -> SendingProgress {
    let rows = try await surroundings.database.rows(
      WaitingOrders(
        kinds: [.checkIns, .ends], now: surroundings.world.now(), countMax: Self.ordersMax))
    guard let first = rows.first else { return .idle }
    let call = call(of: rows)
    guard !call.orders.isEmpty else {
      // The first order is unreadable: it becomes a dead letter, and the next order is first.
      var outcomes = OrderOutcomes()
      outcomes.add(.refused(.internalError(because: "The order can't be read.")), to: [first])
      return try await outcomes.note(in: surroundings)
    }
    switch first.kind {
    case .ends: return try await takeBack(call.requestIDs, call.orders)
    case .checkIns:
      return try await ask(call.requestIDs, of: first.runID ?? 0, call.orders)
    case .notice, .mail: return .idle
    }
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
      return try surroundings.outbox.opened(row, CheckInEnds.self).requestIDs
    } catch {
      return nil
    }
  }

  private func takeBack(
    _ requestIDs: [DataRequestID], _ orders: [WaitingOrder]
  ) async throws(ApplicationError) -> SendingProgress {
    var outcomes = OrderOutcomes()
    let reply = await surroundings.data4help.order(InternalPath.ends, CheckInEnds(requestIDs))
    outcomes.add(reply, to: orders)
    return try await outcomes.note(in: surroundings)
  }

  private func ask(
    _ requestIDs: [DataRequestID], of runID: Int64, _ orders: [WaitingOrder]
  ) async throws(ApplicationError) -> SendingProgress {
    var outcomes = OrderOutcomes()
    let run = try await surroundings.database.row(
      RunToAskFor(runID: runID, now: surroundings.world.now()))
    let asked =
      run == nil
      ? [] : try await surroundings.database.rows(AskedRunners(requestIDs: requestIDs))
    // A batch without runners still updates the name of the run in earlier requests.
    guard let run else {
      outcomes.add(.done([]), to: orders)
      return try await outcomes.note(in: surroundings)
    }
    let batch = CheckInBatch(
      organiser: run.organiser, runID: runID, code: run.code, runName: run.name,
      startsAt: run.startsAt.timestamp,
      endsAt: run.endsAt.timestamp,
      runners: asked.map { CheckInBatch.Runner($0.requestID, $0.account) })
    var reply = await surroundings.data4help.order(InternalPath.requests, batch)
    if case .done(let bytes) = reply {
      if let told = told(bytes, of: asked) {
        try await note(told, of: runID)
      } else {
        reply = .failed(
          .internalError(because: "The answer of Data4Help to check-ins can't be read."))
      }
    }
    outcomes.add(reply, to: orders)
    return try await outcomes.note(in: surroundings)
  }

  /// The outcome of each runner in Data4Help's answer; nil for an answer of another form.
  private func told(
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
    _ outcomes: [(AskedRunners.Row, CheckInOutcome)], of runID: Int64
  ) async throws(ApplicationError) {
    func those(_ meant: Set<CheckInOutcome>) -> [AskedRunners.Row] {
      outcomes.filter { meant.contains($0.1) }.map(\.0)
    }
    surroundings.metrics.asked.increment(by: UInt64(those([.sent]).count))
    let (again, gone) = (those([.inactive, .organiserGone]), those([.gone]))
    if outcomes.contains(where: { $0.1 == .taken }) {
      surroundings.log.error(
        "send check-in requests failed",
        [.word("cause", "request identifiers are taken"), .number("run", runID)])
    }
    for row in gone {
      try await departures.removeData(of: row.account, from: surroundings.database)
      try await surroundings.database.transaction(retrying: .conflicts(times: 3)) {
        (transaction) throws(ApplicationError) in
        try await departures.erase(row.account, in: transaction)
      }
    }
    guard !again.isEmpty else { return }
    try await surroundings.database.transaction { (transaction) throws(ApplicationError) in
      try await surroundings.outbox.add(
        [.checkIns(runID: runID, again.map(\.requestID))], after: Self.inactivePause,
        in: transaction)
    }
  }
}
