import Domain
import HTTP
import Postgres
import Privacy

/// Writes the record of accesses to personal data by others (NFR-6).
package struct AccessRecorder: Sendable {
  private let chain: AuditChain

  /// A record whose chain hangs on this secret.
  package init(root: RootSecret) { chain = AuditChain(root: root) }

  /// Adds an entry to the person's record, as part of the transaction that decided on the access;
  /// the data may leave once it has committed.
  ///
  /// The person's record stays locked to the end of the transaction: call it last.
  package func record(
    _ data: AccessedData, in transaction: Transaction<Problem>
  ) async throws(Problem) {
    let lock = LockAccessHead(
      account: data.account, start: chain.start(subject: data.account.rawValue))
    guard let head = try await transaction.runOne(lock) else { throw .internalError }
    let entry = AccessEntry(data, number: head.count + 1)
    let link = chain.link(after: head.link, entry: entry.bytes.span)
    try await transaction.run(
      InsertAccess(entry: entry, link: link),
      MoveAccessHead(account: data.account, count: entry.number, link: link))
  }
}
