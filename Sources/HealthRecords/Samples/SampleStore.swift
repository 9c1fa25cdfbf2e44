import Accounts
import Domain
import EventLoop
import Postgres
import ServiceKit

/// The samples of all accounts: sealed and packed in rows per type and day (see
/// docs/architecture.md), each under a number of its account's sequence, in the order of commits.
///
/// One per event loop. Every sample belongs to one account and is sealed under its key (R9).
package struct SampleStore: Sendable {
  /// The maximum size in bytes of an account's sealed samples (DAT-5).
  package static let accountBytesMax: Int64 = 10_000_000

  /// The maximum size in this store; tests set it lower.
  package let bytesMax: Int64
  let database: Database
  let accountKeys: AccountKeys
  let environment: Environment
  let zone: TimeZoneRules
  let writer: BatchWriter
  let rules: LateChangeRules
  private let relayWakeUp: RelayWakeUpSignal

  /// The samples in this database; `recent` is that of the process.
  package init(
    _ dependencies: HealthRecordsDependencies, recent: RecentAccounts,
    bytesMax: Int64 = SampleStore.accountBytesMax
  ) {
    self.bytesMax = bytesMax
    database = dependencies.database
    accountKeys = dependencies.accountKeys
    environment = dependencies.environment
    zone = dependencies.zone
    rules = LateChangeRules(zone: dependencies.zone, root: dependencies.root)
    writer = BatchWriter(
      database: dependencies.database, environment: dependencies.environment, bytesMax: bytesMax,
      rules, recent: recent, relayWakeUp: dependencies.relayWakeUp, on: dependencies.loop)
    relayWakeUp = dependencies.relayWakeUp
  }

  /// Stores one upload, in one commit with concurrent uploads; returns after the commit. A repeated
  /// upload stores nothing twice.
  ///
  /// - Throws: `notFound` if the account was deleted, `unavailable` if the database is unavailable,
  ///   also if the outcome of the upload is unknown.
  package func upload(
    _ samples: [NewSample], to account: AccountID
  ) async throws(ApplicationError) -> AppendOutcome {
    let sealingKey = try await accountKeys.key(of: account)
    let upload = PendingUpload(
      account: account, groups: DaySamples.groups(of: samples, in: zone),
      sealingKey: sealingKey)
    return try await writer.store(upload)
  }

  /// Stores samples in a transaction of the caller, by the rules of an upload; returns before the
  /// commit. For samples that must be stored together with other data.
  ///
  /// The account stays locked to the end of the transaction: acquire no lock afterwards whose
  /// holder may be waiting for the account.
  package func append(
    _ samples: [NewSample], to account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> AppendOutcome {
    let sealingKey = try await accountKeys.key(of: account)
    let appending = AccountAppending(
      account: account, sealingKey: sealingKey, now: environment.now(), bytesMax: bytesMax,
      rules: rules)
    return try await appending.append(DaySamples.groups(of: samples, in: zone), in: transaction)
  }

  /// Stores any number of samples in a separate transaction, in a handful of statements: made for
  /// imports, with up to some hundred thousand samples at a time.
  package func append(
    _ samples: [NewSample], to account: AccountID
  ) async throws(ApplicationError) -> AppendOutcome {
    let outcome = try await database.transaction(within: .seconds(60)) {
      (transaction) throws(ApplicationError) in
      try await append(samples, to: account, in: transaction)
    }
    announce(outcome, of: account)
    return outcome
  }

  /// Notifies the relay of this process that a transaction with samples of this account has
  /// committed, if the account may have subscribers; without it they wait for the slower periodic
  /// check.
  package func announce(_ outcome: AppendOutcome, of account: AccountID) {
    if outcome.isSubscribed { relayWakeUp.signal([account]) }
  }

  /// Reads samples by their numbers, page by page.
  ///
  /// - Throws: `notFound` if the account was deleted, `unavailable` if the keys' database is
  ///   unavailable.
  package func reader(_ selection: SampleSelection) async throws(ApplicationError) -> SampleReader {
    SampleReader(
      selection, database: database,
      sealingKey: try await accountKeys.key(of: selection.account))
  }

  /// The types that are available: imported, and with at least one sample (R22).
  package func availableTypes(of account: AccountID) async throws(ApplicationError) -> DataTypeSet {
    let row = try await database.row(AvailableTypes(account: account))
    return row.map(DataTypeSet.init(stored:)) ?? .none
  }

  /// The number of the sample stored last, 0 without any. Later commits have greater numbers.
  package func lastSequence(of account: AccountID) async throws(ApplicationError) -> Int64 {
    try await database.row(LastSequence(account: account)) ?? 0
  }
}

/// The available types of an account (R22), as bits; no row if it never had samples.
package struct AvailableTypes: Statement {
  /// One number.
  package typealias Row = Int64
  /// By the primary key.
  package static let sql: SQL<Self> = """
    SELECT stored_types & ~disabled_types FROM sample_accounts WHERE account_id = \(\.account)
    """
  let account: AccountID

  /// The types of this account.
  package init(account: AccountID) { self.account = account }
}

/// The number of the sample that an account stored last; no row if it never had samples.
package struct LastSequence: Statement {
  /// One number.
  package typealias Row = Int64
  /// By the primary key.
  package static let sql: SQL<Self> = """
    SELECT next_seq - 1 FROM sample_accounts WHERE account_id = \(\.account)
    """
  let account: AccountID

  /// The last number of this account.
  package init(account: AccountID) { self.account = account }
}
