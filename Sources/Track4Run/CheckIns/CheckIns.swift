import Domain
import EventLoop
import HTTP
import Postgres
import Privacy
import Services

/// What happens to the check-ins of a run, inside the transaction of what causes it (R39 to R42).
///
/// An enrolment names the request that its runner was sent; checked in is who accepted that one.
/// Requests that no enrolment names any more are taken back.
package struct CheckIns: Sendable {
  /// Runners of one transaction at most.
  static let portionMax: Int64 = 5_000

  let outbox: Outbox
  private let identifiers: CheckInIdentifiers
  private let world: World

  /// Check-ins whose requests have identifiers by a server key.
  package init(root: RootSecret, world: World, outbox: Outbox) {
    identifiers = CheckInIdentifiers(root: root)
    self.world = world
    self.outbox = outbox
  }

  /// Asks runners of a run that is to be opened by then (R39); gives whether more are to be asked.
  ///
  /// - Throws: 503 if the database is away.
  func open(
    _ runID: Int64, startingBefore: WallTime, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> Bool {
    let now = world.now()
    let hold = HoldRunToOpen(runID: runID, now: now, startingBefore: startingBefore)
    guard try await transaction.runOne(hold) != nil else { return false }
    let rows = try await transaction.run(
      RunnersToAsk(runID: runID, countMax: Self.portionMax))
    try await ask(rows, of: runID, in: transaction)
    let isWhole = rows.count < Self.portionMax
    if isWhole { try await transaction.run(MarkCheckInOpen(runID: runID, now: now)) }
    return !isWhole
  }

  /// Asks a runner who has joined a run whose check-in is open.
  ///
  /// - Throws: 503 if the database is away.
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

  /// A run that is held begins or ends at another time: what was asked is taken back, also what was
  /// accepted, and who is enrolled is asked anew.
  ///
  /// - Throws: 503 if the database is away.
  package func moved(
    _ runID: Int64, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let (requestIDs, _) = try await transaction.run(
      TakeRequestsBack(runID: runID), MarkCheckInClosed(runID: runID))
    try await end(requestIDs.compactMap(\.self), in: transaction)
  }

  /// Takes back requests of who is not in the run any more.
  ///
  /// - Throws: 503 if the database is away.
  package func end(
    _ requestIDs: [DataRequestID], in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    try await outbox.add([.ends(requestIDs)], in: transaction)
  }
}
