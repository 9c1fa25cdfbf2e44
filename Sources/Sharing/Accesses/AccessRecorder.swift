import Cryptography
import Domain
import Postgres
import ServiceKit

/// Writes the record of accesses to personal data by third parties (NFR-6).
package struct AccessRecorder: Sendable {
  private let chain: AuditChain

  /// A recorder whose chain is keyed by this secret.
  package init(root: RootSecret) { chain = AuditChain(root: root) }

  /// Adds an entry to the person's record, in the transaction that decided on the access; the data
  /// may be sent once it has committed.
  ///
  /// The person's record stays locked until the end of the transaction: call this last.
  package func record(
    _ data: AccessedData, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    try await record([data], in: transaction)
  }

  /// Adds entries to people's records, in three statements regardless of their number; otherwise as
  /// for one.
  package func record(
    _ entries: [AccessedData], in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let accounts = Set(entries.map(\.account)).sorted()
    guard !accounts.isEmpty else { return }
    let lock = LockAccessHeads(
      accounts: accounts, starts: accounts.map { chain.start(subject: $0.rawValue) })
    var heads: [AccountID: AccessHead] = [:]
    let locked = try await transaction.run(lock)
    for head in locked { heads[head.account] = head }
    var rows = InsertAccesses()
    for data in entries {
      guard let head = heads[data.account] else {
        throw .internalError(because: "A record of accesses has no head after it was locked.")
      }
      let entry = AccessEntry(data, number: head.count + 1)
      let link = chain.link(after: head.link, entry: entry.bytes.span)
      rows.append(entry, link)
      heads[data.account] = AccessHead(account: data.account, count: entry.number, link: link)
    }
    let moved = accounts.compactMap { heads[$0] }
    try await transaction.run(
      rows,
      MoveAccessHeads(
        accounts: moved.map(\.account), counts: moved.map(\.count), links: moved.map(\.link)))
  }
}
