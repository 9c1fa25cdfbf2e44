import Domain
import HTTP
import Postgres
import Privacy
import Services

/// Walks every record of accesses from its first entry and compares it with its anchor:
/// `trackme audit verify`.
package struct AccessAudit: Sendable {
  /// A record that is not what was written.
  package struct Finding: Sendable, Hashable {
    /// The person's account.
    package let account: AccountID
    /// What is wrong first.
    package let fault: AccessFault
  }

  /// What an audit came to.
  package struct Outcome: Sendable, Equatable {
    /// Records that were walked.
    package var records: Int64 = 0
    /// Entries that were walked.
    package var entries: Int64 = 0
    /// Records with a fault.
    package var findings: [Finding] = []

    /// So many records and entries, without a fault.
    package init(records: Int64 = 0, entries: Int64 = 0) {
      self.records = records
      self.entries = entries
    }
  }

  private static let batchMax = 500

  private let database: Database
  private let keysDatabase: Database
  private let chain: AuditChain

  /// An audit of these databases under this secret.
  package init(database: Database, keysDatabase: Database, root: RootSecret) {
    self.database = database
    self.keysDatabase = keysDatabase
    chain = AuditChain(root: root)
  }

  /// Walks all records; deliveries may go on meanwhile.
  ///
  /// - Throws: 503 if a database is away.
  package func run() async throws(ApplicationError) -> Outcome {
    var outcome = Outcome()
    var last = AccountID(rawValue: .min)
    while true {
      let accounts = try await database.rows(
        AccountsWithAccesses(after: last, limit: Self.batchMax))
      guard let end = accounts.last else { break }
      last = end
      try await walk(accounts, &outcome)
    }
    try await findRemoved(&outcome)
    return outcome
  }

  private func walk(_ accounts: [AccountID], _ outcome: inout Outcome)
    async throws(ApplicationError)
  {
    // Anchors first: a record only grows, so that a head read later is never behind its anchor.
    let anchors = try await keysDatabase.rows(AccessAnchors(accounts: accounts))
    let known = Dictionary(uniqueKeysWithValues: anchors.map { ($0.account, $0) })
    let walk = AccessWalk(database: database, chain: chain)
    for head in try await database.rows(AccessHeads(accounts: accounts)) {
      let anchor = known[head.account]
      let start = chain.start(subject: head.account.rawValue)
      var (fault, entries) = try await walk.fault(of: head, after: 0, start, anchor: anchor)
      if let anchor, head.count < anchor.count {
        fault = .cut(count: head.count, anchored: anchor.count)
      }
      outcome.records += 1
      outcome.entries += entries
      if let fault { outcome.findings.append(Finding(account: head.account, fault: fault)) }
    }
  }

  /// Records that are anchored and have no head any more.
  private func findRemoved(_ outcome: inout Outcome) async throws(ApplicationError) {
    var last = AccountID(rawValue: .min)
    while true {
      let accounts = try await keysDatabase.rows(
        AnchoredAccounts(after: last, limit: Self.batchMax))
      guard let end = accounts.last else { return }
      last = end
      let heads = try await database.rows(AccessHeads(accounts: accounts))
      let present = Set(heads.map(\.account))
      let removed = accounts.filter { !present.contains($0) }
      guard !removed.isEmpty else { continue }
      for anchor in try await keysDatabase.rows(AccessAnchors(accounts: removed)) {
        outcome.findings.append(
          Finding(account: anchor.account, fault: .cut(count: 0, anchored: anchor.count)))
      }
    }
  }
}
