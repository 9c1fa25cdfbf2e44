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
  /// The code that anchors the record at the last rotation of the root secret is wrong.
  case anchorChanged

  /// One sentence for an operator.
  package var description: String {
    switch self {
    case .missing(let number): "Entry \(number) is missing."
    case .changed(let number): "Entry \(number) differs from the written one."
    case .cut(let count, let checkpointed):
      "The record has \(count) entries, but \(checkpointed) were checkpointed."
    case .rewritten(let number): "Entry \(number) is not the one that was checkpointed."
    case .headChanged: "The head does not belong to the last entry."
    case .anchorChanged: "The anchor of the last rotation was not made by this installation."
    }
  }
}

/// Verifies a person's record link by link.
struct AuditVerifier: Sendable {
  static let pageMax = 1_000

  let database: Database
  let chain: AuditChain

  /// The secrets under which entries are accepted.
  enum Trust {
    /// Those of the file; up to an anchor former ones too.
    case after(AuditAnchor?)
    /// Former ones too: for the record of a deleted account, which has no anchor.
    case anySecret

    fileprivate var anchor: AuditAnchor? {
      if case .after(let anchor) = self { anchor } else { nil }
    }

    fileprivate var lastAnchored: Int64 {
      switch self {
      case .after(let anchor): anchor?.count ?? 0
      case .anySecret: .max
      }
    }
  }

  /// Verifies the entries after `link`, which is that of entry `count` (nil for the start), to the
  /// head, and returns the first fault. At the checkpoint and the anchor it also compares the link.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  func fault(
    of head: AccessHead, after count: Int64, _ link: AuditLink?, checkpoint: AuditCheckpoint?,
    trust: Trust
  ) async throws(ApplicationError) -> (fault: AccessFault?, entries: Int64) {
    if let anchor = trust.anchor {
      let isOurs = chain.isAnchor(
        anchor.code, subject: head.account.rawValue, count: anchor.count, link: anchor.link)
      guard isOurs else { return (.anchorChanged, 0) }
    }
    var steps = Steps(
      chain: chain, account: head.account, checkpoint: checkpoint, trust: trust, count: count,
      link: link)
    while steps.count < head.count {
      let page = try await database.rows(
        AccessesInOrder(
          account: head.account, first: steps.count + 1, last: head.count, limit: Self.pageMax))
      let fault = steps.take(page) ?? (page.isEmpty ? steps.missing : nil)
      if let fault { return (fault, steps.count - count) }
    }
    return (steps.ends(at: head) ? nil : .headChanged, steps.count - count)
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
      var steps = Steps(
        chain: chain, account: head.account, checkpoint: nil, trust: .after(checkpoint.anchor),
        count: checkpoint.count, link: checkpoint.link)
      return steps.take(entries[head.account] ?? []) == nil && steps.ends(at: head)
    }
    return Set(sound.map(\.head.account))
  }

  /// The progress of a verification.
  private struct Steps {
    let chain: AuditChain
    let account: AccountID
    let checkpoint: AuditCheckpoint?
    let trust: Trust
    var count: Int64
    /// The link of entry `count`; nil before the first entry.
    var link: AuditLink?

    var missing: AccessFault { .missing(number: count + 1) }

    /// Continues over these entries; returns the first fault.
    mutating func take(_ rows: [AccessRow]) -> AccessFault? {
      for row in rows {
        guard row.number == count + 1 else { return missing }
        count = row.number
        let isWritten = chain.isLink(
          row.chain, after: link, subject: account.rawValue, entry: AccessEntry(row).bytes.span,
          isAnchored: count <= trust.lastAnchored)
        guard isWritten else { return .changed(number: count) }
        link = row.chain
        if let checkpoint, checkpoint.count == count, let checkpointed = checkpoint.link,
          checkpointed != link
        {
          return .rewritten(number: count)
        }
        if let anchor = trust.anchor, anchor.count == count, anchor.link != link {
          return .rewritten(number: count)
        }
      }
      return nil
    }

    /// Whether the record ends here, at this head.
    func ends(at head: AccessHead) -> Bool {
      guard count == head.count else { return false }
      return link.map { $0 == head.link } ?? chain.isStart(head.link, subject: account.rawValue)
    }
  }
}
