import Cryptography
import Data4HelpSync
import Domain
import EventLoop
import InternalAPI
import Postgres
import ServiceKit
import Time

/// Changes the check-ins of a run inside the transaction that causes the change (R39 to R42).
///
/// An enrolment names the request that its runner received; a runner is checked in after accepting
/// that request. Requests that no enrolment names are withdrawn.
package struct CheckIns: Sendable {
  /// The largest number of runners in one transaction.
  static let portionMax: Int64 = 5_000

  let outbox: Outbox
  private let identifiers: CheckInIdentifiers
  private let environment: Environment

  /// Creates check-ins whose request identifiers derive from a server key.
  package init(root: RootSecret, environment: Environment, outbox: Outbox) {
    identifiers = CheckInIdentifiers(root: root)
    self.environment = environment
    self.outbox = outbox
  }

  /// Asks runners of a run whose check-in opens by that time (R39); returns whether more runners
  /// have to be asked.
  ///
  /// - Throws: `unavailable` if the database is unreachable.
  func open(
    _ runID: Int64, startingBefore: Instant, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Bool {
    let now = environment.now()
    let hold = HoldRunToOpen(runID: runID, now: now, startingBefore: startingBefore)
    guard try await transaction.runOne(hold) != nil else { return false }
    let rows = try await transaction.run(
      RunnersToAsk(runID: runID, countMax: Self.portionMax))
    try await ask(rows, of: runID, in: transaction)
    let isWhole = rows.count < Self.portionMax
    if isWhole { try await transaction.run(MarkCheckInOpen(runID: runID, now: now)) }
    return !isWhole
  }

  /// Asks a runner who joined a run with an open check-in.
  ///
  /// - Throws: `unavailable` if the database is unreachable.
  func ask(
    _ number: Int32, _ runner: AccountID, of runID: Int64,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    try await ask(
      [RunnersToAsk.Row(number: number, account: runner, attempts: 0)], of: runID, in: transaction)
  }

  private func ask(
    _ rows: [RunnersToAsk.Row], of runID: Int64, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    guard !rows.isEmpty else { return }
    let requestIDs = rows.map { row in
      identifiers.requestID(
        run: runID, runner: row.account,
        attempt: Int64(row.number) << 20 | Int64(row.attempts + 1))
    }
    try await transaction.run(
      NoteRequests(runID: runID, numbers: rows.map(\.number), requestIDs: requestIDs),
      outbox.addition(of: [.checkIns(runID: runID, requestIDs)]))
  }

  /// Restarts the check-in of a locked run that begins or ends at another time: requests are
  /// withdrawn, accepted ones too, and all enrolled runners are asked again.
  ///
  /// - Throws: `unavailable` if the database is unreachable.
  package func moved(
    _ runID: Int64, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let (requestIDs, _) = try await transaction.run(
      WithdrawRequests(runID: runID), MarkCheckInClosed(runID: runID))
    try await end(requestIDs.compactMap(\.self), in: transaction)
  }

  /// Withdraws requests of runners who left the run.
  ///
  /// - Throws: `unavailable` if the database is unreachable.
  package func end(
    _ requestIDs: [DataRequestID], in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    try await outbox.add([.ends(requestIDs)], in: transaction)
  }
}
