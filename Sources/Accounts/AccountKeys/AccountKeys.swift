import Cryptography
import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit
import Time

/// The keys of accounts, which seal all personal data. They are stored wrapped in a separate
/// database; unwrapped keys stay in memory while they are in use.
///
/// One per event loop. Its keys are for that loop only.
package struct AccountKeys: Sendable {
  private let database: Database
  private let environment: Environment
  private let memory: LoopBound<Memory>
  private let log: Log
  private let damages: Counter

  /// The state of the loop.
  private final class Memory {
    var wrapper: KeyWrapper
    var keys = RecentlyUsed<AccountID, SealingKey>(countMax: AccountKeys.keptMax)
    /// Accounts whose damaged key was already logged.
    var damaged = RecentlyUsed<AccountID, Bool>(countMax: 1_000)

    init(_ ring: MasterKeyRing) { wrapper = KeyWrapper(ring) }
  }

  /// The most unwrapped keys in memory; each takes about a kilobyte.
  package static let keptMax = 20_000

  /// The keys in this database, wrapped under the newest of these master keys.
  package init(
    database: Database, masterKeys: MasterKeyRing, environment: Environment, on loop: EventLoop,
    log: Log,
    metrics: Metrics
  ) {
    self.database = database
    self.environment = environment
    self.log = log
    memory = LoopBound(Memory(masterKeys), on: loop)
    damages = metrics.counter(
      "trackme_data4help_account_keys_damaged_total",
      "Keys of accounts among several that could not be unwrapped; the others could.")
  }

  private init(_ other: AccountKeys, over database: Database) {
    (self.database, environment, memory) = (database, other.environment, other.memory)
    (log, damages) = (other.log, other.damages)
  }

  /// These keys with their memory, over other connections to their database.
  package func over(_ database: Database) -> AccountKeys { AccountKeys(self, over: database) }

  /// Uses the keys of a file that was read again. From any loop; returns once they are in use.
  package func use(_ ring: MasterKeyRing) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      memory.loop.begin {
        memory.value.wrapper = KeyWrapper(ring)
        continuation.resume()
      }
    }
  }

  /// The key of an account.
  ///
  /// - Throws: `notFound` if there is none (the account was deleted), `unavailable` if the key
  ///   database is unavailable.
  package func key(of account: AccountID) async throws(ApplicationError) -> SealingKey {
    if let key = memory.value.keys[account] { return key }
    guard let wrapped = try await database.row(WrappedKey(account: account)) else {
      throw .notFound
    }
    return try unwrap(wrapped, of: account)
  }

  /// The key of an account, if it is in memory.
  package func known(_ account: AccountID) -> SealingKey? { memory.value.keys[account] }

  /// The keys of several accounts. A damaged key is logged and counted, and does not affect the
  /// others.
  ///
  /// - Throws: `unavailable` if the key database is unavailable.
  package func keys(of accounts: [AccountID]) async throws(ApplicationError) -> FoundKeys {
    var found = FoundKeys()
    var missing: [AccountID] = []
    for account in accounts {
      if let key = memory.value.keys[account] {
        found.keys[account] = key
      } else {
        missing.append(account)
      }
    }
    guard !missing.isEmpty else { return found }
    for row in try await database.rows(WrappedKeys(accounts: missing)) {
      found.add(row.account) { () throws(ApplicationError) in
        try unwrap(row.wrapped, of: row.account)
      }
    }
    note(damaged: found.damaged)
    return found
  }

  /// The keys of several accounts as `keys(of:)`, without storing new ones in memory: for work that
  /// iterates over all accounts and must not evict the keys in use.
  package func keysInPassing(of accounts: [AccountID]) async throws(ApplicationError) -> FoundKeys {
    var found = FoundKeys()
    for account in accounts { found.keys[account] = memory.value.keys[account] }
    let missing = accounts.filter { found.keys[$0] == nil }
    guard !missing.isEmpty else { return found }
    for row in try await database.rows(WrappedKeys(accounts: missing)) {
      found.add(row.account) { () throws(ApplicationError) in
        try opened(row.wrapped, of: row.account)
      }
    }
    note(damaged: found.damaged)
    return found
  }

  private func note(damaged accounts: Set<AccountID>) {
    damages.increment(by: UInt64(accounts.count))
    for account in accounts where memory.value.damaged[account] == nil {
      memory.value.damaged[account] = true
      log.error(
        "unwrap account key failed",
        [.number("account_id", account.rawValue), .constant("cause", "the stored key is damaged")])
    }
  }

  /// Creates and stores the key of a new account.
  ///
  /// - Throws: `unavailable` if the key database is unavailable.
  package func make(for account: AccountID) async throws(ApplicationError) -> SealingKey {
    let key = AccountKey.random()
    let wrapped = memory.value.wrapper.wrap(key, account: account.rawValue)
    _ = try await database.effect(
      StoreWrappedKey(account: account, wrapped: wrapped, at: environment.now()))
    let sealingKey = SealingKey(key)
    memory.value.keys[account] = sealingKey
    return sealingKey
  }

  /// Removes the keys of accounts from this loop's memory, because another loop or process
  /// destroyed them.
  package func forget(_ accounts: [AccountID]) {
    for account in accounts { memory.value.keys[account] = nil }
  }

  /// Destroys the keys of accounts: the data that they sealed can never be read again.
  ///
  /// - Throws: `unavailable` if the key database is unavailable.
  package func destroy(_ accounts: [AccountID]) async throws(ApplicationError) {
    forget(accounts)
    _ = try await database.effect(DestroyKeys(accounts: accounts))
  }

  private func unwrap(_ wrapped: [UInt8], of account: AccountID) throws(ApplicationError)
    -> SealingKey
  {
    let sealingKey = try opened(wrapped, of: account)
    memory.value.keys[account] = sealingKey
    return sealingKey
  }

  private func opened(_ wrapped: [UInt8], of account: AccountID) throws(ApplicationError)
    -> SealingKey
  {
    try mapStorageError { () throws(CryptographyError) in
      SealingKey(try memory.value.wrapper.unwrap(wrapped.span, account: account.rawValue))
    }
  }
}

/// The statements of account keys, all in the keys' database, for the check against the schema.
package enum AccountKeyStatements {
  /// The statements.
  package static let ofKeys: [any Statement.Type] = [
    WrappedKey.self, WrappedKeys.self, StoreWrappedKey.self, DestroyKeys.self,
    MasterKeyStates.self, MasterKeysInUse.self, LockKeysUnderOthers.self, StoreRewrappedKeys.self,
    RetireMasterKeys.self, ReleaseMasterKeys.self, LaggingKeyReaders.self, ReportKeyReader.self,
    RemoveKeyReader.self,
  ]
}

struct WrappedKey: Statement {
  typealias Row = [UInt8]
  static let sql: SQL<Self> = """
    SELECT wrapped_key FROM account_keys WHERE account_id = \(\.account)
    """
  let account: AccountID
}

struct WrappedKeys: Statement {
  struct Row: Sendable {
    let account: AccountID
    let wrapped: [UInt8]
  }
  static let sql: SQL<Self> = """
    SELECT account_id, wrapped_key FROM account_keys WHERE account_id = ANY (\(\.accounts))
    """
  static let columns = Columns(Row.init)
  let accounts: [AccountID]
}

struct StoreWrappedKey: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO account_keys (account_id, wrapped_key, created_at)
    VALUES (\(\.account), \(\.wrapped), \(\.at))
    """
  let account: AccountID
  let wrapped: [UInt8]
  let at: Instant
}

struct DestroyKeys: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM account_keys WHERE account_id = ANY (\(\.accounts))
    """
  let accounts: [AccountID]
}
