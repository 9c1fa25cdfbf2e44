import Accounts
import Domain
import Postgres
import ServiceKit
import Synchronization
import Time

/// The heads of days of an account.
struct KnownHeads: Sendable {
  private var heads: [DayKey: DayHead] = [:]
  /// All heads are forgotten before there are more. A device uploads a handful of types, of one day
  /// or two.
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

  /// Whether these days can be planned without reading anything.
  fileprivate func suffices(for groups: [DaySamples]) -> Bool {
    groups.allSatisfy { group in heads[group]?.hasRoom(for: group.samples.count) ?? false }
  }

  /// Carries out a plan, which gave the row this version.
  mutating func advance(by plan: AppendPlan, to version: RowVersion) {
    state.advance(by: plan, to: version)
    heads.advance(by: plan)
  }
}

/// The accounts as the batches of this process left them, for all its loops: the next upload of
/// such an account is written without a round trip that reads and locks it.
///
/// This is a guess, which the write verifies: it takes effect only if the row of the account has
/// the version that this process gave it. Everything that changes the samples or the choices of an
/// account changes its row.
package final class RecentAccounts: Sendable {
  /// Some 25 MB with one head each, and 200 MB with the most heads that are kept of an account.
  private static let countMax = 65_536

  private let accounts = Mutex(RecentlyUsed<AccountID, RecentAccount>(countMax: countMax))

  /// Knows nothing.
  package init() {}

  /// Removes an account, and returns it if its heads suffice for an upload of these days. Another
  /// loop that gets an upload of it meanwhile reads it from the database.
  func consume(_ account: AccountID, for groups: [DaySamples]) -> RecentAccount? {
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
