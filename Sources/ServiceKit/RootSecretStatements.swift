import Bytes
import Postgres
import Time

// The statements about the root secret, in the data's database, by all processes and by the
// rotation. The tables have a few rows.

/// The names of the database's root secret.
struct RootSecretNames: Statement {
  struct Row: Sendable {
    let identifier: String
    /// The secret before it, while rows can be sealed under that one.
    let former: String?
  }
  static let sql: SQL<Self> = "SELECT identifier, former FROM trackme.root_secrets"
  static let columns = Columns(Row.init)
}

/// Stores the name of the root secret, unless one exists.
struct AdoptRootSecret: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO trackme.root_secrets (identifier, adopted_at)
    VALUES (\(\.identifier), \(\.at))
        ON CONFLICT (is_only) DO NOTHING
    """
  let identifier: String
  let at: Instant
}

/// Stores that a root secret has replaced the former one, if the database names one of the file.
/// Returns a row if it does; otherwise another command has replaced the secret by a third one.
struct ReplaceRootSecret: Statement {
  typealias Row = String
  static let sql: SQL<Self> = """
    UPDATE trackme.root_secrets
       SET identifier = \(\.identifier), former = \(\.former)
     WHERE identifier = ANY (\(\.names))
    RETURNING identifier
    """
  let identifier: String
  let former: String
  let names: [String]
}

/// Stores that nothing is left that only the former root secret opens.
struct EndRootRewriting: Statement {
  static let sql: SQL<Self> = "UPDATE trackme.root_secrets SET former = NULL"
}

/// Stores the new name of the installation in the keys' database, if it has one of these names or
/// none. Returns a row if it does.
struct RenameKeysInstallation: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = """
    WITH renamed AS (
           UPDATE installations
              SET root_secret = \(\.root)
            WHERE root_secret = ANY (\(\.names))
        RETURNING root_secret)
    SELECT true
     WHERE EXISTS (SELECT FROM renamed)
        OR NOT EXISTS (SELECT FROM installations)
    """
  let root: String
  let names: [String]
}

/// The number of living processes that lack one of these secrets; with `exactly`, of those that do
/// not have exactly these secrets in this order. Those without a report for 20 s count as ended
/// once `isSettled` (``KeyReaders``), and so do those with a time ahead of the clock: after it
/// was set back, living ones have reported again.
struct LaggingRootReaders: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT count(*)
      FROM trackme.root_readers
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

/// The number of a transaction that begins now: every writing one that has begun has a lower one.
struct TransactionNumber: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = "SELECT pg_current_xact_id()::text::bigint"
}

/// Whether every writing transaction up to this one has ended.
struct HaveTransactionsEnded: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = """
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint > \(\.number)
    """
  let number: Int64
}

/// Stores which secrets a process has in memory, and removes processes that were killed.
struct ReportRootReader: Statement {
  static let sql: SQL<Self> = """
    WITH killed AS (
           DELETE FROM trackme.root_readers
            WHERE seen_at < clock_timestamp() - interval '1 hour'
              AND process <> \(\.process))
    INSERT INTO trackme.root_readers (process, identifiers, seen_at)
    VALUES (\(\.process), \(\.names), clock_timestamp())
        ON CONFLICT (process) DO UPDATE
       SET identifiers = excluded.identifiers, seen_at = excluded.seen_at
    """
  let process: UniversalID
  let names: [String]
}

/// Removes a process that has stopped.
struct RemoveRootReader: Statement {
  static let sql: SQL<Self> = "DELETE FROM trackme.root_readers WHERE process = \(\.process)"
  let process: UniversalID
}
