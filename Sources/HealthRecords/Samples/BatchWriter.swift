import Bytes
import Cryptography
import Domain
import EventLoop
import Postgres
import ServiceKit

/// An upload waiting to be stored; for the loop that created it.
final class PendingUpload {
  /// Why a waiting task is resumed.
  enum Wake {
    /// Its upload was stored or has failed.
    case settled(Result<AppendOutcome, ApplicationError>)
    /// It becomes the leader and writes the waiting uploads.
    case lead
    /// It is stored individually, on the slow path.
    case individually
  }

  let account: AccountID
  let groups: [DaySamples]
  let sealingKey: SealingKey
  var result: Wake?
  var continuation: CheckedContinuation<Wake, Never>?

  init(account: AccountID, groups: [DaySamples], sealingKey: SealingKey) {
    self.account = account
    self.groups = groups
    self.sealingKey = sealingKey
  }

  /// Delivers the outcome to the waiting task, or to the leader.
  func settle(_ wake: Wake) {
    guard let continuation else {
      result = wake
      return
    }
    self.continuation = nil
    continuation.resume(returning: wake)
  }
}

/// Collects uploads and stores many in one commit.
///
/// A loop has one batch in progress at most; uploads that arrive meanwhile form the next batch. No
/// timer is involved: a single upload is written at the end of the loop's turn, and under load
/// batches fill by themselves. The first task to find the writer idle becomes leader: it writes
/// batches until its own upload is complete, completes the other uploads in them, and passes
/// leadership on.
struct BatchWriter: Sendable {
  /// The maximum number of uploads in one commit.
  static let batchMax = 64

  private let database: Database
  private let environment: Environment
  private let bytesMax: Int64
  private let rules: LateChangeRules
  private let relayWakeUp: RelayWakeUpSignal
  private let recent: RecentAccounts
  private let queue: LoopBound<Queue>

  /// The waiting uploads, and whether a task writes them.
  private final class Queue {
    var waiting: [PendingUpload] = []
    var isLed = false
    /// The lost connections of the database after which everything was forgotten.
    var lostConnections = 0
  }

  init(
    database: Database, environment: Environment, bytesMax: Int64, _ rules: LateChangeRules,
    recent: RecentAccounts, relayWakeUp: RelayWakeUpSignal, on loop: EventLoop
  ) {
    self.recent = recent
    self.relayWakeUp = relayWakeUp
    self.database = database
    self.rules = rules
    self.environment = environment
    self.bytesMax = bytesMax
    queue = LoopBound(Queue(), on: loop)
  }

  /// Stores an upload; returns after the commit.
  func store(_ upload: PendingUpload) async throws(ApplicationError) -> AppendOutcome {
    let queue = queue.value
    queue.waiting.append(upload)
    var wake = PendingUpload.Wake.lead
    if queue.isLed {
      wake = await withCheckedContinuation { upload.continuation = $0 }
    } else {
      queue.isLed = true
    }
    if case .lead = wake { wake = await lead(queue, for: upload) }
    switch wake {
    case .settled(let result): return try result.get()
    case .individually, .lead: return try await storeIndividually(upload)
    }
  }

  /// Writes batches until the caller's own upload is complete, then passes leadership on.
  private func lead(
    _ queue: Queue, for upload: PendingUpload
  ) async -> PendingUpload.Wake {
    while upload.result == nil {
      await endOfTurn()
      let batch = takeBatch(queue)
      await write(batch)
    }
    if queue.waiting.isEmpty {
      queue.isLed = false
    } else {
      queue.waiting[0].settle(.lead)
    }
    return upload.result ?? .individually
  }

  /// Waits for the end of the loop's turn, so that all uploads of this turn join the batch.
  private func endOfTurn() async {
    await withCheckedContinuation { continuation in
      queue.loop.endOfTurn { continuation.resume() }
    }
  }

  /// Dequeues the oldest uploads, at most one per account: a second one must see the first.
  private func takeBatch(_ queue: Queue) -> [PendingUpload] {
    var batch: [PendingUpload] = []
    var left: [PendingUpload] = []
    var accounts: Set<AccountID> = []
    for upload in queue.waiting {
      if batch.count < Self.batchMax, accounts.insert(upload.account).inserted {
        batch.append(upload)
      } else {
        left.append(upload)
      }
    }
    queue.waiting = left
    return batch
  }

  /// Stores the uploads that need no more than the heads, and settles every upload of the batch.
  private func write(_ batch: [PendingUpload]) async {
    // `LockSampleAccounts` locks in this order, and `StoreBlocks` mostly does: if two batches still
    // deadlock, one of them is repeated.
    let batch = batch.sorted { $0.account.rawValue < $1.account.rawValue }
    forgetAfterLoss()
    let accounts = batch.map { recent.consume($0.account, for: $0.groups) }
    do throws(ApplicationError) {
      var stored = StoredBatch()
      try await database.transaction(retrying: .conflicts(times: 2)) {
        (transaction) throws(ApplicationError) in
        stored = try await UploadBatch(
          batch, accounts, now: environment.now(), bytesMax: bytesMax, rules
        ).write(in: transaction)
      }
      recent.keep(stored.advanced)
      relayWakeUp.signal(stored.followed)
      for (upload, outcome) in zip(batch, stored.outcomes) {
        upload.settle(outcome.map { .settled(.success($0)) } ?? .individually)
      }
    } catch {
      // A lost database fails every upload; any other error may be the fault of a single one.
      let isUnavailable = error.reason == .unavailable
      for upload in batch {
        upload.settle(isUnavailable ? .settled(.failure(error)) : .individually)
      }
    }
  }

  /// Forgets all accounts after the loss of a connection: the next one may be to a server with
  /// another history, in which the numbers of transactions repeat.
  private func forgetAfterLoss() {
    let queue = queue.value
    guard queue.lostConnections != database.lostConnections else { return }
    queue.lostConnections = database.lostConnections
    recent.forget()
  }

  /// The slow path: a separate transaction, which reads stored chunks.
  private func storeIndividually(_ upload: PendingUpload) async throws(ApplicationError)
    -> AppendOutcome
  {
    let appending = AccountAppending(
      account: upload.account, sealingKey: upload.sealingKey, now: environment.now(),
      bytesMax: bytesMax, rules: rules)
    let outcome = try await database.transaction { (transaction) throws(ApplicationError) in
      try await appending.append(upload.groups, in: transaction)
    }
    if outcome.isSubscribed { relayWakeUp.signal([upload.account]) }
    return outcome
  }
}
