import Domain
import Postgres
import ServiceKit
import Time

/// The outcome of a batch.
struct StoredBatch {
  /// The outcome of each upload; nil for one that must continue on the slow path.
  var outcomes: [AppendOutcome?] = []
  /// The accounts with new samples that may have subscribers.
  var followed: [AccountID] = []
}

/// Uploads of different accounts that are stored in one transaction of two round trips, provided
/// that the heads of their days suffice.
struct UploadBatch {
  private let uploads: [PendingUpload]
  private let now: Instant
  private let bytesMax: Int64
  private let rules: LateChangeRules

  init(_ uploads: [PendingUpload], now: Instant, bytesMax: Int64, _ rules: LateChangeRules) {
    self.uploads = uploads
    self.now = now
    self.bytesMax = bytesMax
    self.rules = rules
  }

  /// Stores uploads and returns the outcome of each; nil for one that must take the slow path: late
  /// or repeated data, the first upload of a day whose previous day is packed, no room, no row yet.
  func write(in transaction: Transaction<ApplicationError>) async throws(ApplicationError)
    -> StoredBatch
  {
    let groups = uploads.flatMap(\.groups)
    let heads = DayHeads(
      accounts: uploads.flatMap { upload in upload.groups.map { _ in upload.account } },
      types: groups.map(\.type), days: groups.map(\.day),
      fullBytes: Int32(SealedBlocks.fullChunkBytes))
    let (stateRows, headRows) = try await transaction.run(
      LockSampleAccounts(accounts: uploads.map(\.account)), heads)

    var states: [AccountID: SampleAccount] = [:]
    for state in stateRows { states[state.account] = state }
    var headsByInput: [DayHead?] = Array(repeating: nil, count: groups.count)
    for row in headRows { headsByInput[row.input] = DayHead(row) }

    var stored = StoredBatch()
    var (rows, packed) = (ChunkColumns(), ChunkColumns())
    var advance = AdvanceAccounts()
    var changes = NoteLateChanges()
    let firstOpenDay = rules.firstOpenDay(at: now)
    var place = 0
    for upload in uploads {
      let heads = headsByInput[place..<place + upload.groups.count]
      place += upload.groups.count
      guard let state = states[upload.account] else {
        stored.outcomes.append(nil)
        continue
      }
      guard let (plan, outcome) = try plan(upload, state, heads) else {
        stored.outcomes.append(nil)
        continue
      }
      stored.outcomes.append(outcome)
      if plan.isEmpty { continue }
      rows.append(contentsOf: plan.stored)
      packed.append(contentsOf: plan.replaced)
      advance.append(plan)
      changes.append(plan, rules, firstOpenDay: firstOpenDay)
      if state.isSubscribed { stored.followed.append(upload.account) }
    }
    try await write(rows, packed, advance, changes, in: transaction)
    return stored
  }

  /// The rows of an upload; nil if it must take the slow path.
  private func plan(
    _ upload: PendingUpload, _ state: SampleAccount, _ heads: ArraySlice<DayHead?>
  ) throws(ApplicationError) -> (AppendPlan, AppendOutcome)? {
    var outcome = AppendOutcome()
    var plan = AppendPlan(state, upload.sealingKey)
    for (group, head) in zip(upload.groups, heads) {
      for group in state.admit([group], at: now, &outcome) {
        guard let head else { return nil }
        do throws(SampleStoreError) {
          if try plan.addInOrder(group, head) { continue }
          guard let data = head.data, head.lastTime < group.firstTime else { return nil }
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

  private func write(
    _ rows: ChunkColumns, _ packed: ChunkColumns, _ advance: AdvanceAccounts,
    _ changes: NoteLateChanges, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    guard !advance.accounts.isEmpty else { return }
    let store = StoreBlocks(rows: rows)
    if !packed.accounts.isEmpty {
      try await transaction.commit(ReplaceChunks(rows: packed), store, advance, changes)
    } else if changes.isEmpty {
      try await transaction.commit(store, advance)
    } else {
      try await transaction.commit(store, advance, changes)
    }
  }
}
