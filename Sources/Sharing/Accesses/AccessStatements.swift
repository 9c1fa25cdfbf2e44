import Cryptography
import Domain
import Postgres
import Time

/// An entry of the access record as stored in the database.
struct AccessRow: Sendable {
  let account: AccountID
  let number: Int64
  let thirdParty: AccountID
  let requestID: DataRequestID?
  let accessedAt: Instant
  let format: AccessFormat
  let types: DataTypeSet
  let firstNumber: Int64
  let lastNumber: Int64
  let count: Int32
  let chain: AuditLink

  /// The columns in the order of the properties.
  static let columnList: StaticString = """
    account_id, number, third_party_id, request_id, accessed_at, format, types, first_seq,
           last_seq, n, chain
    """
  static let columns = Columns(AccessRow.init)
}

/// The length of a person's record, and its last link.
struct AccessHead: Sendable {
  let account: AccountID
  let count: Int64
  let link: AuditLink
}

/// The heads of people's records, locked in a fixed order until the end of the transaction; missing
/// heads are created.
struct LockAccessHeads: Statement {
  typealias Row = AccessHead
  static let sql: SQL<Self> = """
    INSERT INTO data4help.access_heads AS head (account_id, count, head)
    SELECT account_id, 0, start
      FROM unnest(\(\.accounts), \(\.starts)) AS asked (account_id, start)
     ORDER BY account_id
        ON CONFLICT (account_id) DO UPDATE
       SET count = head.count
    RETURNING head.account_id, head.count, head.head
    """
  static let columns = Columns(AccessHead.init)
  let accounts: [AccountID]
  let starts: [AuditLink]
}

/// Inserts entries after locked heads.
struct InsertAccesses: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.accesses (
           account_id, number, third_party_id, request_id, accessed_at, format, types, first_seq,
           last_seq, n, chain)
    SELECT account_id, number, third_party_id,
           nullif(request_id, '00000000-0000-0000-0000-000000000000'), accessed_at, format, types,
           first_seq, last_seq, n, chain
      FROM unnest(\(\.accounts), \(\.numbers), \(\.thirdParties), \(\.requestIDs), \(\.times),
                  \(\.formats), \(\.types), \(\.firstNumbers), \(\.lastNumbers), \(\.counts),
                  \(\.links))
             AS entry (account_id, number, third_party_id, request_id, accessed_at, format, types,
                       first_seq, last_seq, n, chain)
    """
  private(set) var accounts: [AccountID] = []
  private(set) var numbers: [Int64] = []
  private(set) var thirdParties: [AccountID] = []
  private(set) var requestIDs: [DataRequestID] = []
  private(set) var times: [Instant] = []
  private(set) var formats: [AccessFormat] = []
  private(set) var types: [DataTypeSet] = []
  private(set) var firstNumbers: [Int64] = []
  private(set) var lastNumbers: [Int64] = []
  private(set) var counts: [Int32] = []
  private(set) var links: [AuditLink] = []

  mutating func append(_ entry: AccessEntry, _ link: AuditLink) {
    accounts.append(entry.account)
    numbers.append(entry.number)
    thirdParties.append(entry.thirdParty)
    requestIDs.append(entry.requestID ?? DataRequestID(high: 0, low: 0))
    times.append(entry.accessedAt)
    formats.append(entry.format)
    types.append(entry.types)
    firstNumbers.append(entry.firstNumber)
    lastNumbers.append(entry.lastNumber)
    counts.append(entry.count)
    links.append(link)
  }
}

/// Advances locked heads.
struct MoveAccessHeads: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.access_heads AS head
       SET count = moved.count, head = moved.link
      FROM unnest(\(\.accounts), \(\.counts), \(\.links)) AS moved (account_id, count, link)
     WHERE head.account_id = moved.account_id
    """
  let accounts: [AccountID]
  let counts: [Int64]
  let links: [AuditLink]
}

/// A page of a person's record, newest first.
struct NewestAccesses: Statement {
  typealias Row = AccessRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: AccessRow.columnList)
      FROM data4help.accesses
     WHERE account_id = \(\.account)
       AND number < \(\.before)
     ORDER BY number DESC
     LIMIT \(\.limit)
    """
  static let columns = AccessRow.columns
  let account: AccountID
  let before: Int64
  let limit: Int
}

/// A part of a person's record, oldest first.
struct AccessesInOrder: Statement {
  typealias Row = AccessRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: AccessRow.columnList)
      FROM data4help.accesses
     WHERE account_id = \(\.account)
       AND number BETWEEN \(\.first) AND \(\.last)
     ORDER BY number
     LIMIT \(\.limit)
    """
  static let columns = AccessRow.columns
  let account: AccountID
  let first: Int64
  let last: Int64
  let limit: Int
}

/// The entries of several people between two numbers of each, in order.
struct AccessesAfter: Statement {
  typealias Row = AccessRow
  static let sql: SQL<Self> = """
    SELECT entry.account_id, entry.number, entry.third_party_id, entry.request_id,
           entry.accessed_at, entry.format, entry.types, entry.first_seq, entry.last_seq, entry.n,
           entry.chain
      FROM unnest(\(\.accounts), \(\.counts), \(\.last)) AS asked (account_id, count, last)
      JOIN data4help.accesses AS entry
        ON entry.account_id = asked.account_id
       AND entry.number > asked.count
       AND entry.number <= asked.last
     ORDER BY entry.account_id, entry.number
    """
  static let columns = AccessRow.columns
  let accounts: [AccountID]
  let counts: [Int64]
  let last: [Int64]
}

/// The heads of these people's records.
struct AccessHeads: Statement {
  typealias Row = AccessHead
  static let sql: SQL<Self> = """
    SELECT account_id, count, head
      FROM data4help.access_heads
     WHERE account_id = ANY (\(\.accounts))
    """
  static let columns = Columns(AccessHead.init)
  let accounts: [AccountID]
}

/// People with a record, in the order of their numbers.
struct AccountsWithAccesses: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    SELECT account_id
      FROM data4help.access_heads
     WHERE account_id > \(\.after)
     ORDER BY account_id
     LIMIT \(\.limit)
    """
  let after: AccountID
  let limit: Int
}

/// People whose record has grown since it was last checkpointed, in the order of their numbers.
struct AccountsToCheckpoint: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    SELECT account_id
      FROM data4help.access_heads
     WHERE checkpointed_count < count
       AND account_id > \(\.after)
     ORDER BY account_id
     LIMIT \(\.limit)
    """
  let after: AccountID
  let limit: Int
}

/// Stores how far records are checkpointed. Heads locked by a delivery are skipped until the next
/// run: waiting for them in a lock order other than that of deliveries could deadlock, and would
/// delay the delivery.
struct StoreCheckpointed: Statement {
  static let sql: SQL<Self> = """
    WITH free AS (
      SELECT account_id
        FROM data4help.access_heads
       WHERE account_id = ANY (\(\.accounts))
         FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE data4help.access_heads AS head
       SET checkpointed_count = greatest(head.checkpointed_count, checkpointed.count)
      FROM unnest(\(\.accounts), \(\.counts)) AS checkpointed (account_id, count)
      JOIN free USING (account_id)
     WHERE head.account_id = checkpointed.account_id
    """
  let accounts: [AccountID]
  let counts: [Int64]
}

/// The checkpoint of a person's record in the keys' database.
struct AuditCheckpoint: Sendable {
  let account: AccountID
  let count: Int64
  let link: AuditLink?
  /// The end of the record when the root secret was replaced last; nil before.
  let anchor: AuditAnchor?

  init(
    _ account: AccountID, _ count: Int64, _ link: AuditLink?, _ anchorCount: Int64?,
    _ anchorLink: AuditLink?, _ anchorCode: AuditAnchorCode?
  ) {
    self.account = account
    self.count = count
    self.link = link
    if let anchorCount, let anchorLink, let anchorCode {
      anchor = AuditAnchor(count: anchorCount, link: anchorLink, code: anchorCode)
    } else {
      anchor = nil
    }
  }
}

/// The end of a record when the root secret was replaced: entries up to it are verified under
/// former secrets, and the code proves that a later secret's holder has seen it.
struct AuditAnchor: Sendable, Equatable {
  let count: Int64
  let link: AuditLink
  let code: AuditAnchorCode
}

/// The checkpoints of these people, in the keys' database.
struct AuditCheckpoints: Statement {
  typealias Row = AuditCheckpoint
  static let sql: SQL<Self> = """
    SELECT account_id, access_count, access_head, anchor_count, anchor_head, anchor_code
      FROM account_keys
     WHERE account_id = ANY (\(\.accounts))
    """
  static let columns = Columns(AuditCheckpoint.init)
  let accounts: [AccountID]
}

/// People whose record is checkpointed, in the keys' database.
struct CheckpointedAccounts: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    SELECT account_id
      FROM account_keys
     WHERE access_count > 0
       AND account_id > \(\.after)
     ORDER BY account_id
     LIMIT \(\.limit)
    """
  let after: AccountID
  let limit: Int
}

/// Moves checkpoints in the keys' database, each only if it still has the value that was read;
/// returns the accounts whose checkpoints moved.
struct AdvanceCheckpoints: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    UPDATE account_keys AS checkpoint
       SET access_count = moved.count, access_head = moved.link
      FROM unnest(\(\.accounts), \(\.previous), \(\.counts), \(\.links))
             AS moved (account_id, previous, count, link)
     WHERE checkpoint.account_id = moved.account_id
       AND checkpoint.access_count = moved.previous
       AND moved.count > moved.previous
    RETURNING checkpoint.account_id
    """
  private(set) var accounts: [AccountID] = []
  private(set) var previous: [Int64] = []
  private(set) var counts: [Int64] = []
  private(set) var links: [AuditLink] = []

  /// Adds a checkpoint to move to this head.
  mutating func append(_ head: AccessHead, from count: Int64) {
    accounts.append(head.account)
    previous.append(count)
    counts.append(head.count)
    links.append(head.link)
  }
}
