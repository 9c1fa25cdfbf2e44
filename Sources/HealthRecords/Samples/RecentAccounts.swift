import Accounts
import Domain
import Postgres
import ServiceKit
import Synchronization
import Time

/// The heads of days of an account.
struct KnownHeads: Sendable {
  private var heads: [DayKey: DayHead] = [:]
  /// More are forgotten: a device uploads a handful of types, of one day or two.
  private static let countMax = 32

  /// No heads.
  init() {}

  /// The heads in the rows that were read for these groups.
  init(_ rows: [DayHeads.Row], of groups: [DaySamples]) {
    for row in rows { insert(row, of: groups) }
  }

  /// Adds the head in a row that was read for one of these groups.
  mutating func insert(_ row: DayHeads.Row, of groups: [DaySamples]) {
    heads[groups[row.input].key] = DayHead(row)
  }

  subscript(group: DaySamples) -> DayHead? { heads[group.key] }

  /// Replaces the heads of the days that a plan changes.
  mutating func advance(by plan: AppendPlan) {
    if heads.count + plan.changes.count > Self.countMax { heads = [:] }
    for change in plan.changes.suffix(Self.countMax) { heads[change.key] = change.head }
  }
}

extension DayHead {
  init(_ row: DayHeads.Row) {
    self.init(
      part: row.part, blocks: row.blocks,
      lastTime: Instant(millisecondsSince1970: row.lastTime), bytes: Int(row.bytes), data: row.data)
  }
}

/// The state of an account and the heads of its last days.
struct RecentAccount: Sendable {
  private(set) var state: SampleAccount
  private(set) var heads: KnownHeads

  /// Whether these days can be planned without reading anything. Not with the data of a full head,
  /// which may have been read for a day that did not change: packing replaces the chunk whatever
  /// the version of the account's row, which therefore must be locked.
  fileprivate func suffices(for groups: [DaySamples]) -> Bool {
    groups.allSatisfy { group in
      guard let head = heads[group], head.data == nil else { return false }
      return head.hasRoom(for: group.samples.count)
    }
  }

  /// The account after a plan was carried out.
  mutating func advance(by plan: AppendPlan, to version: RowVersion) {
    state = state.after(plan, version)
    heads.advance(by: plan)
  }
}

/// The accounts as the batches of this process left them, for all its loops: the next upload of
/// such an account is written without a round trip that reads and locks it.
///
/// This is a guess, which the write verifies: it takes effect only if the row of the account has
/// the version that this process gave it. Everything that changes the samples or the choices of an
/// account changes its row. Not in shared memory or a table: the gateways send an account to the
/// same replica, and after a fail-over each account is read once.
package final class RecentAccounts: Sendable {
  /// Some 40 MB with one head each, and 200 MB with the most heads that are kept of an account.
  private static let countMax = 65_536

  private let accounts = Mutex(RecentlyUsed<AccountID, RecentAccount>(countMax: countMax))

  /// Knows nothing.
  package init() {}

  /// Removes an account, and returns it if it suffices for an upload of these days. Removed, so
  /// that an upload of the same account to another loop, meanwhile, reads it.
  func take(_ account: AccountID, for groups: [DaySamples]) -> RecentAccount? {
    let known = accounts.withLock { accounts in
      let known = accounts[account]
      accounts[account] = nil
      return known
    }
    guard let known, known.suffices(for: groups) else { return nil }
    return known
  }

  /// Keeps accounts as a committed batch left them.
  func keep(_ advanced: [RecentAccount]) {
    accounts.withLock { accounts in
      for known in advanced { accounts[known.state.account] = known }
    }
  }

  /// Forgets everything, when a connection was lost: another state of the database may be restored,
  /// in which the numbers of transactions repeat.
  func forget() {
    accounts.withLock { $0 = RecentlyUsed(countMax: Self.countMax) }
  }
}
