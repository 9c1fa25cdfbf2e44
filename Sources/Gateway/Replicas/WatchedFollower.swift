import Domain
import EventLoop
import Operations
import Postgres

/// Keeps who is watched over as the database has it: everybody at the start of the gateway, then
/// changes by their numbers, which are in commit order. So the first upload of a person goes the
/// way of alarms; until all are read, and while the database is away, it goes with the others. For
/// its loop.
package final class WatchedFollower {
  /// The time between two polls. A person who enables it through this gateway is known by the
  /// answer at once.
  private static let pause = Duration.seconds(1)
  private static let rowsMax: Int64 = 5_000
  private static let timeMax = Duration.seconds(5)

  private let accounts: WatchedAccounts
  private let database: Database
  private let log: Log
  private var lastChange: Int64 = 0
  private var isFailing = false

  /// What puts who is watched over into `accounts`; `database` is the one of its loop.
  init(_ accounts: WatchedAccounts, database: Database, log: Log) {
    self.accounts = accounts
    self.database = database
    self.log = log
  }

  /// Reads what has changed; how long to rest then.
  func turn() async -> Duration {
    do throws(PostgresError) {
      let rows = try await database.read(
        FollowWatched(after: lastChange, countMax: Self.rowsMax), within: Self.timeMax)
      for row in rows {
        accounts.note(row.account, isWatched: row.isWatched)
        lastChange = row.change
      }
      isFailing = false
      return rows.count == Int(Self.rowsMax) ? .zero : Self.pause
    } catch {
      if !isFailing {
        log.warning(
          "who is watched over cannot be followed",
          [.safe("cause", OperatorText(error.description))])
      }
      isFailing = true
      return Self.pause
    }
  }
}

/// Whether accounts are watched over, as far as that has changed behind a number, in the order of
/// the changes.
struct FollowWatched: Statement {
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
