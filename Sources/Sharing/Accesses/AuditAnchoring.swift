import Cryptography
import Domain
import Operations
import Postgres
import ServiceKit

/// Anchors every record of accesses at its end when the root secret is replaced, so that no later
/// entry is accepted under the former secret (decision 0052).
///
/// Once every process writes entries under the new secret. A record that does not follow from its
/// checkpoint is not anchored: `trackme audit verify` names it.
package struct AuditAnchoring: RootSecretUse {
  private static let batchMax = 500

  private let database: Database
  private let keysDatabase: Database
  private let chain: AuditChain

  /// Anchors in the keys' database under this secret.
  package init(database: Database, keysDatabase: Database, root: RootSecret) {
    self.database = database
    self.keysDatabase = keysDatabase
    chain = AuditChain(root: root)
  }

  /// Anchors all records; records without a change since are anchored again.
  ///
  /// - Throws: `StartError` if a database is unavailable.
  package func renew() async throws(StartError) -> RootSecretRenewal {
    var (anchored, faulty) = (0, 0)
    var last = AccountID(rawValue: .min)
    do throws(ApplicationError) {
      while true {
        let accounts = try await database.rows(
          AccountsWithAccesses(after: last, limit: Self.batchMax))
        guard let end = accounts.last else { break }
        last = end
        let batch = try await anchor(accounts)
        anchored += batch.anchored
        faulty += batch.faulty
      }
    } catch {
      throw StartError(
        "The records of accesses can't be anchored: \(error.logText). Run the command again: it "
          + "continues.")
    }
    return RootSecretRenewal(of: "records of accesses", changed: anchored, unreadable: faulty)
  }

  private func anchor(
    _ accounts: [AccountID]
  ) async throws(ApplicationError) -> (anchored: Int, faulty: Int) {
    // Checkpoints first, as for an audit.
    let checkpoints = try await keysDatabase.rows(AuditCheckpoints(accounts: accounts))
    let known = Dictionary(uniqueKeysWithValues: checkpoints.map { ($0.account, $0) })
    let verifier = AuditVerifier(database: database, chain: chain)
    var anchors = StoreAnchors()
    var faulty = 0
    for head in try await database.rows(AccessHeads(accounts: accounts)) {
      // Without a key the account was deleted, and its record can't continue.
      guard let checkpoint = known[head.account] else { continue }
      var fault: AccessFault?
      if head.count < checkpoint.count {
        fault = .cut(count: head.count, checkpointed: checkpoint.count)
      } else {
        fault = try await verifier.fault(
          of: head, after: checkpoint.count, checkpoint.link, checkpoint: nil,
          trust: .after(checkpoint.anchor)
        ).fault
      }
      guard fault == nil else {
        faulty += 1
        continue
      }
      let code = chain.anchorCode(
        subject: head.account.rawValue, count: head.count, link: head.link)
      anchors.append(head, code)
    }
    let stored = anchors
    if !stored.accounts.isEmpty {
      try await keysDatabase.transaction { (transaction) throws(ApplicationError) in
        try await transaction.run(stored)
      }
    }
    return (stored.accounts.count, faulty)
  }
}

/// Stores anchors in the keys' database, and moves checkpoints that are before them.
struct StoreAnchors: Statement {
  static let sql: SQL<Self> = """
    UPDATE account_keys AS stored
       SET anchor_count = anchored.count, anchor_head = anchored.link, anchor_code = anchored.code,
           access_head = CASE WHEN stored.access_count < anchored.count THEN anchored.link
                              ELSE stored.access_head END,
           access_count = greatest(stored.access_count, anchored.count)
      FROM unnest(\(\.accounts), \(\.counts), \(\.links), \(\.codes))
             AS anchored (account_id, count, link, code)
     WHERE stored.account_id = anchored.account_id
    """
  private(set) var accounts: [AccountID] = []
  private(set) var counts: [Int64] = []
  private(set) var links: [AuditLink] = []
  private(set) var codes: [AuditAnchorCode] = []

  mutating func append(_ head: AccessHead, _ code: AuditAnchorCode) {
    accounts.append(head.account)
    counts.append(head.count)
    links.append(head.link)
    codes.append(code)
  }
}
