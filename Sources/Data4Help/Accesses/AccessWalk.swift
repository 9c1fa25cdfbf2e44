import Domain
import HTTP
import Postgres
import Privacy
import Services

/// A fault in a person's access record.
package enum AccessFault: Sendable, Hashable, CustomStringConvertible {
  /// The entry of this number is missing, although later ones, or the head, prove that it existed.
  case missing(number: Int64)
  /// The entry of this number, or one before it, differs from what was written.
  case changed(number: Int64)
  /// The record ends before its anchor.
  case cut(count: Int64, anchored: Int64)
  /// The entry of this number differs from the anchored one.
  case rewritten(number: Int64)
  /// The head is not the last entry's link.
  case headChanged

  /// One sentence for an operator.
  package var description: String {
    switch self {
    case .missing(let number): "Entry \(number) is missing."
    case .changed(let number): "Entry \(number) is not what was written."
    case .cut(let count, let anchored):
      "The record has \(count) entries, but \(anchored) were anchored."
    case .rewritten(let number): "Entry \(number) is not the one that was anchored."
    case .headChanged: "The head does not belong to the last entry."
    }
  }
}

/// Verifies a person's record link by link.
struct AccessWalk: Sendable {
  static let pageMax = 1_000

  let database: Database
  let chain: AuditChain

  /// Walks the entries after `link`, which is that of entry `count`, to the head, and returns the
  /// first fault. At the anchor it also compares the link.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  func fault(
    of head: AccessHead, after count: Int64, _ link: AuditLink, anchor: AccessAnchor?
  ) async throws(ApplicationError) -> (fault: AccessFault?, entries: Int64) {
    var steps = Steps(chain: chain, anchor: anchor, count: count, link: link)
    while steps.count < head.count {
      let page = try await database.rows(
        AccessesInOrder(
          account: head.account, first: steps.count + 1, last: head.count, limit: Self.pageMax))
      let fault = steps.take(page) ?? (page.isEmpty ? steps.missing : nil)
      if let fault { return (fault, steps.count - count) }
    }
    return (steps.link == head.link ? nil : .headChanged, steps.count - count)
  }

  /// The people whose few new entries follow from their anchors, read with one query.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  func following(
    _ records: [(head: AccessHead, anchor: AccessAnchor)]
  ) async throws(ApplicationError) -> Set<AccountID> {
    let rows = try await database.rows(
      AccessesBehind(
        accounts: records.map(\.head.account), counts: records.map(\.anchor.count),
        last: records.map(\.head.count)))
    let entries = Dictionary(grouping: rows, by: \.account)
    let sound = records.filter { head, anchor in
      let start = anchor.link ?? chain.start(subject: head.account.rawValue)
      var steps = Steps(chain: chain, anchor: nil, count: anchor.count, link: start)
      return steps.take(entries[head.account] ?? []) == nil && steps.count == head.count
        && steps.link == head.link
    }
    return Set(sound.map(\.head.account))
  }

  /// The progress of a walk.
  private struct Steps {
    let chain: AuditChain
    let anchor: AccessAnchor?
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
        if let anchor, anchor.count == count, let anchored = anchor.link, anchored != link {
          return .rewritten(number: count)
        }
      }
      return nil
    }
  }
}
