import Domain
import Postgres
import ServiceKit
import Time

/// The outcome of a batch.
struct StoredBatch {
  /// The outcome of each upload; nil for one that must continue on the slow path.
  var outcomes: [AppendOutcome?] = []
  /// The accounts as they are now, of the uploads that were stored.
  var advanced: [RecentAccount] = []

  /// The accounts with new samples that may have subscribers.
  var followed: [AccountID] {
    advanced.compactMap { $0.state.isSubscribed ? $0.state.account : nil }
  }
}

/// Uploads of different accounts that are stored in one transaction, provided that the heads of
/// their days suffice: of one round trip if all accounts are known, else of two.
struct UploadBatch {
  private let uploads: [PendingUpload]
  private let known: [RecentAccount?]
  private let now: Instant
  private let bytesMax: Int64
  private let rules: LateChangeRules

  /// A batch of uploads in the order of their accounts, with what is known about each of them.
  init(
    _ uploads: [PendingUpload], _ known: [RecentAccount?], now: Instant, bytesMax: Int64,
    _ rules: LateChangeRules
  ) {
    self.uploads = uploads
    self.known = known
    self.now = now
    self.bytesMax = bytesMax
    self.rules = rules
  }

  /// An upload that can be stored.
  private struct Planned {
    let index: Int
    let plan: AppendPlan
    let outcome: AppendOutcome
    var account: RecentAccount
  }

  /// Stores uploads and returns the outcome of each; nil for one that must take the slow path: late
  /// or repeated data, the first upload of a day whose previous day is packed, no room, no row yet,
  /// an account that has changed since it was known.
  func write(in transaction: Transaction<ApplicationError>) async throws(ApplicationError)
    -> StoredBatch
  {
    var outcomes: [AppendOutcome?] = Array(repeating: nil, count: uploads.count)
    var planned: [Planned] = []
    let read = try await readUnknown(in: transaction)
    for (index, upload) in uploads.enumerated() {
      guard let account = known[index] ?? read[upload.account],
        let (plan, outcome) = try plan(upload, account, isLocked: known[index] == nil)
      else { continue }
      if !plan.isEmpty {
        planned.append(Planned(index: index, plan: plan, outcome: outcome, account: account))
      } else if known[index] == nil {
        outcomes[index] = outcome
      }
    }
    var versions: [AccountID: RowVersion] = [:]
    for row in try await write(planned, in: transaction) { versions[row.account] = row.version }
    var advanced: [RecentAccount] = []
    for var upload in planned {
      guard let version = versions[upload.plan.account] else { continue }
      outcomes[upload.index] = upload.outcome
      upload.account.advance(by: upload.plan, to: version)
      advanced.append(upload.account)
    }
    return StoredBatch(outcomes: outcomes, advanced: advanced)
  }

  /// Locks and reads the accounts about which nothing is known.
  private func readUnknown(
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [AccountID: RecentAccount] {
    let unknown = zip(uploads, known).filter { $0.1 == nil }.map(\.0)
    if unknown.isEmpty { return [:] }
    let groups = unknown.flatMap(\.groups)
    let owners = unknown.flatMap { upload in upload.groups.map { _ in upload.account } }
    let (stateRows, headRows) = try await transaction.run(
      LockSampleAccounts(accounts: unknown.map(\.account)),
      DayHeads(
        accounts: owners, types: groups.map(\.type), days: groups.map(\.day),
        fullBytes: Int32(SealedBlocks.fullChunkBytes)))
    var heads: [AccountID: KnownHeads] = [:]
    for row in headRows { heads[owners[row.input], default: KnownHeads()].insert(row, of: groups) }
    var read: [AccountID: RecentAccount] = [:]
    for state in stateRows {
      read[state.account] = RecentAccount(
        state: state, heads: heads[state.account] ?? KnownHeads())
    }
    return read
  }

  /// The rows of an upload; nil if it must take the slow path.
  private func plan(
    _ upload: PendingUpload, _ account: RecentAccount, isLocked: Bool
  ) throws(ApplicationError) -> (AppendPlan, AppendOutcome)? {
    let state = account.state
    var outcome = AppendOutcome()
    var plan = AppendPlan(state, upload.sealingKey)
    for group in upload.groups {
      for group in state.admit([group], at: now, &outcome) {
        guard let head = account.heads[group] else { return nil }
        do throws(SampleStoreError) {
          if try plan.addInOrder(group, head) { continue }
          guard isLocked, let data = head.data, head.lastTime < group.firstTime else { return nil }
          try plan.add(group, head, headData: data)
        } catch {
          // The other uploads of the batch are not at fault: on the slow path this one fails alone.
          return nil
        }
      }
    }
    guard state.bytesUsed + plan.bytes <= bytesMax else { return nil }
    outcome.stored = plan.storedCount
    return (plan, outcome)
  }

  /// Stores what is planned and commits; returns the accounts that were advanced.
  private func write(
    _ planned: [Planned], in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> [StoreBlocks.Row] {
    guard !planned.isEmpty else { return [] }
    var (store, packed, changes) = (StoreBlocks(), ChunkColumns(), NoteLateChanges())
    let firstOpenDay = rules.firstOpenDay(at: now)
    for upload in planned {
      store.append(upload.plan)
      packed.append(contentsOf: upload.plan.replaced)
      changes.append(upload.plan, rules, firstOpenDay: firstOpenDay)
    }
    if !packed.accounts.isEmpty {
      return try await transaction.commit(ReplaceChunks(rows: packed), store, changes).1
    }
    if changes.isEmpty { return try await transaction.commit(store) }
    return try await transaction.commit(store, changes).0
  }
}
