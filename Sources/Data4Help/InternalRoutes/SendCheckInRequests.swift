import Accounts
import Domain
import EventLoop
import InternalAPI
import Postgres
import ServiceKit
import Sharing
import Time

/// Sends the check-in requests of a run on behalf of its organiser (R39 to R42), some hundreds at a
/// time in a handful of statements.
///
/// They are requests like any other: the person sees the company and the requested data, answers in
/// the same way, and finds every delivery in the record of accesses. Lists of pre-confirmed third
/// parties do not apply (R47).
struct SendCheckInRequests: Sendable {
  let environment: Environment
  let database: Database
  let notices: Notices

  /// Stores the requests of a batch that do not exist yet; returns the outcome of each.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  func send(_ batch: CheckInBatch) async throws(ApplicationError) -> CheckInOutcomes {
    defer { notices.announce() }
    let run = CheckInRun(runID: batch.runID, code: batch.code, name: batch.runName)
    return try await database.transaction(retrying: .conflicts(times: 3)) {
      (transaction) throws(ApplicationError) in
      var outcomes = CheckInDraft(
        batch, accounts: try await transaction.run(HoldCheckInAccounts(batch)),
        now: environment.now().flooredToMilliseconds)
      try await transaction.run(NoteCheckInRun(run: run))
      let new = try await insert(&outcomes, of: run.runID, in: transaction)
      try await notices.add(new.map(RequestNotices.asked), in: transaction)
      return outcomes.result
    }
  }

  /// Stores the requests of a draft, and returns the new ones; the draft notes identifiers that
  /// belong to other requests.
  private func insert(
    _ draft: inout CheckInDraft, of runID: Int64, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [SingleRequest] {
    guard !draft.requests.isEmpty else { return [] }
    let stored = try await transaction.run(InsertCheckIns(draft.requests, of: runID))
    let inserted = Set(stored)
    let others = draft.requests.map(\.id).filter { !inserted.contains($0) }
    if !others.isEmpty {
      draft.compare(with: try await transaction.run(RequestsByID(requestIDs: others)))
    }
    return draft.requests.filter { inserted.contains($0.id) }
  }
}

/// The requests of a batch, checked against the existing accounts.
struct CheckInDraft {
  /// The possible requests, in the order of the identifiers.
  private(set) var requests: [SingleRequest] = []
  private let batch: CheckInBatch
  private var refusals: [DataRequestID: CheckInOutcome] = [:]

  init(_ batch: CheckInBatch, accounts: [HoldCheckInAccounts.Row], now: Instant) {
    self.batch = batch
    var known: [AccountID: HoldCheckInAccounts.Row] = [:]
    for row in accounts { known[row.account] = row }
    for runner in batch.runners {
      if let refusal = Self.refusal(known[runner.account], known[batch.organiser]) {
        refusals[runner.requestID] = refusal
        continue
      }
      do throws(SingleRequestTermsError) {
        requests.append(
          try .checkIn(
            runner.requestID, of: runner.account, onBehalfOf: batch.organiser,
            available: known[runner.account]?.available ?? .none, startsAt: batch.startsAt,
            endsAt: batch.endsAt, now: now))
      } catch {
        refusals[runner.requestID] = .begun
      }
    }
    requests.sort { ($0.id.high, $0.id.low) < ($1.id.high, $1.id.low) }
  }

  private static func refusal(
    _ runner: HoldCheckInAccounts.Row?, _ organiser: HoldCheckInAccounts.Row?
  ) -> CheckInOutcome? {
    guard let organiser, organiser.kind == .thirdParty, organiser.isActive else {
      return .organiserDeleted
    }
    guard let runner, runner.kind == .singleUser else { return .deleted }
    return runner.isActive ? nil : .inactive
  }

  /// An identifier is valid if it belongs to the same request.
  mutating func compare(with rows: [SingleRequestRow]) {
    var stored: [DataRequestID: SingleRequestRow] = [:]
    for row in rows { stored[row.requestID] = row }
    for request in requests {
      guard let row = stored[request.id] else { continue }
      let isSame =
        row.isCheckIn && row.thirdParty == request.thirdParty && row.account == request.singleUser
      if !isSame { refusals[request.id] = .taken }
    }
  }

  /// One outcome for each runner, in the order of the batch.
  var result: CheckInOutcomes {
    CheckInOutcomes(batch.runners.map { refusals[$0.requestID] ?? .sent })
  }
}
