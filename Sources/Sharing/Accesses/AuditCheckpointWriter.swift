import Cryptography
import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit

/// Copies heads and lengths of access records to the keys' database, so that write access to the
/// data alone is not enough to shorten or replace a record unnoticed.
///
/// It first verifies every new entry from the previous checkpoint: a head that does not follow from
/// its checkpoint is reported and never copied.
struct AuditCheckpointWriter: Sendable {
  /// People in one batch.
  static let batchMax = 200
  /// The most new entries of a person that are read together with those of others; a record with
  /// more is verified alone.
  static let togetherMax: Int64 = 50

  let database: Database
  let keysDatabase: Database
  let log: Log
  private let chain: AuditChain
  private let reported: LoopBound<Reported>

  /// The people whose record was already reported: each is logged once.
  private final class Reported {
    var accounts: Set<AccountID> = []
  }

  init(loop: EventLoop, database: Database, keysDatabase: Database, root: RootSecret, log: Log) {
    self.database = database
    self.keysDatabase = keysDatabase
    self.log = log
    chain = AuditChain(root: root)
    reported = LoopBound(Reported(), on: loop)
  }

  /// Writes checkpoints of every record with new entries; returns how many.
  ///
  /// - Throws: `unavailable` if a database is unavailable; checkpoints moved before that remain.
  func run() async throws(ApplicationError) -> Int {
    var moved = 0
    var last = AccountID(rawValue: .min)
    while true {
      let accounts = try await database.rows(
        AccountsToCheckpoint(after: last, limit: Self.batchMax))
      guard let end = accounts.last else { return moved }
      last = end
      moved += try await checkpoint(accounts)
    }
  }

  private func checkpoint(_ accounts: [AccountID]) async throws(ApplicationError) -> Int {
    // Checkpoints first: a record only grows, so a head that is read later is never older than its
    // checkpoint.
    let checkpoints = try await keysDatabase.rows(AuditCheckpoints(accounts: accounts))
    let known = Dictionary(uniqueKeysWithValues: checkpoints.map { ($0.account, $0) })
    let heads = try await database.rows(AccessHeads(accounts: accounts))
    var move = AdvanceCheckpoints()
    var checkpointed: [AccessHead] = []
    var outdated: [AccessHead] = []
    var deleted: [AccessHead] = []
    let following = try await following(heads, known)
    for head in heads {
      // Without a key the account was deleted, and its record no longer needs a checkpoint.
      guard let checkpoint = known[head.account] else {
        deleted.append(head)
        continue
      }
      guard following.contains(head.account) else {
        report(head.account)
        continue
      }
      if head.count == checkpoint.count {
        checkpointed.append(head)
      } else {
        outdated.append(head)
        move.append(head, from: checkpoint.count)
      }
    }
    // A checkpoint that another process has moved meanwhile may be older than this head: it is
    // compared again next time.
    let moved = try await apply(move)
    checkpointed += outdated.filter { moved.contains($0.account) }
    let noted = checkpointed + deleted
    if !noted.isEmpty {
      _ = try await database.effect(
        StoreCheckpointed(accounts: noted.map(\.account), counts: noted.map(\.count)))
    }
    return checkpointed.count
  }

  /// Moves checkpoints; returns the accounts whose checkpoints moved.
  private func apply(_ move: AdvanceCheckpoints) async throws(ApplicationError) -> Set<AccountID> {
    guard !move.accounts.isEmpty else { return [] }
    let moved = try await keysDatabase.transaction {
      (transaction) throws(ApplicationError) in
      try await transaction.run(move)
    }
    return Set(moved)
  }

  /// The people whose records follow from their checkpoints.
  private func following(
    _ heads: [AccessHead], _ checkpoints: [AccountID: AuditCheckpoint]
  ) async throws(ApplicationError) -> Set<AccountID> {
    let verifier = AuditVerifier(database: database, chain: chain)
    var together: [(head: AccessHead, checkpoint: AuditCheckpoint)] = []
    var found: Set<AccountID> = []
    for head in heads {
      guard let checkpoint = checkpoints[head.account], head.count >= checkpoint.count else {
        continue
      }
      guard head.count - checkpoint.count > Self.togetherMax else {
        together.append((head, checkpoint))
        continue
      }
      let (fault, _) = try await verifier.fault(
        of: head, after: checkpoint.count, checkpoint.link, checkpoint: nil,
        trust: .after(checkpoint.anchor))
      if fault == nil { found.insert(head.account) }
    }
    return together.isEmpty ? found : found.union(try await verifier.following(together))
  }

  private func report(_ account: AccountID) {
    guard reported.value.accounts.insert(account).inserted else { return }
    log.error(
      "verify access record failed",
      [
        .number("account_id", account.rawValue),
        .constant("cause", "the record does not follow from its checkpoint"),
      ])
  }
}
