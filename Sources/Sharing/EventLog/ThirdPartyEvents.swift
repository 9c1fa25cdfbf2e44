import Accounts
import Domain
import EventLoop
import Postgres
import ServiceKit
import Time

/// Adds events other than data to the sequences of third parties (REQ-4, REQ-9), in the
/// transactions of their causes; callbacks, streams and readers find them there.
package struct ThirdPartyEvents: DataRecipients {
  private let environment: Environment
  private let wakeUp: WakeUpSignal
  private let notices: Notices

  /// Events of one loop; `wakeUp` wakes the streams of the process.
  package init(environment: Environment, wakeUp: WakeUpSignal, notices: Notices) {
    self.notices = notices
    self.environment = environment
    self.wakeUp = wakeUp
  }

  /// Samples of these types, from one time until before another, were erased: notifies every
  /// recipient of some of them, so that they are erased there too.
  ///
  /// Sequences stay locked to the end of the transaction: lock no rows of accounts afterwards.
  package func erased(
    of account: AccountID, _ types: DataTypeSet, from: Instant?, to: Instant?,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    try await transaction.run(
      EnterAccountEvents(
        account: account, kind: .erased, types: types, reason: nil,
        from: from?.millisecondsSince1970, to: to?.millisecondsSince1970, now: environment.now()))
  }

  /// Samples of these types are unavailable, indefinitely or until a time: notifies their
  /// subscribers, in the sequence and by a notice (REQ-9).
  ///
  /// Sequences and the heads of notices stay locked to the end of the transaction: call this last.
  package func unavailable(
    of account: AccountID, _ types: DataTypeSet, _ reason: UnavailableReason,
    until: Instant?, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let notified = try await transaction.run(
      EnterAccountEvents(
        account: account, kind: .unavailable, types: types, reason: reason.rawValue, from: nil,
        to: until?.millisecondsSince1970, now: environment.now()))
    try await notices.add(
      notified.map { RequestNotices.unavailable($0, reason, until: until) }, in: transaction)
  }

  /// Relays the stored samples of an account by its state now.
  package func relayStored(
    of account: AccountID, in database: Database
  ) async throws(ApplicationError) {
    let relay = RelayAccounts(now: environment.now(), accounts: [account])
    let count = try await database.effect(relay) ?? 0
    if count > 0 { announce() }
  }

  /// Excludes the samples of an inactive account from its unpaid subscriptions.
  package func hideFromUnpaid(
    of account: AccountID, isActive: Bool, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    try await transaction.run(HideFromUnpaid(isActive: isActive, account: account))
  }

  /// A request was answered, has expired or has ended: notifies its third party.
  ///
  /// The sequence stays locked to the end of the transaction.
  package func changed(
    _ request: SingleRequest, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    try await changed([request], in: transaction)
  }

  /// The same for several, in one statement.
  package func changed(
    _ requests: [SingleRequest], in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    var events = EnterEvents(now: environment.now())
    for request in requests { Self.notify(of: request, &events) }
    guard !events.requestIDs.isEmpty else { return }
    try await transaction.run(events)
  }

  private static func notify(of request: SingleRequest, _ events: inout EnterEvents) {
    switch request.state {
    case .pending: break
    case .accepted, .paymentDue, .declined, .expired:
      events.append(
        .answered, request.id, to: request.recipient,
        status: StoredStatus(request.state))
    case .ended(_, let reason, _):
      events.append(
        reason == .noData ? .answered : .ended, request.id, to: request.recipient,
        status: .ended, reason: StoredEndReason(reason))
    }
  }

  /// Wakes the streams of this process, after a transaction with events has committed.
  package func announce() { wakeUp.signal() }
}
