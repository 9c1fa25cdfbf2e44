import Cryptography
import Domain
import Postgres
import ServiceKit
import Time

/// The rules by which changed samples affect groups: which days are closed already, and the hash of
/// a position's cell.
package struct LateChangeRules: Sendable {
  private let zone: TimeZoneRules
  private let cells: BlindIndex

  init(zone: TimeZoneRules, root: RootSecret) {
    self.zone = zone
    cells = BlindIndex(.positionCell, root: root)
  }

  /// The first day that is not over at this time; a change of an earlier day is late.
  package func firstOpenDay(at now: Instant) -> Int32 {
    Int32(zone.day(of: now).daysSince1970)
  }

  /// The hash stored for a cell.
  func blind(_ cell: PositionCell) -> BlindValue { cells.value(of: cell.text) }
}

/// Marks months whose closed days changed for a new count, and stores the latest cells of people.
///
/// Sent in the round trip that stores the samples, after them: only accounts that this transaction
/// has advanced are marked. A cell is written when it changes, or once an
/// hour: most positions of a person lie in the cell of the one before.
package struct NoteLateChanges: Statement {
  package static let sql: SQL<Self> = """
    WITH changed AS (
      SELECT account_id
        FROM data4help.sample_accounts
       WHERE account_id = ANY (\(\.accounts) || \(\.cellAccounts))
         AND xmin = pg_current_xact_id()::xid),
    moved AS (
      INSERT INTO data4help.last_cells (account_id, cell, seen_ts)
      SELECT account_id, cell, seen_ts
        FROM unnest(\(\.cellAccounts), \(\.cells), \(\.cellTimes))
               AS seen (account_id, cell, seen_ts)
       WHERE account_id IN (SELECT account_id FROM changed)
          ON CONFLICT (account_id) DO UPDATE
         SET cell = excluded.cell, seen_ts = excluded.seen_ts
       WHERE excluded.seen_ts > last_cells.seen_ts
         AND (excluded.cell <> last_cells.cell
              OR excluded.seen_ts > last_cells.seen_ts + 3600000))
    INSERT INTO data4help.month_dirty (account_id, type, month, marks)
    SELECT DISTINCT account_id, type, month, 1
      FROM unnest(\(\.accounts), \(\.types), \(\.months)) AS late (account_id, type, month)
     WHERE account_id IN (SELECT account_id FROM changed)
        ON CONFLICT (account_id, type, month) DO UPDATE
       SET marks = month_dirty.marks + 1
    """
  private(set) var accounts: [AccountID] = []
  private(set) var types: [DataType] = []
  private(set) var months: [Int32] = []
  private(set) var cellAccounts: [AccountID] = []
  private(set) var cells: [BlindValue] = []
  private(set) var cellTimes: [Int64] = []

  /// An empty set of changes.
  package init() {}

  /// Whether there are no changes.
  package var isEmpty: Bool { accounts.isEmpty && cellAccounts.isEmpty }

  /// Adds that samples of a type changed on a day, if that day is closed.
  package mutating func changed(
    _ type: DataType, on day: Int32, of account: AccountID, firstOpenDay: Int32
  ) {
    guard day < firstOpenDay, type.isNumeric else { return }
    let month = MonthDays(day: day).number
    // Consecutive days are often of the same month.
    if accounts.last == account, types.last == type, months.last == month { return }
    accounts.append(account)
    types.append(type)
    months.append(month)
  }

  /// Adds the newest position of an account, once per account.
  mutating func seen(_ account: AccountID, in cell: BlindValue, at time: Instant) {
    cellAccounts.append(account)
    cells.append(cell)
    cellTimes.append(time.millisecondsSince1970)
  }

  /// Adds the changes in the plan of an account.
  mutating func append(_ plan: AppendPlan, _ rules: LateChangeRules, firstOpenDay: Int32) {
    for change in plan.changes {
      changed(change.key.type, on: change.key.day, of: plan.account, firstOpenDay: firstOpenDay)
    }
    if let last = plan.lastPosition {
      seen(plan.account, in: rules.blind(PositionCell(last.point)), at: last.time)
    }
  }
}

/// Marks all months of an account for some types, for a change that affects all their days.
package struct MarkAllMonths: Statement {
  package static let sql: SQL<Self> = """
    INSERT INTO data4help.month_dirty (account_id, type, month, marks)
    SELECT DISTINCT \(\.account), type,
           ((extract(year FROM date '1970-01-01' + day) - 1970) * 12
             + extract(month FROM date '1970-01-01' + day) - 1)::int4,
           1
      FROM data4help.chunks
     WHERE account_id = \(\.account)
       AND type = ANY (\(\.types))
       AND day < \(\.firstOpenDay)
        ON CONFLICT (account_id, type, month) DO UPDATE
       SET marks = month_dirty.marks + 1
    """
  let account: AccountID
  let types: [DataType]
  let firstOpenDay: Int32

  /// Marks the months of these types up to the first day that is still open.
  package init(account: AccountID, types: DataTypeSet, firstOpenDay: Int32) {
    self.account = account
    self.types = types.filter(\.isNumeric)
    self.firstOpenDay = firstOpenDay
  }
}
