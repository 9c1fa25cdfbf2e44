import Bytes
import Domain
import Postgres
import ServiceKit
import Time

// The statements of a rotation of the master key, in the keys' database. Its tables of names and
// readers have a few rows.

/// The stored names of master keys, in the order of their adoption.
struct MasterKeyStates: Statement {
  struct Row: Sendable {
    let identifier: String
    let adoptedAt: Instant
    let isRetired: Bool
    let isReleased: Bool
  }
  static let sql: SQL<Self> = """
    SELECT identifier, adopted_at, retired_at IS NOT NULL, released_at IS NOT NULL
      FROM master_keys
     ORDER BY adopted_at, identifier
    """
  static let columns = Columns(Row.init)
}

/// The number of account keys under each master key. Reads all account keys.
struct MasterKeysInUse: Statement {
  struct Row: Sendable {
    let identifier: String
    let count: Int64
  }
  static let sql: SQL<Self> = """
    SELECT encode(substring(wrapped_key FROM 2 FOR 8), 'hex'), count(*)
      FROM account_keys
     GROUP BY 1
     ORDER BY 1
    """
  static let columns = Columns(Row.init)
}

/// Locks a batch of account keys under other master keys than the newest. By the primary key.
struct LockKeysUnderOthers: Statement {
  typealias Row = WrappedKeys.Row
  static let sql: SQL<Self> = """
    SELECT account_id, wrapped_key
      FROM account_keys
     WHERE account_id > \(\.after)
       AND encode(substring(wrapped_key FROM 2 FOR 8), 'hex') <> \(\.newest)
     ORDER BY account_id
     LIMIT \(\.limit)
       FOR UPDATE
    """
  static let columns = WrappedKeys.columns
  let after: AccountID
  let newest: String
  let limit: Int
}

/// Replaces wrapped keys of accounts, which are locked.
struct StoreRewrappedKeys: Statement {
  static let sql: SQL<Self> = """
    UPDATE account_keys AS stored
       SET wrapped_key = rewrapped.wrapped_key
      FROM unnest(\(\.accounts), \(\.wrapped)) AS rewrapped (account_id, wrapped_key)
     WHERE stored.account_id = rewrapped.account_id
    """
  var accounts: [AccountID] = []
  var wrapped: [[UInt8]] = []
}

/// Retires all master keys but the newest: no process can store a key under them any longer. Waits
/// for transactions that are storing one.
struct RetireMasterKeys: Statement {
  static let sql: SQL<Self> = """
    UPDATE master_keys
       SET retired_at = clock_timestamp()
     WHERE identifier <> \(\.newest)
       AND retired_at IS NULL
    """
  let newest: String
}

/// Stores that no process has the retired master keys in memory any longer.
struct ReleaseMasterKeys: Statement {
  static let sql: SQL<Self> = """
    UPDATE master_keys
       SET released_at = clock_timestamp()
     WHERE retired_at IS NOT NULL
       AND released_at IS NULL
    """
}

/// The number of living processes that lack one of these keys; with `exactly`, of those that do not
/// have exactly these keys in this order. Those without a report for 20 s count as ended once
/// `isSettled` (`KeyReaders`), and so do those with a time ahead of the clock: after it
/// was set back, living ones have reported again.
struct LaggingKeyReaders: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT count(*)
      FROM key_readers
     WHERE seen_at > clock_timestamp()
                     - CASE WHEN \(\.isSettled) THEN interval '20 seconds'
                            ELSE interval '1 hour' END
       AND (NOT \(\.isSettled) OR seen_at < clock_timestamp() + interval '20 seconds')
       AND CASE WHEN \(\.exactly) THEN identifiers <> \(\.names)
                ELSE NOT identifiers @> \(\.names) END
    """
  let names: [String]
  let exactly: Bool
  let isSettled: Bool
}

/// Stores which keys a process has in memory, and removes processes that were killed.
struct ReportKeyReader: Statement {
  static let sql: SQL<Self> = """
    WITH killed AS (
           DELETE FROM key_readers
            WHERE seen_at < clock_timestamp() - interval '1 hour'
              AND process <> \(\.process))
    INSERT INTO key_readers (process, identifiers, seen_at)
    VALUES (\(\.process), \(\.names), clock_timestamp())
        ON CONFLICT (process) DO UPDATE
       SET identifiers = excluded.identifiers, seen_at = excluded.seen_at
    """
  let process: UniversalID
  let names: [String]
}

/// Removes a process that has stopped.
struct RemoveKeyReader: Statement {
  static let sql: SQL<Self> = "DELETE FROM key_readers WHERE process = \(\.process)"
  let process: UniversalID
}
