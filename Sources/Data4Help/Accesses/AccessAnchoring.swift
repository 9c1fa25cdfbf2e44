import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Privacy
import Services

/// Copies heads and lengths of access records to the keys' database, so that write access to the
/// data alone is not enough to shorten or replace a record unnoticed.
///
/// It first walks every new entry from the previous anchor: a head that does not follow from its
/// anchor is reported and never copied.
struct AccessAnchoring: Sendable {
  /// People in one batch.
  static let batchMax = 200
  /// The most new entries of a person that are read together with those of others; a record with
  /// more is walked alone.
  static let togetherMax: Int64 = 50

  let surroundings: Surroundings
  private let chain: AuditChain
  private let reported: LoopBound<Reported>

  /// The people whose record was already reported: each is logged once.
  private final class Reported {
    var accounts: Set<AccountID> = []
  }

  init(_ surroundings: Surroundings) {
    self.surroundings = surroundings
    chain = AuditChain(root: surroundings.root)
    reported = LoopBound(Reported(), on: surroundings.loop)
  }

  /// Anchors every record with new entries; returns how many.
  ///
  /// - Throws: `unavailable` if a database is unavailable; anchors moved before that remain.
  func run() async throws(ApplicationError) -> Int {
    var moved = 0
    var last = AccountID(rawValue: .min)
    while true {
      let accounts = try await surroundings.database.rows(
        AccountsToAnchor(after: last, limit: Self.batchMax))
      guard let end = accounts.last else { return moved }
      last = end
      moved += try await anchor(accounts)
    }
  }

  private func anchor(_ accounts: [AccountID]) async throws(ApplicationError) -> Int {
    // Anchors first: a record only grows, so a head that is read later is never older than its
    // anchor.
    let anchors = try await surroundings.keysDatabase.rows(AccessAnchors(accounts: accounts))
    let known = Dictionary(uniqueKeysWithValues: anchors.map { ($0.account, $0) })
    let heads = try await surroundings.database.rows(AccessHeads(accounts: accounts))
    var move = MoveAnchors()
    var anchored: [AccessHead] = []
    var behind: [AccessHead] = []
    var gone: [AccessHead] = []
    let following = try await following(heads, known)
    for head in heads {
      // Without a key the account was deleted, and its record no longer needs an anchor.
      guard let anchor = known[head.account] else {
        gone.append(head)
        continue
      }
      guard following.contains(head.account) else {
        report(head.account)
        continue
      }
      if head.count == anchor.count {
        anchored.append(head)
      } else {
        behind.append(head)
        move.append(head, from: anchor.count)
      }
    }
    // An anchor that another process has moved meanwhile may be older than this head: it is
    // compared again next time.
    let moved = try await carry(move)
    anchored += behind.filter { moved.contains($0.account) }
    let noted = anchored + gone
    if !noted.isEmpty {
      _ = try await surroundings.database.effect(
        NoteAnchored(accounts: noted.map(\.account), counts: noted.map(\.count)))
    }
    return anchored.count
  }

  /// Moves anchors; returns the accounts whose anchors moved.
  private func carry(_ move: MoveAnchors) async throws(ApplicationError) -> Set<AccountID> {
    guard !move.accounts.isEmpty else { return [] }
    let moved = try await surroundings.keysDatabase.transaction {
      (transaction) throws(ApplicationError) in
      try await transaction.run(move)
    }
    return Set(moved)
  }

  /// The people whose records follow from their anchors.
  private func following(
    _ heads: [AccessHead], _ anchors: [AccountID: AccessAnchor]
  ) async throws(ApplicationError) -> Set<AccountID> {
    let walk = AccessWalk(database: surroundings.database, chain: chain)
    var together: [(head: AccessHead, anchor: AccessAnchor)] = []
    var found: Set<AccountID> = []
    for head in heads {
      guard let anchor = anchors[head.account], head.count >= anchor.count else { continue }
      guard head.count - anchor.count > Self.togetherMax else {
        together.append((head, anchor))
        continue
      }
      let start = anchor.link ?? chain.start(subject: head.account.rawValue)
      let (fault, _) = try await walk.fault(of: head, after: anchor.count, start, anchor: nil)
      if fault == nil { found.insert(head.account) }
    }
    return together.isEmpty ? found : found.union(try await walk.following(together))
  }

  private func report(_ account: AccountID) {
    guard reported.value.accounts.insert(account).inserted else { return }
    surroundings.log.error(
      "verify access record failed",
      [
        .number("account_id", account.rawValue),
        .word("cause", "the record does not follow from its anchor"),
      ])
  }
}
