import Cryptography
import Domain
import Postgres
import ServiceKit

/// A fault in a person's access record.
package enum AccessFault: Sendable, Hashable, CustomStringConvertible {
  /// The entry of this number is missing, although later ones, or the head, prove that it existed.
  case missing(number: Int64)
  /// The entry of this number, or one before it, differs from the written one.
  case changed(number: Int64)
  /// The record ends before its checkpoint.
  case cut(count: Int64, checkpointed: Int64)
  /// The entry of this number differs from the checkpointed one.
  case rewritten(number: Int64)
  /// The head is not the last entry's link.
  case headChanged

  /// One sentence for an operator.
  package var description: String {
    switch self {
    case .missing(let number): "Entry \(number) is missing."
    case .changed(let number): "Entry \(number) differs from the written one."
    case .cut(let count, let checkpointed):
      "The record has \(count) entries, but \(checkpointed) were checkpointed."
    case .rewritten(let number): "Entry \(number) is not the one that was checkpointed."
    case .headChanged: "The head does not belong to the last entry."
    }
  }
}

/// Verifies a person's record link by link.
struct AuditVerifier: Sendable {
  static let pageMax = 1_000

  let database: Database
  let chain: AuditChain

  /// Verifies the entries after `link`, which is that of entry `count`, to the head, and returns
  /// the first fault. At the checkpoint it also compares the link.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  func fault(
    of head: AccessHead, after count: Int64, _ link: AuditLink, checkpoint: AuditCheckpoint?
  ) async throws(ApplicationError) -> (fault: AccessFault?, entries: Int64) {
    var steps = Steps(chain: chain, checkpoint: checkpoint, count: count, link: link)
    while steps.count < head.count {
      let page = try await database.rows(
        AccessesInOrder(
          account: head.account, first: steps.count + 1, last: head.count, limit: Self.pageMax))
      let fault = steps.take(page) ?? (page.isEmpty ? steps.missing : nil)
      if let fault { return (fault, steps.count - count) }
    }
    return (steps.link == head.link ? nil : .headChanged, steps.count - count)
  }

  /// The people whose few new entries follow from their checkpoints, read with one query.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  func following(
    _ records: [(head: AccessHead, checkpoint: AuditCheckpoint)]
  ) async throws(ApplicationError) -> Set<AccountID> {
    let rows = try await database.rows(
      AccessesAfter(
        accounts: records.map(\.head.account), counts: records.map(\.checkpoint.count),
        last: records.map(\.head.count)))
    let entries = Dictionary(grouping: rows, by: \.account)
    let sound = records.filter { head, checkpoint in
      let start = checkpoint.link ?? chain.start(subject: head.account.rawValue)
      var steps = Steps(chain: chain, checkpoint: nil, count: checkpoint.count, link: start)
      return steps.take(entries[head.account] ?? []) == nil && steps.count == head.count
        && steps.link == head.link
    }
    return Set(sound.map(\.head.account))
  }

  /// The progress of a verification.
  private struct Steps {
    let chain: AuditChain
    let checkpoint: AuditCheckpoint?
    var count: Int64
    var link: AuditLink

    var missing: AccessFault { .missing(number: count + 1) }

    /// Continues over these entries; returns the first fault.
    mutating func take(_ rows: [AccessRow]) -> AccessFault? {
      for row in rows {
        guard row.number == count + 1 else { return missing }
        count = row.number
        link = chain.link(after: link, entry: AccessEntry(row).bytes.span)
        if link != row.chain { return .changed(number: count) }
        if let checkpoint, checkpoint.count == count, let checkpointed = checkpoint.link,
          checkpointed != link
        {
          return .rewritten(number: count)
        }
      }
      return nil
    }
  }
}
