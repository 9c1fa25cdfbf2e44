import Domain
import Postgres
import Time

/// Locks accounts to the end of the transaction, always in the same order.
package struct LockSampleAccounts: Statement {
  /// The state of the samples of an account.
  package typealias Row = SampleAccount
  package static let sql: SQL<Self> = """
    SELECT account_id, next_seq, bytes_used, disabled_types, stored_types, paused_until,
           is_subscribed, assigned_types, xmin
      FROM sample_accounts
     WHERE account_id = ANY (\(\.accounts))
     ORDER BY account_id
       FOR UPDATE
    """
  package static let columns = Columns {
    (
      account: AccountID, nextSequence: Int64, bytesUsed: Int64, disabledTypes: Int64,
      storedTypes: Int64, pausedUntil: Instant?, isSubscribed: Bool, assignedTypes: [UInt8],
      version: RowVersion
    ) throws(PostgresError) in
    guard let assigned = AssignedTypes(stored: assignedTypes) else {
      throw .unexpectedResult("the assigned types are malformed")
    }
    return SampleAccount(
      account: account, nextSequence: nextSequence, bytesUsed: bytesUsed,
      disabledTypes: disabledTypes, storedTypes: storedTypes, pausedUntil: pausedUntil,
      isSubscribed: isSubscribed, assigned: assigned, version: version)
  }
  let accounts: [AccountID]

  /// Locks the samples of these accounts.
  package init(accounts: [AccountID]) {
    self.accounts = accounts
  }
}

/// The heads of days. Sent after the lock, so that it sees the state at the time of locking. By a
/// function, which PostgreSQL expands here, and which is another one where Citus distributes
/// chunks.
struct DayHeads: Statement {
  struct Row: Sendable {
    /// The index of the day in the parameters.
    let input: InputIndex
    let part: Int32
    let blocks: Int16
    let lastTime: Int64
    let bytes: Int32
    /// The whole part, if it has more than `fullBytes`.
    let data: [UInt8]?
  }
  static let sql: SQL<Self> = """
    SELECT place, part, blocks, last_ts, bytes, data
      FROM data4help.day_heads(\(\.accounts), \(\.types), \(\.days), \(\.fullBytes))
    """
  static let columns = Columns(Row.init)
  let accounts: [AccountID]
  let types: [DataType]
  let days: [Int32]
  /// Heads with more bytes are returned with their data.
  let fullBytes: Int32
}

/// The chunks of days that overlap new samples, and the head of each day.
struct ChunksToMerge: Statement {
  struct Row: Sendable {
    /// The index of the day in the parameters.
    let input: InputIndex
    let part: Int32
    let data: [UInt8]
  }
  static let sql: SQL<Self> = """
    SELECT asked.place, chunks.part, chunks.data
      FROM unnest(\(\.types), \(\.days), \(\.firstTimes), \(\.lastTimes), \(\.heads))
             WITH ORDINALITY AS asked (type, day, first_ts, last_ts, head, place)
      JOIN chunks
        ON chunks.account_id = \(\.account)
       AND chunks.type = asked.type
       AND chunks.day = asked.day
     WHERE chunks.last_ts >= asked.first_ts AND chunks.first_ts <= asked.last_ts
        OR chunks.part = asked.head
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let types: [DataType]
  let days: [Int32]
  let firstTimes: [Int64]
  let lastTimes: [Int64]
  let heads: [Int32]
}

/// Chunks of the week before a day that consist of many small blocks.
struct FragmentedChunks: Statement {
  struct Row: Sendable {
    let type: DataType
    let day: Int32
    let part: Int32
    let data: [UInt8]
  }
  static let sql: SQL<Self> = """
    SELECT chunks.type, chunks.day, chunks.part, chunks.data
      FROM unnest(\(\.types), \(\.days)) AS begun (type, day)
      JOIN chunks
        ON chunks.account_id = \(\.account)
       AND chunks.type = begun.type
       AND chunks.day BETWEEN begun.day - 7 AND begun.day - 1
     WHERE chunks.blocks > 1
       AND octet_length(chunks.data) / chunks.blocks < \(\.fragmentBlockBytes)
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let types: [DataType]
  let days: [Int32]
  var fragmentBlockBytes = Int32(SealedBlocks.fragmentBlockBytes)
}
