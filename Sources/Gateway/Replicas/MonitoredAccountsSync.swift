import Domain
import Operations
import Postgres

/// Keeps the set of monitored accounts equal to the database: all of them when the gateway starts,
/// then changes by their numbers, which are in commit order. So even the first upload of a
/// monitored account has the priority of alarms. Until all are read, and while the database is
/// unavailable, it has the ordinary priority of uploads. Confined to its loop.
package final class MonitoredAccountsSync {
  /// The time between two polls. An account that enables monitoring through this gateway is known
  /// at once, from the response.
  private static let pause = Duration.seconds(1)
  private static let rowsMax: Int64 = 5_000
  private static let timeMax = Duration.seconds(5)

  private let accounts: MonitoredAccounts
  private let database: Database
  private let log: Log
  private var lastChange: Int64 = 0
  private var isFailing = false

  /// Creates a synchronisation that updates `accounts`; `database` belongs to its loop.
  init(_ accounts: MonitoredAccounts, database: Database, log: Log) {
    self.accounts = accounts
    self.database = database
    self.log = log
  }

  /// Reads the changes; returns how long to pause.
  func turn() async -> Duration {
    do throws(PostgresError) {
      let rows = try await database.read(
        MonitoredAccountChanges(after: lastChange, countMax: Self.rowsMax), within: Self.timeMax)
      for row in rows {
        accounts.note(row.account, isWatched: row.isWatched)
        lastChange = row.change
      }
      isFailing = false
      return rows.count == Int(Self.rowsMax) ? .zero : Self.pause
    } catch {
      if !isFailing {
        log.failure("read changes of monitored accounts failed", error, level: .warning)
      }
      isFailing = true
      return Self.pause
    }
  }
}

/// The changes of monitored accounts after a number, in commit order.
struct MonitoredAccountChanges: Statement {
  struct Row: Sendable {
    let account: AccountID
    let isWatched: Bool
    let change: Int64
  }
  static let sql: SQL<Self> = """
    SELECT account_id, permitted_at IS NOT NULL, change
      FROM data4help.monitored_users
     WHERE change > \(\.after)
     ORDER BY change
     LIMIT \(\.countMax)
    """
  static let columns = Columns(Row.init)
  let after: Int64
  let countMax: Int64
}
