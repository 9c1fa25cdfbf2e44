import Domain
import HTTP
import Postgres
import Privacy
import Services

/// What is wrong with a person's record of accesses.
package enum AccessFault: Sendable, Hashable, CustomStringConvertible {
  /// There is no entry of this number, though later ones, or the head, say that there was.
  case missing(number: Int64)
  /// The entry of this number, or one before it, is not what was written.
  case changed(number: Int64)
  /// The record ends before what was anchored.
  case cut(count: Int64, anchored: Int64)
  /// The entry of this number is not the one that was anchored.
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

/// Walks a person's record from link to link.
struct AccessWalk: Sendable {
  static let pageMax = 1_000

  let database: Database
  let chain: AuditChain

  /// Walks the entries behind `link`, which is that of entry `count`, to the head, and gives the
  /// first fault. Behind the anchor it also compares the link there.
  ///
  /// - Throws: 503 if the database is away.
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

  /// The people whose few new entries follow from their anchors, by one query.
  ///
  /// - Throws: 503 if the database is away.
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

  /// How far a walk has come.
  private struct Steps {
    let chain: AuditChain
    let anchor: AccessAnchor?
    var count: Int64
    var link: AuditLink

    var missing: AccessFault { .missing(number: count + 1) }

    /// Goes on over these entries; gives the first fault.
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
