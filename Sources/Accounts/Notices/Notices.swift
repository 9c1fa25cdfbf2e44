import Cryptography
import Domain
import EventLoop
import Postgres
import ServiceKit
import Time

/// Notifies accounts of events (NTF-1, NTF-2): in their list, on their streams, and by push and by
/// mail if no stream delivered the notice; an alarm is always pushed.
///
/// A notice is written in the transaction of its event, so that both are stored or neither is.
package struct Notices: Sendable {
  /// The time that streams have to deliver a notice before it is mailed.
  package static let mailPause = Duration.seconds(20)

  private let accountKeys: AccountKeys
  private let environment: Environment
  private let wakeUp: WakeUpSignal
  /// Wakes the worker of push messages of the process.
  package let pushWakeUp: WakeUpSignal

  /// Notices sealed with the keys of their accounts; the signals wake the streams and the worker of
  /// push messages of the process.
  package init(
    accountKeys: AccountKeys, environment: Environment, wakeUp: WakeUpSignal,
    pushWakeUp: WakeUpSignal
  ) {
    self.accountKeys = accountKeys
    self.environment = environment
    self.wakeUp = wakeUp
    self.pushWakeUp = pushWakeUp
  }

  /// Writes a notice in this transaction; call `announce` after its commit.
  ///
  /// The heads of the accounts stay locked to the end of the transaction: call it last. Deleted
  /// accounts, and accounts whose key is damaged, are skipped.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  package func add(
    _ notice: Notice, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    try await add([notice], in: transaction)
  }

  /// Writes notices in this transaction, in two statements whatever their number.
  ///
  /// - Throws: as for one notice.
  package func add(
    _ notices: [Notice], in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let keys = try await accountKeys.keys(of: Array(Set(notices.map(\.account))))
    let reachable = notices.filter { keys[$0.account] != nil }
    guard !reachable.isEmpty else { return }
    let heads = try await transaction.run(ReserveNoticeNumbers(accounts: reachable.map(\.account)))
    var next: [AccountID: ReserveNoticeNumbers.Row] = [:]
    for head in heads { next[head.account] = head }
    var columns = InsertNotices(createdAt: environment.now())
    for notice in reachable {
      guard let key = keys[notice.account], var head = next[notice.account] else { continue }
      columns.append(
        notice, number: head.first,
        isMailed: !notice.isMailedApart && head.mailedKinds & notice.kind.bit != 0,
        mailAt: columns.createdAt + Self.mailPause, under: key)
      head.first += 1
      next[notice.account] = head
    }
    try await transaction.run(columns)
  }

  /// Wakes the streams and the push messages of this process, after a transaction with notices has
  /// committed; without it streams poll ten times a second, and push messages once.
  package func announce() {
    wakeUp.signal()
    pushWakeUp.signal()
  }

  static func context(_ account: AccountID, _ number: Int64) -> SealContext {
    SealContext(
      table: "notices", column: "sealed_payload", row: SealRow(account.rawValue, number))
  }
}
