import Postgres

/// Statements of the position in Data4Help's events, listed for the schema check.
enum ChangeFeedStatements {
  static let all: [any Statement.Type] = [ChangeFeedPosition.self, AdvanceChangeFeed.self]
}

/// All statements of the synchronisation, listed for the schema check.
package enum SyncStatements {
  /// The statements of all folders.
  package static let all: [any Statement.Type] =
    OutboxStatements.all + LeaseStatements.all + ChangeFeedStatements.all + DeadLetterStatements.all
}

/// The position in the sequence.
struct ChangeFeedPosition: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = "SELECT last_number FROM track4run.change_feed_positions"
}

/// Advances the position from the expected one; no row if another process has advanced it.
struct AdvanceChangeFeed: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    UPDATE track4run.change_feed_positions
       SET last_number = \(\.to)
     WHERE last_number = \(\.from)
    RETURNING last_number
    """
  let from: Int64
  let to: Int64
}
