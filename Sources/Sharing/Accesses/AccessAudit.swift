import Cryptography
import Domain
import Postgres
import ServiceKit

/// Verifies every record of accesses from its first entry and compares it with its checkpoint:
/// `trackme audit verify`.
package struct AccessAudit: Sendable {
  /// A record that differs from the written entries.
  package struct Finding: Sendable, Hashable {
    /// The person's account.
    package let account: AccountID
    /// The first fault of the record.
    package let fault: AccessFault
  }

  /// The result of an audit.
  package struct Outcome: Sendable, Equatable {
    /// The number of records verified.
    package var records: Int64 = 0
    /// The number of entries verified.
    package var entries: Int64 = 0
    /// Records with a fault.
    package var findings: [Finding] = []

    /// An outcome without a fault.
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

  /// Verifies all records; deliveries may continue meanwhile.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  package func run() async throws(ApplicationError) -> Outcome {
    var outcome = Outcome()
    var last = AccountID(rawValue: .min)
    while true {
      let accounts = try await database.rows(
        AccountsWithAccesses(after: last, limit: Self.batchMax))
      guard let end = accounts.last else { break }
      last = end
      try await verify(accounts, &outcome)
    }
    try await findRemoved(&outcome)
    return outcome
  }

  private func verify(_ accounts: [AccountID], _ outcome: inout Outcome)
    async throws(ApplicationError)
  {
    // Checkpoints first: a record only grows, so a head that is read later is never older than its
    // checkpoint.
    let checkpoints = try await keysDatabase.rows(AuditCheckpoints(accounts: accounts))
    let known = Dictionary(uniqueKeysWithValues: checkpoints.map { ($0.account, $0) })
    let verifier = AuditVerifier(database: database, chain: chain)
    for head in try await database.rows(AccessHeads(accounts: accounts)) {
      let checkpoint = known[head.account]
      var (fault, entries) = try await verifier.fault(
        of: head, after: 0, nil, checkpoint: checkpoint,
        trust: checkpoint.map { .after($0.anchor) } ?? .anySecret)
      if let checkpoint {
        let known = max(checkpoint.count, checkpoint.anchor?.count ?? 0)
        if head.count < known { fault = .cut(count: head.count, checkpointed: known) }
      }
      outcome.records += 1
      outcome.entries += entries
      if let fault { outcome.findings.append(Finding(account: head.account, fault: fault)) }
    }
  }

  /// Finds checkpointed records whose head is missing.
  private func findRemoved(_ outcome: inout Outcome) async throws(ApplicationError) {
    var last = AccountID(rawValue: .min)
    while true {
      let accounts = try await keysDatabase.rows(
        CheckpointedAccounts(after: last, limit: Self.batchMax))
      guard let end = accounts.last else { return }
      last = end
      let heads = try await database.rows(AccessHeads(accounts: accounts))
      let present = Set(heads.map(\.account))
      let removed = accounts.filter { !present.contains($0) }
      guard !removed.isEmpty else { continue }
      for checkpoint in try await keysDatabase.rows(AuditCheckpoints(accounts: removed)) {
        outcome.findings.append(
          Finding(
            account: checkpoint.account, fault: .cut(count: 0, checkpointed: checkpoint.count)))
      }
    }
  }
}
