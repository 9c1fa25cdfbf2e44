import Accounts
import Domain
import EventLoop
import GroupStatistics
import HealthRecords
import Mail
import Postgres
import ServiceKit
import Sharing

/// Deletes accounts permanently (ACC-8): first a line of the ledger, then the data, then the key.
///
/// Each step can be repeated: the worker finishes a deletion that a crash interrupted, and deletes
/// again what a restored backup brought back, because the ledger is stored with the keys.
package struct AccountDeletion: Sendable {
  /// The longest time for deleting the data of one account.
  static let timeMax = Duration.seconds(20)

  private let dependencies: SharingDependencies

  /// Deletions on one loop.
  package init(_ dependencies: SharingDependencies) { self.dependencies = dependencies }

  /// Deletes an account; returns once none of its data can be read.
  ///
  /// - Throws: `unavailable` if a database is unavailable: from the line of the ledger on, the
  ///   worker finishes the deletion.
  package func delete(_ account: AccountID) async throws(ApplicationError) {
    _ = try await dependencies.keysDatabase.effect(
      EnterDeletion(account: account, at: dependencies.environment.now()))
    try await finish(account)
  }

  /// The steps after the line of the ledger.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  func finish(_ account: AccountID) async throws(ApplicationError) {
    defer {
      dependencies.events.announce()
      dependencies.notices.announce()
    }
    let requestIDs = try await dependencies.database.transaction(
      retrying: .conflicts(times: 3), within: Self.timeMax
    ) {
      (transaction) throws(ApplicationError) in
      try await erase(account, in: transaction)
    }
    try await dependencies.revocations.revoke(requestIDs, mailsOf: account)
    try await dependencies.accountKeys.destroy([account])
  }

  /// Locks in the order of deliveries and answers: the account, its requests, its samples, the
  /// sequences, the notices. So it waits for deliveries that read; later ones find no request.
  /// Login failures are locked before their account, so this takes only unlocked ones; mails about
  /// notices lock their account with the notice, and skip one that is being deleted. Returns the
  /// requests that were ended.
  private func erase(
    _ account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [DataRequestID] {
    let now = dependencies.environment.now()
    let isThere = try await transaction.runOne(LockAccountToDelete(account: account)) != nil
    guard isThere else {
      // Work that was in progress when the account was deleted.
      try await removeRest(of: account, in: transaction)
      return []
    }
    let (_, requests, _) = try await transaction.run(
      EndTokens(account: account, withKeysAndDevices: true, at: now),
      LockRequestsOfAccount(account: account), LockSampleAccounts(accounts: [account]))
    let notified = requests.filter { $0.account == account || $0.isCheckIn }
    try await dependencies.events.erased(
      of: account, DataTypeSet(DataType.allCases), from: nil, to: nil, in: transaction)
    try await transaction.run(
      EndRequestsOfAccount(account: account, now: now),
      DeleteMails(account: account, requestIDs: requests.map(\.requestID)))
    try await removeRest(of: account, in: transaction)
    try await transaction.run(DeleteAccount(account: account))
    var events = EnterEvents(now: now)
    for row in notified { Self.notify(of: row, &events) }
    dependencies.deletedAccounts.append(account, to: &events)
    try await transaction.run(events)
    try await dependencies.notices.add(
      requests.compactMap { Self.notice(of: $0, without: account) }, in: transaction)
    return requests.map(\.requestID)
  }

  private func removeRest(
    of account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    try await transaction.run(
      LockSliceOfAccount(account: account), ForgetDayValues(account: account),
      DeleteHealthData(account: account), DeleteStaged(account: account),
      DeleteNotices(account: account), DeleteThirdPartyRows(account: account),
      ForgetAnswersOfAccount(account: account))
  }

  /// The notice to the other side of an accepted request; for a check-in, Track4Run notifies the
  /// organiser.
  private static func notice(
    of row: SingleRequestRow, without account: AccountID
  ) -> Notice? {
    guard [.accepted, .paymentDue].contains(row.status), !row.isCheckIn || row.account != account
    else { return nil }
    return RequestNotices.ended(
      row.requestID, .accountDeleted, to: row.account == account ? row.thirdParty : row.account)
  }

  private static func notify(of row: SingleRequestRow, _ events: inout EnterEvents) {
    switch row.status {
    case .pending:
      events.append(
        .answered, row.requestID, to: row.recipient, status: .expired)
    case .accepted, .paymentDue:
      events.append(
        .ended, row.requestID, to: row.recipient, status: .ended,
        reason: .accountDeleted)
    case .declined, .expired, .ended: break
    }
  }
}
