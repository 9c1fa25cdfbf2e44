import Bytes
import Cryptography
import Domain
import Postgres
import Time

/// The number of an account's keys; at most twenty rows of the primary key.
struct CountProgramKeys: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT count(*) FROM data4help.program_keys WHERE account_id = \(\.account)
    """
  let account: AccountID
}

struct InsertProgramKey: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.program_keys (account_id, key_id, sealed_name, token_hash, created_at)
    VALUES (\(\.account), \(\.key), \(\.sealedName), \(\.token), \(\.at))
    """
  let account: AccountID
  let key: UniversalID
  let sealedName: [UInt8]
  let token: TokenHash
  let at: Instant
}

/// The keys of an account with their last use, which is stored with the token.
struct ProgramKeys: Statement {
  struct Row: Sendable {
    let key: UniversalID
    let sealedName: [UInt8]
    let createdAt: Instant
    /// The time of creation if it was never used.
    let lastUsedAt: Instant
  }
  static let sql: SQL<Self> = """
    SELECT key.key_id, key.sealed_name, key.created_at, token.last_used_at
      FROM data4help.program_keys AS key
      JOIN data4help.sessions AS token ON token.token_hash = key.token_hash
     WHERE key.account_id = \(\.account)
     ORDER BY key.created_at DESC, key.key_id DESC
    """
  static let columns = Columns(Row.init)
  let account: AccountID
}

/// Deletes a key and returns its token, which is revoked in the same transaction.
struct DeleteProgramKey: Statement {
  typealias Row = TokenHash
  static let sql: SQL<Self> = """
    DELETE FROM data4help.program_keys
     WHERE account_id = \(\.account)
       AND key_id = \(\.key)
    RETURNING token_hash
    """
  let account: AccountID
  let key: UniversalID
}

/// Deletes all keys of an account, whose tokens are revoked in the same transaction.
struct DeleteProgramKeys: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.program_keys WHERE account_id = \(\.account)
    """
  let account: AccountID
}

/// The statements of keys, for comparing them with the schema.
package enum ProgramKeyStatements {
  /// All of them.
  package static let all: [any Statement.Type] = [
    StartToken.self, LockAccount.self, SessionHasEnded.self, CountProgramKeys.self,
    InsertProgramKey.self, ProgramKeys.self, DeleteProgramKey.self, DeleteProgramKeys.self,
  ]
}
