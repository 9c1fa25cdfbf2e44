import Accounts
import Bytes
import Cryptography
import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit
import Time

/// Merges staged imports into the day rows, and removes incompletely received ones: one per
/// process, on one loop; several processes share the work.
///
/// A merge runs in batches, each a transaction that stores samples, removes their staged blocks and
/// counts them in the report: after a crash, any worker continues with the remaining blocks.
package struct ImportWorker: Sendable {
  /// The worker's pause between turns without a wake-up.
  package static let rest = Duration.seconds(5)
  /// The default time for which an ended import can be read.
  package static let keptFor = Duration.seconds(30 * 86_400)

  private let dependencies: HealthRecordsDependencies
  private let samples: SampleStore
  private let keptFor: Duration
  private let wakeUp: WakeUpSignal
  private let identifier = UniversalID.random()
  private let work: LoopBound<PeriodicTask>

  /// A worker over these samples that does nothing until `start`; `wakeUp` starts its turn early.
  /// Ended imports are deleted after `keptFor`.
  package init(
    _ dependencies: HealthRecordsDependencies, samples: SampleStore,
    keptFor: Duration = Self.keptFor, wakeUp: WakeUpSignal
  ) {
    self.dependencies = dependencies
    self.samples = samples
    self.keptFor = keptFor
    self.wakeUp = wakeUp
    let merging = ImportMerging(
      environment: dependencies.environment, database: dependencies.database,
      accountKeys: dependencies.accountKeys, notices: dependencies.notices, log: dependencies.log,
      samples: samples, keptFor: keptFor, worker: identifier)
    let work = PeriodicTask(on: dependencies.loop) {
      do throws(ApplicationError) {
        try await merging.run()
      } catch {
        dependencies.log.failure("process imports failed", error, level: .warning)
      }
      return Self.rest
    }
    self.work = LoopBound(work, on: dependencies.loop)
  }

  /// Starts the work. On the loop, once.
  package func start() {
    let work = work.value
    wakeUp.onSignal { work.wake() }
    work.start()
  }

  /// Returns after the turn in progress. On the loop.
  package func stop() async { await work.value.stop() }

  /// Does one turn: removes lost imports, and merges all waiting ones. On the loop; `start` repeats
  /// it.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  package func run() async throws(ApplicationError) {
    try await ImportMerging(
      environment: dependencies.environment, database: dependencies.database,
      accountKeys: dependencies.accountKeys, notices: dependencies.notices, log: dependencies.log,
      samples: samples, keptFor: keptFor, worker: identifier
    ).run()
  }
}

/// One turn of a worker.
struct ImportMerging: Sendable {
  private let environment: Environment
  private let database: Database
  private let accountKeys: AccountKeys
  private let log: Log
  private let samples: SampleStore
  private let keptFor: Duration
  private let roomNotices: RoomNotices
  private let worker: UniversalID

  init(
    environment: Environment, database: Database, accountKeys: AccountKeys, notices: Notices,
    log: Log,
    samples: SampleStore, keptFor: Duration, worker: UniversalID
  ) {
    self.environment = environment
    self.database = database
    self.accountKeys = accountKeys
    self.log = log
    self.samples = samples
    self.keptFor = keptFor
    roomNotices = RoomNotices(
      environment: environment, database: database, notices: notices, log: log,
      bytesMax: samples.bytesMax)
    self.worker = worker
  }

  private var now: Instant { environment.now() }
  private var lostBefore: Instant { now + (.zero - ImportReceiving.lostAfter) }

  /// Removes lost and old imports, then merges until none is waiting.
  func run() async throws(ApplicationError) {
    do throws(PostgresError) {
      try await database.write(
        SweepLostImports(lostBefore: lostBefore),
        ForgetImports(before: now + (.zero - keptFor)))
    } catch {
      throw .database(error)
    }
    while let leased = try await database.effect(
      LeaseImport(worker: worker, now: now, lostBefore: lostBefore))
    {
      try await merge(ImportKey(account: leased.account, id: leased.id))
    }
  }

  private func merge(_ key: ImportKey) async throws(ApplicationError) {
    do throws(ApplicationError) {
      let sealingKey = try await accountKeys.key(of: key.account)
      while let outcome = try await mergeSome(of: key, sealingKey) {
        samples.announce(outcome, of: key.account)
      }
    } catch {
      switch error.reason {
      case .notFound:
        // The account was deleted, so that its staged blocks can't be decrypted.
        _ = try await database.effect(RemoveImport(account: key.account, id: key.id))
      case .unavailable: throw error
      default:
        log.failure(
          "merge import failed", error, .number("account_id", key.account.rawValue),
          .safe("import_id", key.id))
        try await giveUp(key)
      }
    }
  }

  /// Merges one batch; nil after the last, or if another worker leased the import.
  private func mergeSome(
    of key: ImportKey, _ sealingKey: SealingKey
  ) async throws(ApplicationError) -> AppendOutcome? {
    try await database.transaction(within: .seconds(60)) { (transaction) throws(ApplicationError) in
      let (_, rows) = try await transaction.run(
        HoldAccounts(accounts: [key.account]),
        LockLeasedImport(account: key.account, id: key.id, worker: worker))
      guard let row = rows.first else { return nil }
      let blocks = try await transaction.run(
        NewestStagedBlocks(
          account: key.account, id: key.id, samplesMax: Int64(StagedBlocks.samplesMax)))
      var report = try ImportReport(sealed: row.report, key, with: sealingKey)
      var batch: [NewSample] = []
      try mapStorageError { () throws(SampleStoreError) in
        for block in blocks {
          batch += try StagedBlocks.samples(
            in: block.data, block.number, of: key, with: sealingKey)
        }
      }
      var outcome = AppendOutcome()
      if !batch.isEmpty {
        outcome = try await samples.append(batch, to: key.account, in: transaction)
        report.outcome += outcome
        try await roomNotices.notify(key.account, dropped: outcome.dropped, in: transaction)
      }
      try await transaction.commit(
        NoteMerged(
          account: key.account, id: key.id, numbers: blocks.map(\.number),
          state: blocks.isEmpty ? .done : .merging, now: now,
          report: report.sealed(key, with: sealingKey)))
      return blocks.isEmpty ? nil : outcome
    }
  }

  /// Ends an import that can't be merged through a fault of the product: merged samples stay and
  /// are counted.
  private func giveUp(_ key: ImportKey) async throws(ApplicationError) {
    let sealingKey = try await accountKeys.key(of: key.account)
    guard
      let row = try await database.row(ImportOfAccount(account: key.account, id: key.id)),
      row.state == .merging
    else { return }
    var report = ImportReport()
    do throws(ApplicationError) {
      report = try ImportReport(sealed: row.report, key, with: sealingKey)
    } catch {
      // The counts in it are lost.
      log.failure(
        "read import report failed", error, .number("account_id", key.account.rawValue),
        .safe("import_id", key.id))
    }
    report.error = .zip("An internal error prevented some samples of the file from being stored.")
    _ = try await database.effect(
      FailImport(
        account: key.account, id: key.id, now: now, bytesRead: row.bytesRead,
        report: report.sealed(key, with: sealingKey)))
  }
}
